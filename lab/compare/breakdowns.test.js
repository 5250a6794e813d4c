import assert from 'node:assert/strict';
import { test } from 'node:test';
import { medianBreakdowns } from './breakdowns.js';

/** @type {(...values: (number | null)[]) => { breakdowns: import('../record/result.js').Breakdown[] }} */
const result = (...values) => ({
  breakdowns: [
    {
      title: 'By operation',
      caption: 'what to see',
      rows_label: 'operation',
      columns: [{ id: 'p95', label: 'p95', unit: 'ms' }],
      rows: values.map((value, index) => ({ name: `row ${index}`, values: [value] })),
    },
  ],
});

test('each figure is the median over the runs that have it', () => {
  const [table] = medianBreakdowns([result(10, 1), result(30, null), result(20, 3)]);
  assert.deepEqual(
    table.rows.map(({ name, values }) => [name, ...values]),
    [
      ['row 0', 20],
      ['row 1', 2],
    ],
  );
  assert.equal(table.title, 'By operation');
});

test('runs without tables, or no runs at all, have none', () => {
  assert.deepEqual(medianBreakdowns([{}, {}]), []);
  assert.deepEqual(medianBreakdowns([]), []);
});
