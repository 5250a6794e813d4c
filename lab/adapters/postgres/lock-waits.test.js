import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FROM, WINDOW } from '../fixtures/hop-files.js';
import { lockWaits } from './lock-waits.js';

/** Samples from second 1 on; of each the waits at that time. @param {...[number, number][]} seconds */
const samplesOf = (...seconds) => seconds.map((waits, index) => ({ t: FROM + index + 1, lock_waits: waits.length > 0 ? waits : null }));

/** @type {(samples: any[], logged?: boolean) => [number, string][]} */
const told = (samples, logged = false) => lockWaits(samples, WINDOW, logged).map(({ t, text }) => [t - FROM, text]);

const HELD = samplesOf(
  [],
  [[71, 0.5]],
  [[71, 1.5]],
  [
    [71, 2.6],
    [72, 0.4],
  ],
  [
    [71, 3.5],
    [72, 1.4],
  ],
);

test('each statement that waited for a lock is told once, with the longest that was seen of it', () => {
  assert.deepEqual(told(HELD), [
    [5, 'process 71 waits for a lock, for 3500 ms so far'],
    [5, 'process 72 waits for a lock, for 1400 ms so far'],
  ]);
  assert.equal(lockWaits(HELD, WINDOW, false)[0].source, 'pg_stat_activity');
});

test('a process that waits again is another wait', () => {
  assert.deepEqual(
    told(samplesOf([[71, 0.9]], [[71, 1.9]], [], [[71, 0.2]], [[71, 1.2]])).map(([t]) => t),
    [2, 5],
  );
});

test('what waited for less than a second, or since before the load, is not told', () => {
  assert.deepEqual(told(samplesOf([[71, 0.4]], [[72, 0.9]])), []);
  assert.deepEqual(told(samplesOf([[71, 30.5]], [[71, 31.5]])), []);
});

test('where the log tells of what ended, only what still waits is told beside it', () => {
  const ended = samplesOf([[71, 0.8]], [[71, 1.8]], [], [[72, 0.5]], [[72, 1.5]]);
  assert.deepEqual(
    told(ended, true).map(([t]) => t),
    [5],
  );
  assert.equal(told(ended).length, 2);
});

test('samples that do not tell of waits, as of a server that refused, tell nothing', () => {
  assert.deepEqual(
    told([
      { t: FROM + 1, refused: true },
      { t: FROM + 2, connections: 3 },
    ]),
    [],
  );
  assert.deepEqual(told([]), []);
});
