import assert from 'node:assert/strict';
import { test } from 'node:test';
import { crudResult, failingResult, healthyResult, invalidResult, olderResult, programResult } from './fixtures/results.js';
import { judgedOf } from './fixtures/thresholds.js';
import { FORMATS } from './format.js';
import { formatSummary } from './terminal.js';
import { wireNotes } from './wire-rows.js';

/** @param {import('../record/result.js').Result} result @param {string} text */
const linesOf = (result, text) =>
  formatSummary(result, 'reports/2a/x/report.html', judgedOf(text, result)).replaceAll('\u00a0', ' ').split('\n');

test('a summary says what happened, with what doubts, and where the report is', () => {
  const result = failingResult();
  const text = (/** @type {'rps' | 'share' | 'ms'} */ unit, /** @type {number | null} */ value) =>
    FORMATS[unit](value).replaceAll('\u00a0', ' ');
  const { throughput_rps: throughput, goodput_rps: goodput, failure_rate: rate, latency_ms: latency } = result.metrics;
  assert.deepEqual(linesOf(result, ''), [
    '',
    `  SUSPECT: ${result.validity.reasons[0]}`,
    `  ${result.headline}`,
    '',
    `  throughput ${text('rps', throughput)}, goodput ${text('rps', goodput)}, failed ${text('share', rate)}`,
    `  p95 of all ${text('ms', latency.all.p95)}, p95 of good answers ${text('ms', latency.ok.p95)}`,
    ...result.try_next.map(({ command, why }) => `  next: ${command}  (${why})`),
    '',
    '  report: reports/2a/x/report.html',
    '',
  ]);
});

test('what the wire and doubletake.yaml say differently has a line each', () => {
  const differs = ['seen on the wire, not in doubletake.yaml: api asks cache, 9 calls', 'no request waits for worker'];
  const wire = { edges: [], no_host: [], networks: [], doubts: [] };
  const notes = (/** @type {import('../record/result.js').Wire} */ own) =>
    linesOf({ ...failingResult(), wire: own }, '').filter((line) => line.startsWith('  note: '));
  assert.deepEqual(
    notes({ ...wire, differs }),
    differs.map((text) => `  note: ${text}`),
  );
  assert.deepEqual(notes(wire), [], 'a result from before has none');
  assert.deepEqual(wireNotes({ ...wire, differs }), differs, 'on the page and in Markdown');
});

test('each threshold has a line that says whether it is met, and why', () => {
  const lines = linesOf(failingResult(), 'throughput_rps>=1,failure_rate<0.001');
  assert.ok(
    lines.some((line) => /^ {2}met: throughput_rps>=1 {2}\(expected throughput_rps >= 1 rps; found [\d.]+ rps\)$/.test(line)),
    lines.join('\n'),
  );
  assert.ok(
    lines.some((line) => /^ {2}not met: failure_rate<0\.001 {2}\(expected failure_rate < 0\.001; found 0\.\d+\)$/.test(line)),
    lines.join('\n'),
  );
});

test('a load that ended before its time says when and why', () => {
  const text = 'The load ended after 19.1 s of at most 60 s: all its iterations were done.';
  const lines = linesOf({ ...healthyResult(), load_end: { after_s: 19.1, most_s: 60, text } }, '');
  assert.ok(lines.includes(`  ${text}`), lines.join('\n'));
});

test('an INVALID run judges no threshold', () => {
  const lines = linesOf(invalidResult(), 'throughput_rps>=700');
  assert.ok(lines.includes('  not judged: throughput_rps>=700  (the run is INVALID, so its figures decide nothing)'), lines.join('\n'));
});

test('without doubts and thresholds there is no word of them', () => {
  assert.doesNotMatch(linesOf(healthyResult(), '').join('\n'), /VALID|SUSPECT|met/);
});

test("the scenario's own figures have a line, and a program has none of latency", () => {
  assert.match(linesOf(crudResult(), '').join('\n'), /\n {2}p95 of reads 40 ms, .*journal written 2 MB\/s\n/);
  assert.doesNotMatch(linesOf(programResult(), '').join('\n'), /p95|–/);
  assert.deepEqual(linesOf(olderResult(), ''), linesOf(failingResult(), ''));
});

test('what would have kept writes that are gone has a line of its own', () => {
  const gone = { count: 9, at_least: false, text: '', to_do: ['mongo ended: write its journal first.'] };
  assert.match(
    formatSummary({ ...healthyResult(), gone_writes: gone }, 'x'),
    /\n {2}so that no write is gone: mongo ended: write its journal first\.\n/,
  );
});
