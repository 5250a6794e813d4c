import assert from 'node:assert/strict';
import { test } from 'node:test';
import { factsOf, recordOf } from '../fixtures/record.js';
import { poolsRecord, programRecord } from '../fixtures/scenario-records.js';
import { FROM } from '../fixtures/story.js';
import { limitsOf } from './limits.js';

/** @type {(raw: import('../fixtures/story.js').Raw, id: string, seconds?: number[]) => import('./watched-limit.js').WatchedLimit} */
function limitIn(raw, id, seconds = [1, 2, 3, 4]) {
  const found = limitsOf(factsOf(raw), seconds).find((limit) => limit.id === id);
  assert.ok(found, id);
  return found;
}

/** @type {(raw: import('../fixtures/story.js').Raw, name: string, second: number) => any} */
const nodeRow = (raw, name, second) => raw.nodes[name].find(({ t }) => t === FROM + second);

test('every limited resource has its limit and its values on the seconds asked for', () => {
  const raw = recordOf({ balanced: true });
  raw.nodes['app-2'][8].pool.in_use = 50;
  raw.kernel.find(({ name, t }) => name === 'nginx' && t === FROM + 3).sockets = { inuse: 1000 };
  for (const row of raw.host) delete row.pressure;
  assert.deepEqual(
    limitsOf(factsOf(raw), [2, 3, 99]).map(({ id, tier, limit, values }) => [id, tier, limit, values]),
    [
      ['balancer-connections', 'load-balancer', 1024, [40, 1000, null]],
      ['pool-app-1', 'pool', 50, [5, 5, null]],
      ['loop-app-1', 'app', 1, [0.3, 0.3, null]],
      ['pool-app-2', 'pool', 50, [5, 50, null]],
      ['loop-app-2', 'app', 1, [0.3, 0.3, null]],
      ['database-connections', 'database', 1000, [60, 60, null]],
    ],
  );
});

test('a tier that kept no record limits nothing', () => {
  const raw = recordOf();
  Object.assign(raw, { database: [], nodes: {}, host: [] });
  assert.deepEqual(limitsOf(factsOf(raw), [1]), []);
});

test('a node without a pool is limited by its event loop alone, and a store that is no MongoDB by no connections', () => {
  const idsIn = (/** @type {import('../fixtures/story.js').Raw} */ raw) => limitsOf(factsOf({ ...raw, host: [] }), [1]).map(({ id }) => id);
  assert.deepEqual(idsIn(poolsRecord()), ['loop-app-1']);
  assert.deepEqual(idsIn(programRecord()), []);
});

test('a connection table is full from where Nginx begins to close idle clients', () => {
  const raw = recordOf({ balanced: true });
  const sockets = [959, 960, 1024, 40];
  for (const row of raw.kernel) if (row.name === 'nginx' && row.t > FROM) row.sockets = { inuse: sockets[row.t - FROM - 1] ?? 40 };
  assert.deepEqual(limitIn(raw, 'balancer-connections').reached, [false, true, true, false]);
});

test('whether a limit was reached that is not on record is not known', () => {
  const raw = recordOf({ balanced: true });
  raw.balancerConf = '';
  assert.deepEqual(limitIn(raw, 'balancer-connections').limit, null);
  assert.deepEqual(limitIn(raw, 'balancer-connections').reached, [null, null, null, null]);
});

test('a pool that is used up is at its limit only while requests wait for it', () => {
  const raw = recordOf();
  nodeRow(raw, 'app-1', 2).pool.in_use = 50;
  Object.assign(nodeRow(raw, 'app-1', 3).pool, { in_use: 50, waiting: 7 });
  raw.nodes['app-1'] = raw.nodes['app-1'].filter(({ t }) => t !== FROM + 4);
  assert.deepEqual(limitIn(raw, 'pool-app-1').reached, [false, false, true, null]);
});

test("MongoDB's connections are at their limit only while requests wait for one", () => {
  const raw = recordOf();
  for (const row of raw.database) if (row.t >= FROM + 2) row.connections = { open: 1000, free: 0 };
  nodeRow(raw, 'app-1', 3).pool.waiting = 2;
  const { reached, queues } = limitIn(raw, 'database-connections');
  assert.deepEqual([reached, queues], [[false, false, true, false], true]);
});

test('an event loop is at its limit at 95 %, as it is read once a second', () => {
  const raw = recordOf();
  nodeRow(raw, 'app-1', 2).busy_share = 0.949;
  nodeRow(raw, 'app-1', 3).busy_share = 0.95;
  assert.deepEqual(limitIn(raw, 'loop-app-1').reached, [false, false, true, false]);
});
