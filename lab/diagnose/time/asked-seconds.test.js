import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shapes } from '../../../k6/lib/shapes.js';
import { factsOf, recordOf } from '../fixtures/record.js';
import { WARMUP_S } from '../fixtures/story.js';
import { askedSeconds } from './asked-seconds.js';

/** @param {(raw: import('../fixtures/story.js').Raw) => void} change */
function askedOf(change) {
  const raw = recordOf();
  raw.written = { written: 1000, counted: 1000 };
  for (const { metrics } of raw.snapshots.slice(WARMUP_S)) metrics.lab_begun = { count: 100 };
  change(raw);
  return askedSeconds(factsOf(raw));
}

test('a second has what came of its requests, and who waits and is there at its end', () => {
  const asked = askedOf(({ snapshots }) => {
    snapshots[WARMUP_S].metrics.lab_begun = { count: 103 };
  });
  assert.deepEqual(asked?.slice(0, 2), [
    { t_s: 1, good: 100, failed: 0, begun: 103, waiting: 3, users: 3, demand: 3 },
    { t_s: 2, good: 100, failed: 0, begun: 100, waiting: 3, users: 3, demand: 3 },
  ]);
  assert.equal(asked?.length, 10);
});

test('of an open load the demand is what was meant to arrive, whoever is there', () => {
  const asked = askedOf(({ manifest }) => {
    manifest.shape = shapes.calm({});
  });
  assert.deepEqual(
    asked?.map(({ demand }) => Math.round(demand)),
    [30, ...Array(9).fill(60)],
  );
});

test('a user whose request ended just before the end of the second was there', () => {
  const asked = askedOf(({ snapshots }) => {
    snapshots[WARMUP_S + 3].metrics.vus = { value: 0 };
  });
  assert.equal(asked?.[3].demand, 1);
});

test('who is told that all is sold was answered; by another status nobody was', () => {
  const asked = (/** @type {number} */ status) =>
    askedOf(({ manifest, snapshots }) => {
      manifest.scenario = 'tickets';
      Object.assign(snapshots[WARMUP_S].metrics, {
        lab_ok: { count: 60 },
        lab_failed: { count: 40 },
        [`lab_failed_status_${status}`]: { count: 40 },
      });
    })?.[0];
  assert.deepEqual([asked(409)?.good, asked(409)?.failed], [100, 0]);
  assert.deepEqual([asked(503)?.good, asked(503)?.failed], [60, 40]);
});

test('a record that tells no single request tells nothing here', () => {
  const unwritten = askedOf((raw) => {
    raw.written = null;
  });
  assert.equal(unwritten, null);
});
