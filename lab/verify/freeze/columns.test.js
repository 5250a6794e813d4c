import assert from 'node:assert/strict';
import { test } from 'node:test';
import { packRows, unpackRows } from './columns.js';

/** @param {any[]} rows  as they are after they were stored */
const there = (rows) => unpackRows(JSON.parse(JSON.stringify(packRows(rows))));

/** @type {Record<string, any[]>} */
const ROWS = {
  'nothing at all': [],
  'rows of two services by turns': [
    { name: 'a', t: 1795782646.498, cpu_s: 0.168362377, limit: null },
    { name: 'b', t: 1795782646.498, cpu_s: 0.5, limit: null },
    { name: 'a', t: 1795782647.5, cpu_s: 0.2, limit: 4 },
  ],
  'lists that begin with a kind': [
    ['call', 1, 100, null, 'GET'],
    ['service', { name: 'a' }],
    ['call', 1, 180, 190, 'GET'],
    ['call', 2, 185, null, 'PUT', 3],
  ],
  'lists of several lengths, and lists in them': [
    { failed: [['1-1', 5]] },
    { failed: [] },
    {
      failed: [
        ['1-2', 6],
        ['1-3', 7, 'x'],
      ],
    },
  ],
  'records that have other fields': [{ answered: {} }, { answered: { 200: 4 } }, { answered: { 200: 5, 500: 1 } }],
  'numbers that no power of ten makes whole': [0.1 + 0.2, 1e300, -5, 1 / 3],
  'large numbers beside small ones': [9_007_199_254_740_991, 0.001, 2],
  'texts, booleans and nothing': ['a', true, null, false, ''],
};

for (const [what, rows] of Object.entries(ROWS)) test(`${what} come out as they went in`, () => assert.deepEqual(there(rows), rows));

test('a clock that goes on takes a few letters a row', () => {
  const rows = Array.from({ length: 1000 }, (_, index) => ({ t: 1795782646.498 + index / 1000, began: 0 })).map(({ t }) => ({
    t: Number(t.toFixed(3)),
    again: Number(t.toFixed(3)),
  }));
  assert.ok(JSON.stringify(packRows(rows)).length < rows.length * 5);
});
