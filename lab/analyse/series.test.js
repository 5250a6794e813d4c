import assert from 'node:assert/strict';
import { test } from 'node:test';
import { factsOf, recordOf } from './fixtures/record.js';
import { poolsRecord, programRecord } from './fixtures/scenario-records.js';
import { FROM } from './fixtures/story.js';
import { buildLedger } from './ledger/ledger.js';
import { failuresByTier, limitsOf } from './series.js';
import { timelineOf } from './timeline.js';

/** @param {import('./fixtures/story.js').Story} story */
function failuresIn(story) {
  const raw = recordOf(story);
  const facts = factsOf(raw);
  const timeline = timelineOf(raw, facts.window);
  return { series: failuresByTier(facts, buildLedger(facts), timeline), timeline };
}

test('in each second the tiers share its failures as they share those of the load, the unplaced ones among them', () => {
  const { series, timeline } = failuresIn({ kinds: { no_ports: { 3: 30 }, refused: { 4: 60 }, other: { 4: 10 } } });
  const at = (/** @type {number} */ second) => timeline.findIndex(({ t_s }) => t_s === second);
  const shares = (/** @type {number} */ second) =>
    Object.fromEntries(Object.entries(series).map(([tier, values]) => [tier, values[at(second)]]));
  assert.deepEqual(shares(3), { generator: 9, app: 18, unattributed: 3 });
  assert.deepEqual(shares(4), { generator: 21, app: 42, unattributed: 7 });
  assert.deepEqual(shares(5), { generator: 0, app: 0, unattributed: 0 });
  assert.deepEqual(shares(-1), { generator: null, app: null, unattributed: null });
});

test('a run without failures has no series of them', () => {
  assert.deepEqual(failuresIn({}).series, {});
});

test('every limited resource has its limit and its values on the seconds asked for', () => {
  const raw = recordOf({ balanced: true });
  raw.nodes['app-2'][8].pool.in_use = 50;
  raw.kernel.find(({ name, t }) => name === 'nginx' && t === FROM + 3).sockets = { inuse: 1000 };
  const limits = limitsOf(factsOf(raw), [2, 3, 99]);
  assert.deepEqual(
    limits.map(({ id, tier, limit, values }) => [id, tier, limit, values]),
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
  raw.database = [];
  raw.nodes = {};
  assert.deepEqual(limitsOf(factsOf(raw), [1]), []);
});

test('a node without a pool is limited by its event loop alone, and a store that is no MongoDB by no connections', () => {
  const idsIn = (/** @type {import('./read-raw.js').Raw} */ raw) => limitsOf(factsOf(raw), [1]).map(({ id }) => id);
  assert.deepEqual(idsIn(poolsRecord()), ['loop-app-1']);
  assert.deepEqual(idsIn(programRecord()), []);
});
