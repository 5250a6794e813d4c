/**
 * Whenever it is interrupted, the lab takes its stack down. A signal during a load is in the tests of comparisons and of all experiments.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EXIT } from '../../lab/define/errors.js';
import { assertNothingIsLeft, RUN_LIMIT_MS, saysSo, start } from './front-door.js';

test('Ctrl-C while the stack starts ends with 130 and leaves nothing', { timeout: RUN_LIMIT_MS }, async () => {
  const child = start('lab/doubletake', ['run', 'a'], { variables: { LOAD: 'smoke' }, detached: true });
  await saysSo(child, /bringing the stack up/);
  assert.ok(child.pid);
  process.kill(-child.pid, 'SIGINT');
  const { exitCode, all } = await child;
  assert.equal(exitCode, EXIT.interrupted, String(all));
  await assertNothingIsLeft();
});
