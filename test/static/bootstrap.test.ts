/**
 * Setting a machine up: what is missing is installed only where that was not forbidden.
 */
import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { execa } from 'execa';
import { ROOT } from '../../lab/base/paths.ts';

const LIMIT_MS = 30_000;
const NOT_READY = 2;

const folder = mkdtempSync(join(os.tmpdir(), 'doubletake-bootstrap-'));
const installed = join(folder, 'installed');
after(() => rmSync(folder, { recursive: true }));

/** Stands in for a program. */
function addProgram(name: string, script: string) {
	writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`);
	chmodSync(join(folder, name), 0o755);
}

// No engine answers, and whatever would install one leaves a trace.
addProgram('docker', 'exit 1');
for (const name of ['apt-get', 'dockerd', 'systemctl', 'npm']) addProgram(name, `touch ${installed}`);

const setUp = (file: string, args: string[] = [], host: string = '', env: Record<string, string> = {}) =>
	execa(join(ROOT, file), args, {
		env: { PATH: `${folder}:${process.env.PATH}`, HOME: folder, BOOTSTRAP: '0', DOCKER_HOST: host, ...env },
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

test('where another engine was chosen, none is installed or started in its place', async () => {
	const config = join(folder, 'chosen');
	mkdirSync(config);
	writeFileSync(join(config, 'config.json'), '{\n  "auths": {},\n  "currentContext": "far-away"\n}\n');
	for (const chosen of [{ DOCKER_CONTEXT: 'far-away' }, { DOCKER_CONFIG: config }] as Record<string, string>[]) {
		const { exitCode, stderr } = await setUp('compose/engine/ensure.sh', [], '', { BOOTSTRAP: '1', ...chosen });
		assert.equal(exitCode, NOT_READY);
		assert.match(stderr, /in the context far-away\)[\s\S]*To do: start the engine of that context, or choose the one of this machine/);
		assert.ok(!existsSync(installed));
	}
});
