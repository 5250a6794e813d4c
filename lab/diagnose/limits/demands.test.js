import assert from 'node:assert/strict';
import { test } from 'node:test';
import { factsOf, recordOf } from '../fixtures/record.js';
import { setRate } from '../fixtures/record-rates.js';
import { setCpu } from '../fixtures/record-tiers.js';
import { calmestOf, demandsOf, inMilliseconds } from './demands.js';

/** @type {(raw: import('../fixtures/story.js').Raw, from_s: number, to_s: number) => import('./demands.js').Demands} */
const demandsIn = (raw, from_s, to_s) => demandsOf(factsOf(raw), { from_s, to_s });

test('what a request costs is the CPU of a service over the finished requests of the same time', () => {
  const raw = recordOf({ balanced: true });
  setCpu(raw, 'nginx', 0.8, 3, 6);
  // nginx uses 0.8 of its quarter core in the seconds 3 to 6, for 100 requests a second; the others 0.3 of their quota.
  assert.deepEqual(inMilliseconds(demandsIn(raw, 2, 6)), { nginx: 2, 'app-1': 1.5, 'app-2': 1.5, mongo: 1.5, k6: 3 });
  assert.equal(inMilliseconds(demandsIn(raw, 0, 2)).nginx, 0.75);
});

test('failed requests are finished requests, and what they cost is in the sum', () => {
  const raw = recordOf({ balanced: true });
  setRate(raw, 3, 6, { ok: 100, failed: 100 });
  const demands = demandsIn(raw, 2, 6);
  assert.deepEqual([demands.finished, demands.failed, inMilliseconds(demands)['app-1']], [800, 400, 0.75]);
});

test('a reading that reaches beyond the stage counts for the part of it that lies inside', () => {
  const raw = recordOf();
  raw.containers = raw.containers.filter(({ t }) => Math.round(t) % 2 === 0);
  setCpu(raw, 'mongo', 0.6, 4, 4);
  // Used in the seconds 3 and 4, of which the stage has one: (0.15 + 0.15 + 0.15) / 2.
  assert.equal(inMilliseconds(demandsIn(raw, 3, 4)).mongo, 2.25);
});

test('without enough finished requests, or without a reading of the service, nothing is said of what a request costs', () => {
  const raw = recordOf();
  setRate(raw, 1, 2, { ok: 24 });
  assert.equal(demandsIn(raw, 0, 2).seconds.mongo, null);
  setRate(raw, 1, 2, { ok: 25 });
  assert.notEqual(demandsIn(raw, 0, 2).seconds.mongo, null);
  raw.containers = raw.containers.filter(({ name }) => name !== 'mongo');
  assert.equal(demandsIn(raw, 0, 2).seconds.mongo, null);
});

test('an observer works for no request', () => {
  const raw = recordOf({ balanced: true });
  raw.manifest.services.find((/** @type {{ name: string }} */ { name }) => name === 'app-2').tier = 'observer';
  assert.deepEqual(Object.keys(demandsIn(raw, 0, 2).seconds), ['nginx', 'app-1', 'mongo', 'k6']);
});

test('the busiest share is of the quota, or of the machine where there is none', () => {
  const raw = recordOf();
  setCpu(raw, 'app-1', 0.8);
  assert.equal(demandsIn(raw, 2, 4).busiest?.toFixed(3), '0.800');
  for (const service of raw.manifest.services) service.cpu_quota_cores = null;
  assert.equal(demandsIn(raw, 2, 4).busiest?.toFixed(3), '0.100');
});

test('the calmest stage is the least busy of those that hardly lost a request', () => {
  /** @type {(busiest: number | null, failed?: number, finished?: number) => import('./demands.js').Demands} */
  const stage = (busiest, failed = 0, finished = 1000) => ({ finished, failed, busiest, seconds: {} });
  assert.equal(calmestOf([stage(0.9), stage(0.5), stage(0.7)]), 1);
  assert.equal(calmestOf([stage(0.9), stage(0.5, 11), stage(0.7, 10)]), 2);
  assert.equal(calmestOf([stage(0.9, 500), stage(0.5, 500)]), 1, 'all lost requests');
  assert.equal(calmestOf([stage(0.1, 0, 49), stage(null), stage(0.6, 0, 50)]), 2);
  assert.equal(calmestOf([stage(0.1, 0, 49)]), -1);
});
