import assert from 'node:assert/strict';
import { test } from 'node:test';
import { factsOf, recordOf } from './fixtures/record.js';
import { buildLedger } from './ledger/ledger.js';
import { failuresByTier } from './series.js';
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
