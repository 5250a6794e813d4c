import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EXIT, NotReadyError } from '../base/errors.js';
import { waitForQuiet } from './quiet.js';

/** A machine that is as busy as this, sample by sample; the last one lasts. @param {number[]} shares */
function machine(...shares) {
  const seen = { samples: /** @type {number[]} */ ([]), said: /** @type {string[]} */ ([]) };
  return {
    seen,
    sample: async (/** @type {number} */ forMs) => {
      seen.samples.push(forMs);
      return /** @type {number} */ (shares.length > 1 ? shares.shift() : shares[0]);
    },
    say: (/** @type {string} */ text) => seen.said.push(text),
  };
}

test('a quiet machine is sampled for one second, and nothing is said', async () => {
  const quiet = machine(0.15);
  assert.deepEqual(await waitForQuiet({ busy: 'refuse', ...quiet }), { share: 0.15, warnings: [] });
  assert.deepEqual(quiet.seen, { samples: [1000], said: [] });
});

test('a machine that settles is waited for, and the run begins as soon as it is quiet', async () => {
  const settling = machine(0.9, 0.4, 0.05, 0.9);
  assert.deepEqual(await waitForQuiet({ busy: 'refuse', ...settling }), { share: 0.05, warnings: [] });
  assert.deepEqual(settling.seen, {
    samples: [1000, 5000, 5000],
    said: ['the machine is 90 % busy; waiting up to 60 s for it to be quiet'],
  });
});

test('a machine that stays busy for a minute is refused, with what was found and what to do', async () => {
  const busy = machine(0.16, 0.6);
  await assert.rejects(waitForQuiet({ busy: 'refuse', ...busy }), (error) => {
    assert.ok(error instanceof NotReadyError);
    assert.equal(error.exitCode, EXIT.notReady);
    assert.match(error.message, /at most 15 % busy.*found 60 %.*60 s/);
    assert.match(error.message, /BUSY=allow/);
    return true;
  });
  assert.equal(
    busy.seen.samples.reduce((sum, ms) => sum + ms, 0),
    61_000,
  );
});

test('a busy machine that is allowed is not waited for, and is said to be busy', async () => {
  const busy = machine(0.6);
  assert.deepEqual(await waitForQuiet({ busy: 'allow', ...busy }), {
    share: 0.6,
    warnings: ['the machine was 60 % busy before the run: something else is using it'],
  });
  assert.deepEqual(busy.seen, { samples: [1000], said: [] });
});
