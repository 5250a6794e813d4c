import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chartTable } from './chart-table.js';
import { failingResult, healthyResult } from './fixtures/results.js';
import { timelinePanels } from './panels.js';

test('a chart has a row for each second, with a cell for each of its lines', () => {
  for (const panel of timelinePanels(failingResult())) {
    const { heads, rows } = chartTable(panel);
    assert.deepEqual(heads, ['second', ...panel.series.map(({ label }) => label)]);
    assert.equal(rows.length, panel.t_s.length);
    for (const [index, row] of rows.entries()) {
      assert.equal(row.length, heads.length);
      assert.deepEqual(
        row.slice(1),
        panel.series.map(({ text }) => text(index)),
      );
    }
  }
});

test('a second in which nothing was measured is a dash', () => {
  const panel = timelinePanels(healthyResult()).find(({ id }) => id === 'cpu');
  assert.ok(panel);
  const { heads, rows } = chartTable(panel);
  assert.ok(rows.every((row) => row[heads.indexOf('mongo')] === '–'));
});
