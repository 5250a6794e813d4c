import assert from 'node:assert/strict';
import { test } from 'node:test';
import { failingResult, healthyResult, invalidResult } from './fixtures/results.js';
import { judgedOf } from './fixtures/thresholds.js';
import { formatJUnit } from './junit.js';

const THRESHOLDS = 'throughput_rps>=1,failure_rate<0.1%,latency_ms_p95_ok<1';

/** @param {import('../record/result.js').Result} result @param {string} [text] */
const junitOf = (result, text = THRESHOLDS) =>
  formatJUnit({ suite: `doubletake ${result.architecture} ${result.load}`, result, judged: judgedOf(text, result) });

test('a threshold that is not met is a failure that says why, what happened and how to repeat it', () => {
  const result = failingResult();
  const text = junitOf(result);
  assert.ok(text.startsWith('<?xml version="1.0" encoding="UTF-8"?>\n<testsuites tests="3" failures="2" errors="0" skipped="0">'));
  assert.match(
    text,
    /<testsuite name="doubletake 2a smoke" timestamp="2026-[^"]*" time="[\d.]+" tests="3" failures="2" errors="0" skipped="0">/,
  );
  for (const [name, value] of Object.entries({
    run: result.run,
    architecture: '2a',
    load: 'smoke',
    budget: result.budget,
    seed: '1',
    command: result.command,
  }))
    assert.ok(text.includes(`<property name="${name}" value="${value}"/>`), name);
  assert.ok(text.includes(`<property name="validity" value="SUSPECT; ${result.validity.reasons[0]}"/>`));
  assert.ok(text.includes('<testcase classname="doubletake 2a smoke" name="throughput_rps>=1"/>'));
  const [, reason, details] =
    text.match(/<failure message="(expected failure_rate [^"]*)" type="threshold not met"><!\[CDATA\[(.*?)\]\]>/s) ?? [];
  assert.match(reason, /^expected failure_rate &lt; 0\.001; found 0\.\d+$/);
  assert.ok(details.endsWith(`\n${result.headline}\nRepeat it with: ${result.command}`));
});

test('a threshold that is met is a test case that passes', () => {
  const text = junitOf(healthyResult(), 'failure_rate<0.001');
  assert.match(text, /<testsuite [^>]*tests="1" failures="0" errors="0"/);
  assert.match(text, /<testcase classname="doubletake a crowd" name="failure_rate&lt;0.001"\/>/);
});

test('of an INVALID run every threshold is an error with its reasons, and none a failure', () => {
  const text = junitOf(invalidResult());
  assert.match(text, /<testsuite [^>]*tests="3" failures="0" errors="3"/);
  assert.equal(text.match(/<error message="[^"]*the generator was at its CPU quota[^"]*" type="INVALID">/g)?.length, 3);
});

test('no text can break out of its place, nor bring in what XML does not take', () => {
  const result = failingResult();
  result.headline = ']]></failure><script/>]]> & more';
  result.command = 'make run-2a "SEED=1" <&>';
  result.validity.reasons = ['a bell \u0007, a colour \u001b[31m'];
  const text = junitOf(result);
  assert.ok(text.includes(']] ></failure><script/>]] > & more'));
  assert.ok(text.includes('value="make run-2a &quot;SEED=1&quot; &lt;&amp;>"'));
  assert.ok(!text.includes('\u0007') && !text.includes('\u001b'));
  assert.equal(text.match(/]]>/g)?.length, text.match(/<!\[CDATA\[/g)?.length);
});

test('writes that are gone are told whatever was asked for, with what would have kept them', () => {
  const gone = { count: 9, at_least: false, text: '9 acknowledged writes are gone.', to_do: ['mongo ended: write its journal first.'] };
  assert.match(
    junitOf({ ...healthyResult(), gone_writes: gone }),
    /<property name="gone_writes" value="9 acknowledged writes are gone\. mongo ended: write its journal first\."\/>/,
  );
  assert.doesNotMatch(junitOf(healthyResult()), /gone_writes/);
});

test('a threshold on writes that are gone is met by none and not by what is not known', () => {
  const judged = (/** @type {number | null} */ count) =>
    judgedOf('writes_lost<=0', { ...healthyResult(), gone_writes: { count, at_least: false, text: '', to_do: [] } })[0].verdict;
  assert.deepEqual([judged(0), judged(9), judged(null)], ['met', 'not met', 'not met']);
});
