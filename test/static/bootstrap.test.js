/**
 * Setting a machine up: what is missing is installed only where that was not forbidden.
 */
import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { execa } from 'execa';
import { ROOT } from '../../lab/base/paths.js';

const LIMIT_MS = 30_000;
const NOT_READY = 2;

const folder = mkdtempSync(join(os.tmpdir(), 'doubletake-bootstrap-'));
const installed = join(folder, 'installed');
after(() => rmSync(folder, { recursive: true }));

/** Stands in for a program. @param {string} name @param {string} script */
function addProgram(name, script) {
  writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`);
  chmodSync(join(folder, name), 0o755);
}

// No engine answers, and whatever would install one leaves a trace.
addProgram('docker', 'exit 1');
for (const name of ['apt-get', 'dockerd', 'systemctl', 'npm']) addProgram(name, `touch ${installed}`);

/** @param {string} file @param {string[]} [args] @param {string} [host] */
const setUp = (file, args = [], host = '') =>
  execa(join(ROOT, file), args, {
    env: { PATH: `${folder}:${process.env.PATH}`, HOME: folder, BOOTSTRAP: '0', DOCKER_HOST: host },
    reject: false,
    timeout: LIMIT_MS,
  });

test('BOOTSTRAP=0 neither installs nor starts an engine, and says what to do', async () => {
  const { exitCode, stderr } = await setUp('compose/engine/ensure.sh');
  assert.equal(exitCode, NOT_READY);
  assert.match(stderr, /^error: no Docker Engine answers[\s\S]*To do: start Docker Desktop[\s\S]*unless BOOTSTRAP=0/);
  assert.ok(!existsSync(installed));
});

test('nor a package of Debian', async () => {
  const { exitCode, stderr } = await setUp('compose/engine/apt-install.sh', ['chromium']);
  assert.equal(exitCode, NOT_READY);
  assert.match(stderr, /^error: missing here: chromium\n {2}To do: install it/);
  assert.ok(!existsSync(installed));
});

test('where DOCKER_HOST names another engine, that is what may be wrong', async () => {
  const { exitCode, stderr } = await setUp('compose/engine/ensure.sh', [], 'unix:///none.sock');
  assert.equal(exitCode, NOT_READY);
  assert.match(stderr, /with DOCKER_HOST=unix:\/\/\/none\.sock\)[\s\S]*To do: correct DOCKER_HOST, or unset it; else start Docker Desktop/);
});
