import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EXIT, NotReadyError } from '../base/errors.js';
import { clockOffset, isAtLeast, waitForQuiet } from './preflight.js';

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

const NOW = Date.parse('2026-11-21T20:00:00Z');

test("the engine's clock is apart from this machine's by what no waiting for the answer explains", () => {
  assert.equal(clockOffset(NOW + 400, NOW, NOW + 900), 0);
  assert.equal(clockOffset(NOW + 3900, NOW, NOW + 900), 3);
  assert.equal(clockOffset(NOW - 3000, NOW, NOW + 900), -3);
  assert.equal(clockOffset(Date.parse('2026-11-21T21:00:00.123456789+01:00'), NOW, NOW + 900), 0);
});

test('of an engine that tells no time nothing is known', () => {
  assert.equal(clockOffset(Number.NaN, NOW, NOW), null);
});

test('a version is enough when its first number that differs is higher', () => {
  for (const version of ['2.24.6', '2.24.10', '2.25', '3.0.0', '10.1.2', '2.24.6-desktop.1', '2.40.3+ds1']) {
    assert.equal(isAtLeast(version, '2.24.6'), true, version);
  }
  for (const version of ['2.24.5', '2.24', '2.9.9', '1.29.2', '', 'dev']) assert.equal(isAtLeast(version, '2.24.6'), false, version);
});

test('a version with more numbers than are asked for is enough', () => {
  assert.equal(isAtLeast('2.20.3', '2.20'), true);
  assert.equal(isAtLeast('2.20', '2.20'), true);
});
