/**
 * Whenever it is interrupted, the lab takes its stack down and keeps what it measured. Ctrl-C during a load is in the tests of comparisons.
 */
import assert from 'node:assert/strict';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { EXIT } from '../../lab/define/errors.js';
import { RAW, RECORD } from '../../lab/define/paths.js';
import { assertNothingIsLeft, newestRun, RUN_LIMIT_MS, readManifest, saysSo, start } from './front-door.js';

const timeout = RUN_LIMIT_MS;
const DURING_LOAD = /to [\d,]+ users .*rps/;

/** Bash becomes the lab's own process, so the child's number is the lab's. */
const startRun = () => start('lab/doubletake', ['run', 'a'], { variables: { LOAD: 'smoke' }, detached: true });

/** @param {ReturnType<typeof start>} child */
function processOf({ pid }) {
  assert.ok(pid, 'it started');
  return pid;
}

test('SIGTERM to the lab during the load ends with 130 and keeps the record', { timeout }, async () => {
  const child = startRun();
  await saysSo(child, DURING_LOAD);
  process.kill(processOf(child), 'SIGTERM');
  const { exitCode, all } = await child;
  assert.equal(exitCode, EXIT.interrupted, String(all));
  await assertNothingIsLeft();
  const folder = await newestRun('a');
  assert.equal((await readManifest(folder)).interrupted, true);
  assert.ok((await stat(join(folder, RECORD.raw, RAW.k6Log))).size > 0);
});

test('Ctrl-C while the stack starts ends with 130 and leaves nothing', { timeout }, async () => {
  const child = startRun();
  await saysSo(child, /bringing the stack up/);
  process.kill(-processOf(child), 'SIGINT');
  const { exitCode, all } = await child;
  assert.equal(exitCode, EXIT.interrupted, String(all));
  await assertNothingIsLeft();
});
