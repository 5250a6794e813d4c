import assert from 'node:assert/strict';
import { test } from 'node:test';
import { factsOf, recordOf } from '../fixtures/record.js';
import { placeAll } from '../ledger/ledger.js';
import { failuresByTier } from './series.js';
import { timelineOf } from './timeline.js';

/** @param {import('../fixtures/story.js').Story} story */
function failuresIn(story) {
  const raw = recordOf(story);
  const facts = factsOf(raw);
  const timeline = timelineOf(raw, facts.window);
  const series = failuresByTier(placeAll(facts), facts.window, timeline);
  const at = (/** @type {number} */ second) => timeline.findIndex(({ t_s }) => t_s === second);
  return {
    series,
    timeline,
    in: (/** @type {number} */ second) => Object.fromEntries(Object.entries(series).map(([tier, values]) => [tier, values[at(second)]])),
  };
}

test('each failure is drawn at its own tier in the second that it ended, the unplaced ones among them', () => {
  const found = failuresIn({ kinds: { no_ports: { 3: 30 }, refused: { 4: 60 }, other: { 4: 10 } } });
  assert.deepEqual(found.in(3), { generator: 30, app: 0, unattributed: 0 });
  assert.deepEqual(found.in(4), { generator: 0, app: 60, unattributed: 10 });
  assert.deepEqual(found.in(5), { generator: 0, app: 0, unattributed: 0 });
});

test('of the warm-up nothing is said', () => {
  assert.deepEqual(failuresIn({ kinds: { no_ports: { 3: 30 } } }).in(-1), { generator: null });
});

test("what ended after the timeline's last second is drawn in it", () => {
  const raw = recordOf({ kinds: { no_ports: { 10: 7 } } });
  const facts = factsOf(raw);
  const timeline = timelineOf(raw, facts.window).filter(({ t_s }) => t_s <= 8);
  const { generator } = failuresByTier(placeAll(facts), facts.window, timeline);
  assert.equal(generator.at(-1), 7);
});

test('a run without failures has no series of them', () => {
  assert.deepEqual(failuresIn({}).series, {});
});
