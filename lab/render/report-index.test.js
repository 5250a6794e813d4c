import assert from 'node:assert/strict';
import { test } from 'node:test';
import { failingResult, healthyResult, invalidResult } from './fixtures/results.js';
import { renderIndex } from './report-index.js';

/** @type {(result: import('../define/result.js').Result) => import('./report-index.js').IndexRow} */
const rowOf = (result) => ({ ...result, href: `${result.run}/report.html` });

test('runs are listed newest first with links to their reports', () => {
  const page = renderIndex([failingResult(), invalidResult(), healthyResult()].map(rowOf));
  const links = [...page.matchAll(/<a href="([^"]+)"/g)].map(([, href]) => href);
  assert.deepEqual(links, [
    './2a/20260315T070000Z-0bad/report.html',
    './a/20260314T101500Z-77aa/report.html',
    './2a/20260314T092653Z-4f1c/report.html',
  ]);
});

test('a row says what ran, whether to trust it, and what came out', () => {
  const page = renderIndex([rowOf(invalidResult())]).replaceAll('\u00a0', ' ');
  for (const expected of [
    'two nodes behind Nginx',
    'ramp, fair, cut short',
    'INVALID',
    '704 rps',
    '582 rps',
    '1.01 s',
    '17.4 %',
    '2026-03-15 07:00 UTC',
    'lost at the load balancer',
  ]) {
    assert.ok(page.includes(expected), expected);
  }
});

test('what a run says is text, not markup', () => {
  const page = renderIndex([{ ...rowOf(healthyResult()), headline: '<img src=x onerror=alert(1)>', href: 'javascript:alert(1)' }]);
  assert.ok(!page.includes('<img'));
  assert.ok(page.includes('href="./javascript:alert(1)"'));
});

test('an empty list says how to fill it', () => {
  assert.match(renderIndex([]), /make run-a/);
});
