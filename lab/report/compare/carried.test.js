import assert from 'node:assert/strict';
import { test } from 'node:test';
import { comparisonFixture, emptyFixture } from '../fixtures/comparisons.js';
import { carryComparison, unfoldComparison } from './carried.js';
import { dotStrips } from './dots-drawing.js';
import { comparePanels } from './panels.js';

/** As a page hands it on. @param {import('../../record/comparison.js').Comparison} comparison */
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
