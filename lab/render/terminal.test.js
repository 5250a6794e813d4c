import assert from 'node:assert/strict';
import { test } from 'node:test';
import { crudResult, failingResult, healthyResult, invalidResult, olderResult, programResult } from './fixtures/results.js';
import { judgedOf } from './fixtures/thresholds.js';
import { formatSummary } from './terminal.js';

/** @param {import('../define/result.js').Result} result @param {string} text */
const linesOf = (result, text) =>
  formatSummary(result, 'reports/2a/x/report.html', judgedOf(text, result)).replaceAll('\u00a0', ' ').split('\n');

test('a summary says what happened, with what doubts, and where the report is', () => {
  assert.deepEqual(linesOf(failingResult(), ''), [
    '',
    '  SUSPECT: 3 failures (0.03 %) could not be placed on a tier.; The clock of the load stopped for 1.2 s at 41 s.',
    `  ${failingResult().headline}`,
    '',
    '  throughput 704 rps, goodput 582 rps, failed 17.4 %',
    '  p95 of all 964 ms, p95 of good answers 1.01 s',
    '  next: make run-2a-tuned  (8,192 connections instead of 1,024, and connections to the nodes kept alive)',
    '',
    '  report: reports/2a/x/report.html',
    '',
  ]);
});

test('each threshold has a line that says whether it is met, and why', () => {
  const lines = linesOf(failingResult(), 'throughput_rps>=700,failure_rate<0.001');
  assert.ok(lines.includes('  met: throughput_rps>=700  (expected throughput_rps >= 700 rps; found 704 rps)'), lines.join('\n'));
  assert.ok(lines.includes('  not met: failure_rate<0.001  (expected failure_rate < 0.001; found 0.174)'), lines.join('\n'));
});

test('an INVALID run judges no threshold', () => {
  const lines = linesOf(invalidResult(), 'throughput_rps>=700');
  assert.ok(lines.includes('  not judged: throughput_rps>=700  (the run is INVALID, so its figures decide nothing)'), lines.join('\n'));
});

test('without doubts and thresholds there is no word of them', () => {
  assert.doesNotMatch(linesOf(healthyResult(), '').join('\n'), /VALID|SUSPECT|met/);
});

test("the scenario's own figures have a line, and a program has none of latency", () => {
  assert.match(linesOf(crudResult(), '').join('\n'), /\n {2}p95 of reads 41\.2 ms, .*journal written 0\.166 MB\/s\n/);
  assert.doesNotMatch(linesOf(programResult(), '').join('\n'), /p95|–/);
  assert.deepEqual(linesOf(olderResult(), ''), linesOf(failingResult(), ''));
});
