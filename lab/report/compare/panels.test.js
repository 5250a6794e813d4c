import assert from 'node:assert/strict';
import { test } from 'node:test';
import { comparisonFixture } from '../fixtures/comparisons.js';
import { comparePanels } from './panels.js';

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
