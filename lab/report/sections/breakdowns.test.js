import assert from 'node:assert/strict';
import { test } from 'node:test';
import { crudResult, failingResult, olderResult } from '../fixtures/results.js';
import { breakdownRows, breakdownsSection } from './breakdowns.js';

test('each breakdown is a table with its caption, in a frame that scrolls by itself', () => {
  const text = breakdownsSection(crudResult())?.text.replaceAll('\u00a0', ' ') ?? '';
  assert.match(text, /<h3>By operation<\/h3><p class="lead">A miss is a read/);
  assert.match(text, /<div class="scroll" tabindex="0" role="region" aria-label="By operation"><table>/);
  assert.match(text, /<th scope="col" class="text">operation<\/th><th scope="col" class="number">good answers<\/th>/);
});

test('figures are written as the unit of their column, and what is missing is a dash', () => {
  const rows = breakdownRows(crudResult().breakdowns[0]).map((row) => row.map((cell) => cell.replaceAll('\u00a0', ' ')));
  assert.deepEqual(
    [rows[0], rows.at(-1)],
    [
      ['read', '600', '19 ms', '40 ms', '50 ms', '0'],
      ['delete', '0', '–', '–', '–', '0'],
    ],
  );
});

test('a row that is shorter than the columns has dashes at its end', () => {
  const [table] = crudResult().breakdowns;
  assert.deepEqual(breakdownRows({ ...table, rows: [{ name: 'read', values: [] }] }), [['read', '–', '–', '–', '–', '–']]);
});

test('without breakdowns there is no section', () => {
  for (const result of [failingResult(), olderResult()]) assert.equal(breakdownsSection(result), null);
});
