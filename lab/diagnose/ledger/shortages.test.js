import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setPool } from '../fixtures/diagnose.js';
import { recordOf } from '../fixtures/record.js';
import { setCpu } from '../fixtures/record-tiers.js';
import { FROM } from '../fixtures/story.js';
import { without } from '../fixtures/tell.js';
import { shortagesOf } from './shortages.js';

/** @typedef {import('../fixtures/story.js').Raw} Raw */
/** @typedef {import('./shortages.js').Shortage} Shortage */

/** @param {(raw: Raw) => void} change of a healthy run */
function shortagesIn(change) {
  const raw = recordOf();
  change(raw);
  const spans = (/** @type {Shortage[]} */ found) => found.map(({ name, from, to }) => [name, from - FROM, to - FROM]);
  const { files, cpu, pool } = shortagesOf(raw);
  return { files: spans(files), cpu: spans(cpu), pool: spans(pool) };
}

const HELD = { checkouts: 700, in_use: 50, waiting: 200 };

test('a healthy run is short of nothing', () => {
  assert.deepEqual(
    shortagesIn(() => {}),
    { files: [], cpu: [], pool: [] },
  );
});

test('a process has no file left in the second before the reading that says so, and one without a limit always has', () => {
  const { files } = shortagesIn((raw) => {
    for (const row of raw.containers) row.fds = { open_files: row.t === FROM + 4 ? 62 : 60, limit: row.name === 'app-1' ? 64 : null };
  });
  assert.deepEqual(files, [['app-1', 3, 4]]);
});

test('a service has used up its quota from reading to reading, and one without a quota never', () => {
  const usedUp = (/** @type {Raw} */ raw) => setCpu(raw, 'mongo', 0.99, 4, 5);
  assert.deepEqual(shortagesIn(usedUp).cpu, [
    ['mongo', 3, 4],
    ['mongo', 4, 5],
  ]);
  const unlimited = shortagesIn((raw) => {
    usedUp(raw);
    for (const service of raw.manifest.services) service.cpu_quota_cores = null;
  });
  assert.deepEqual(unlimited.cpu, []);
});

test('a service whose quota was cut while it ran is held back in each of its periods, and one that is held back in some is not short', () => {
  const held = (/** @type {number} */ share) =>
    shortagesIn((raw) => {
      for (const row of raw.containers.filter(({ name }) => name === 'mongo')) {
        row.periods = 100 * (row.t - FROM);
        row.throttled_periods = 100 * share * Math.min(2, Math.max(0, row.t - FROM - 3));
      }
    }).cpu;
  assert.deepEqual(held(1), [
    ['mongo', 3, 4],
    ['mongo', 4, 5],
  ]);
  assert.deepEqual(held(0.5), []);
});

test('a pool is held that gives out nothing for three seconds while requests wait', () => {
  const held = (/** @type {number} */ to, more = {}) => shortagesIn((raw) => setPool(raw, 'app-1', 3, to, { ...HELD, ...more })).pool;
  assert.deepEqual(held(6), [['app-1', 3, 6]]);
  assert.deepEqual(held(5), []);
  assert.deepEqual(held(6, { waiting: 0 }), []);
  assert.deepEqual(held(6, { in_use: 0 }), []);
});

test('a queue before a pool lasts from reading to reading, as long as somebody stands in it', () => {
  const { queue } = shortagesOf(
    (() => {
      const raw = recordOf();
      setPool(raw, 'app-1', 3, 6, { waiting: 5, in_use: 50, checkouts: 700 });
      return raw;
    })(),
  );
  assert.deepEqual(
    queue.map(({ name, from, to }) => [name, from - FROM, to - FROM]),
    [['app-1', 2, 6]],
  );
});

test('of a node that was busy, or late with its own readings, nobody can say what its pool did', () => {
  const hold = (/** @type {Raw} */ raw) => setPool(raw, 'app-1', 3, 9, HELD);
  const busy = shortagesIn((raw) => {
    hold(raw);
    for (const row of raw.nodes['app-1']) row.busy_share = 1;
  });
  const late = shortagesIn((raw) => {
    hold(raw);
    raw.nodes['app-1'] = without(raw.nodes['app-1'], 3, 8);
  });
  assert.deepEqual([busy.pool, late.pool], [[], []]);
});
