import assert from 'node:assert/strict';
import { test } from 'node:test';
import { comparisonFixture, emptyFixture } from '../fixtures/comparisons.js';
import { figure } from '../format.js';
import { carryComparison, comparePanels, dotStrips, placesBetween, ticksBetween, unfoldComparison } from './arms.js';

test('ticks are round, few, and never outside of what was measured', () => {
  assert.deepEqual(ticksBetween(734, 1050), [800, 900, 1000]);
  assert.deepEqual(ticksBetween(0, 0.2), [0, 0.05, 0.1, 0.15, 0.2]);
  assert.deepEqual(ticksBetween(0.1, 0.3), [0.1, 0.15, 0.2, 0.25, 0.3]);
  for (const [low, high] of [
    [1.31, 1.72],
    [3, 2980],
    [-0.2, 0.19],
  ]) {
    const ticks = ticksBetween(low, high);
    assert.ok(ticks.length >= 2 && ticks.length <= 5, String(ticks));
    assert.ok(ticks.every((tick) => tick >= low && tick <= high));
  }
});

test('no two ticks read the same, and each is where it says', () => {
  for (const [low, high] of [
    [101.9, 102.6],
    [98.36, 98.53],
    [0.9812, 0.9861],
    [2501, 2539],
    [102.1, 102.4],
    [-0.2, 0.19],
  ]) {
    const ticks = ticksBetween(low, high, 3);
    const texts = ticks.map(figure);
    assert.equal(new Set(texts).size, ticks.length, texts.join(' '));
    if (ticks.length > 1) for (const tick of ticks) assert.equal(Number(tick.toPrecision(3)), tick);
  }
  assert.deepEqual(ticksBetween(98.36, 98.53, 3), [98.4, 98.5]);
  assert.deepEqual(ticksBetween(101.9, 102.6, 3), [102]);
});

test('a single value stands in the middle, with itself as its tick', () => {
  assert.deepEqual(ticksBetween(0, 0), [0]);
  assert.equal(placesBetween(0, 0)(0), '50%');
});

test('values keep their order and a margin', () => {
  const place = placesBetween(10, 20);
  assert.deepEqual([10, 15, 20].map(place), ['9%', '50%', '91%']);
});

test('both arms stand on the same seconds, and what one of them did not reach is missing', () => {
  const { base, other } = comparisonFixture();
  const panels = comparePanels({
    base: { ...base, timeline: base.timeline.slice(1) },
    other: { ...other, timeline: other.timeline.slice(0, -1) },
  });
  for (const { t_s: seconds, series } of panels) {
    assert.deepEqual(
      seconds,
      base.timeline.map(({ t_s: t }) => t),
    );
    for (const { values, range } of series) assert.deepEqual([values.length, range?.low.length, range?.high.length], [82, 82, 82]);
    assert.equal(series[0].values[0], null);
    assert.equal(series[0].text(0), '–');
    assert.equal(series[1].values[81], null);
  }
});

test('a second is said with its median and both ends, and the ends only where they differ', () => {
  const { base, other } = comparisonFixture();
  const [row] = base.timeline;
  const range = { median: 932, low: 918, high: 944 };
  const even = { median: 5, low: 5, high: 5 };
  const panels = comparePanels({ base: { ...base, timeline: [{ ...row, goodput_rps: range, vus: even }] }, other });
  const said = (/** @type {string} */ id) =>
    panels
      .find((panel) => panel.id === id)
      ?.series[0].text(0)
      .replaceAll('\u00a0', ' ');
  assert.equal(said('goodput_rps'), '932 rps (918 to 944 rps)');
  assert.equal(said('vus'), '5');
});

test('the two arms differ in stroke as well as in colour', () => {
  for (const { series } of comparePanels(comparisonFixture())) {
    assert.equal(new Set(series.map(({ stroke }) => stroke)).size, 2);
    assert.equal(new Set(series.map(({ colour }) => colour)).size, 2);
  }
});

/** As a page hands it on. @param {import('../../record/types.js').Comparison} comparison */
const carried = (comparison) => JSON.stringify(carryComparison(comparison));

test('what a page carries draws what the comparison draws', () => {
  for (const comparison of [comparisonFixture(), emptyFixture()]) {
    const drawn = unfoldComparison(JSON.parse(carried(comparison)));
    for (const side of /** @type {const} */ (['base', 'other'])) assert.deepEqual(drawn[side].timeline, comparison[side].timeline);
    assert.equal(JSON.stringify(comparePanels(drawn)), JSON.stringify(comparePanels(comparison)));
    assert.equal(String(dotStrips(drawn)), String(dotStrips(comparison)));
  }
});

test('it carries no name of a figure for each second', () => {
  const comparison = comparisonFixture();
  assert.ok(comparison.base.timeline.length > 2);
  assert.equal(carried(comparison).split('"low"').length - 1, 8);
});
