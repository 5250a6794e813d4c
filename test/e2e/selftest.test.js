/**
 * The diagnosis itself: faults that are put in on purpose are named.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertNothingIsLeft, start } from './front-door.js';

/** Three faults of about 45 s each on two cores, with room. */
const LIMIT_MS = 300_000;

test(
  'make selftest FAULTS=short places the failed requests of every fault rightly, and leaves nothing',
  { timeout: LIMIT_MS },
  async () => {
    const { exitCode, all } = await start('make', ['selftest', 'FAULTS=short'], { limitMs: LIMIT_MS });
    assert.equal(exitCode, 0, String(all));
    await assertNothingIsLeft();
  },
);
