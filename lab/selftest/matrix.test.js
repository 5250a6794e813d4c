import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatMatrix } from './matrix.js';

/** @type {(title: string, expected: [string, string], found: [string, string], right: boolean) => import('./matrix.js').Verdict} */
const verdict = (title, expected, found, right) => ({
  id: title,
  title,
  expected: { tier: expected[0], cause: expected[1] },
  found: { tier: found[0], cause: found[1] },
  right,
  failures: 0,
  requests: 0,
  unattributed: 0,
});

test('each fault has a row, each diagnosis a column, and a mark says whether it is right', () => {
  const text = formatMatrix([
    verdict('nothing', ['none', 'none'], ['none', 'none'], true),
    verdict('a small pool', ['pool', 'pool-wait-timeout'], ['pool', 'pool-wait-timeout'], true),
    verdict('a slow node', ['app', 'upstream-timeout'], ['pool', 'pool-wait-timeout'], false),
  ]);
  assert.equal(
    text,
    [
      '| fault put in | expected | none | pool: pool-wait-timeout |',
      '| --- | --- | --- | --- |',
      '| nothing | none | ✓ |  |',
      '| a small pool | pool: pool-wait-timeout |  | ✓ |',
      '| a slow node | app: upstream-timeout |  | ✗ |',
    ].join('\n'),
  );
});

test('every row has as many cells as the header, and exactly one mark', () => {
  const rows = formatMatrix([
    verdict('one', ['app', 'app-error'], ['app', 'app-error'], true),
    verdict('two', ['app', 'saturated'], ['unattributed', 'unattributed'], false),
    verdict('three', ['none', 'none'], ['app', 'saturated'], false),
  ]).split('\n');
  const cells = rows.map((row) => row.split('|').length);
  assert.equal(new Set(cells).size, 1);
  for (const row of rows.slice(2)) assert.equal(row.match(/[✓✗]/g)?.length, 1);
});

test('without a verdict there is a header and nothing else', () => {
  assert.equal(formatMatrix([]), '| fault put in | expected |\n| --- | --- |');
});
