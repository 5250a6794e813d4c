import assert from 'node:assert/strict';
import { test } from 'node:test';
import { failingResult, olderResult } from '../fixtures/results.js';
import { formatRunMarkdown } from '../run-markdown.js';
import { formatSummary } from '../terminal.js';
import { putFaultsSection } from './put-faults.js';

/** @type {import('../../record/result.js').FaultEffect} */
const PAUSED = {
  text: 'pause <mongo>@4s+2s',
  began_s: 4.01,
  ended_s: 6.02,
  failed: null,
  before: { seconds: 4, goodput_rps: 300, failure_rate: 0 },
  during: { goodput_rps: 12.5, failure_rate: 0.2 },
  recovered_after_s: 1.5,
  watched_after_s: 6,
  metastable: false,
  loop: null,
  later_rps: null,
};

test('a run without faults, and one from before there were any, has no such section', () => {
  assert.equal(putFaultsSection(failingResult()), null);
  assert.equal(putFaultsSection(olderResult()), null);
});

test('each fault has its mark, its text escaped, and what it did', () => {
  const result = { ...failingResult(), faults: [PAUSED] };
  const text = String(putFaultsSection(result)?.text).replaceAll('\u00a0', ' ');
  assert.match(text, /<b>F1<\/b> <code>pause &lt;mongo&gt;@4s\+2s<\/code>/);
  for (const said of ['300 rps', '12.5 rps', '20 %', 'after 1.5 s', 'seconds 4.01 to 6.02']) assert.ok(text.includes(said), said);
  for (const page of [formatSummary(result, 'report.html'), formatRunMarkdown({ result, judged: [] })])
    assert.match(page.replaceAll('\u00a0', ' '), /12\.5 rps while it was there, 20 % failed; as before: after 1\.5 s/);
});
