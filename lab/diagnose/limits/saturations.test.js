import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setPool } from '../fixtures/diagnose.js';
import { endService, factsOf, recordOf } from '../fixtures/record.js';
import { setCpu } from '../fixtures/record-tiers.js';
import { FROM } from '../fixtures/story.js';
import { limitsOf } from './limits.js';
import { cpuShares, resourcesOf } from './resources.js';
import { bindingBySecond, saturationsOf } from './saturations.js';

const SECONDS = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10];

/** @param {(raw: import('../fixtures/story.js').Raw) => void} change of a healthy run of two nodes */
function boundIn(change) {
  const raw = recordOf({ balanced: true });
  change(raw);
  const facts = factsOf(raw);
  const cpu = cpuShares(raw, facts.window, SECONDS);
  const limits = limitsOf(facts, SECONDS);
  const saturations = saturationsOf({ resources: resourcesOf(raw, facts.window), cpu, limits, seconds: SECONDS, facts });
  return bindingBySecond(saturations, SECONDS).map((saturation) => saturation?.name ?? saturation);
}

test('in a second in which no limit was reached nothing binds', () => {
  assert.deepEqual(
    boundIn(() => {}),
    SECONDS.map(() => null),
  );
});

test('of the limits reached in one second the deepest binds: it lets requests pile up before it', () => {
  const bound = boundIn((raw) => {
    setCpu(raw, 'k6', 1, 1);
    setCpu(raw, 'nginx', 1, 3, 8);
    setCpu(raw, 'app-1', 1, 5, 6);
    setCpu(raw, 'mongo', 1, 6, 6);
  });
  assert.deepEqual(bound, ['k6', 'k6', 'nginx', 'nginx', 'app-1', 'mongo', 'nginx', 'nginx', 'k6', 'k6']);
});

test('a pool with requests that wait is only the queue of a busy node or database', () => {
  const bound = boundIn((raw) => {
    setPool(raw, 'app-1', 2, 8, { in_use: 50, waiting: 9 });
    setCpu(raw, 'app-2', 1, 4, 4);
    setCpu(raw, 'mongo', 1, 6, 6);
  });
  assert.deepEqual(bound.slice(0, 7), [null, 'pool of app-1', 'pool of app-1', 'app-2', 'pool of app-1', 'mongo', 'pool of app-1']);
});

test("MongoDB's connections are such a queue too, though they are a limit of the database", () => {
  const bound = boundIn((raw) => {
    for (const row of raw.database) row.connections = { open: 1000, free: 0 };
    setPool(raw, 'app-1', 2, 4, { waiting: 9 });
    setCpu(raw, 'app-1', 1, 3, 3);
  });
  assert.deepEqual(bound.slice(0, 5), [null, 'MongoDB connections', 'app-1', 'MongoDB connections', null]);
});

test('a tier that stood still, or had ended, explains whatever was used up meanwhile', () => {
  const still = boundIn((raw) => {
    raw.nodes['app-2'] = raw.nodes['app-2'].filter(({ t }) => t <= FROM + 3 || t >= FROM + 8);
    setCpu(raw, 'mongo', 1, 1);
  });
  assert.deepEqual(still, [...Array(3).fill('mongo'), ...Array(5).fill('app-2'), 'mongo', 'mongo']);
  const ended = boundIn((raw) => endService(raw, 'app-1', 7));
  assert.deepEqual(ended.slice(5), [null, null, 'app-1', 'app-1', 'app-1']);
});

test('a node that had ended while another was asked explains less than a database without CPU; two that had, more', () => {
  const starved = (/** @type {string[]} */ ...ended) =>
    boundIn((raw) => {
      for (const name of ended) endService(raw, name, 7);
      setCpu(raw, 'mongo', 1, 8, 8);
    }).slice(7);
  assert.deepEqual(starved('app-1'), ['mongo', 'app-1', 'app-1']);
  assert.ok(['app-1', 'app-2'].includes(/** @type {string} */ (starved('app-1', 'app-2')[0])));
});

test('quotas count as used up from 95 % on, as they are enforced in slices', () => {
  const boundAt = (/** @type {number} */ share) => boundIn((raw) => setCpu(raw, 'app-1', share, 3, 3))[2];
  assert.deepEqual([boundAt(0.94), boundAt(0.951)], [null, 'app-1']);
});

test('a service that only observes binds nobody', () => {
  const bound = boundIn((raw) => {
    raw.manifest.services.find((/** @type {{ name: string }} */ { name }) => name === 'k6').tier = 'observer';
    setCpu(raw, 'k6', 1);
  });
  assert.ok(bound.every((name) => name === null));
});

test('of a second in which nothing was read nothing is said', () => {
  const bound = boundIn((raw) => {
    raw.containers = [];
    raw.host = [];
    raw.kernel = [];
    raw.database = [];
    for (const [name, rows] of Object.entries(raw.nodes)) raw.nodes[name] = rows.filter(({ t }) => t !== FROM + 2);
  });
  assert.deepEqual(bound.slice(0, 3), [null, undefined, null]);
});
