import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { failingResult, healthyResult, invalidResult } from './fixtures/results.js';
import { judgedOf } from './fixtures/thresholds.js';
import { formatJUnit } from './junit.js';

const THRESHOLDS = 'throughput_rps>=700,failure_rate<0.1%,latency_ms_p95_ok<800';

/** @param {import('../define/result.js').Result} result @param {string} [text] */
const junitOf = (result, text = THRESHOLDS) =>
  formatJUnit({ suite: `doubletake ${result.architecture} ${result.load}`, result, judged: judgedOf(text, result) });

test('a run with met and unmet thresholds reads as it did', () => {
  assert.equal(`${junitOf(failingResult())}\n`, readFileSync(new URL('fixtures/expect-2a.junit.xml', import.meta.url), 'utf8'));
});

test('a threshold that is met is a test case that passes', () => {
  const text = junitOf(healthyResult(), 'failure_rate<0.001');
  assert.match(text, /<testsuite [^>]*tests="1" failures="0" errors="0"/);
  assert.match(text, /<testcase classname="doubletake a ramp" name="failure_rate&lt;0.001"\/>/);
});

test('of an INVALID run every threshold is an error with its reasons, and none a failure', () => {
  const text = junitOf(invalidResult());
  assert.match(text, /<testsuite [^>]*tests="3" failures="0" errors="3"/);
  assert.equal(text.match(/<error message="[^"]*The generator used all of its CPU quota[^"]*" type="INVALID">/g)?.length, 3);
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
