import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EXIT } from '../base/errors.js';
import { readExpect } from '../options/expect.js';
import { exitCodeOf, judgeExpectations } from './expectations.js';

/** @typedef {import('../record/types.js').Result} Result */

/**
 * As much of a result as thresholds read: 1,000 requests.
 * @param {{ failures?: number, p95?: number | null, verdict?: 'VALID' | 'SUSPECT' | 'INVALID', goodput?: number }} [what]
 */
function resultWith({ failures = 0, p95 = 500, verdict = 'VALID', goodput = 100 } = {}) {
  const percentiles = { p50: p95, p95, p99: p95, max: p95 };
  const metrics = { requests: 1000, throughput_rps: 100, goodput_rps: goodput, failures, failure_rate: failures / 1000 };
  const resources = { 'app-1': { tier: 'app', cpu_cores: { mean: null, max: null } } };
  const validity = { verdict, reasons: verdict === 'VALID' ? [] : ['a reason'] };
  return /** @type {Result} */ (
    /** @type {unknown} */ ({ validity, metrics: { ...metrics, latency_ms: { all: percentiles, ok: percentiles } }, resources })
  );
}

/** @type {(text: string, result: Result) => import('./expectations.js').Judged} */
const judgedOne = (text, result) => judgeExpectations(readExpect(text), result)[0];

test('each operator decides on its limit as it is written', () => {
  const outcomes = { 'goodput_rps<100': false, 'goodput_rps<=100': true, 'goodput_rps>100': false, 'goodput_rps>=100': true };
  for (const [text, met] of Object.entries(outcomes)) assert.equal(judgedOne(text, resultWith()).met, met, text);
  assert.equal(judgedOne('goodput_rps<100.01', resultWith()).met, true);
  assert.equal(judgedOne('goodput_rps>99.99', resultWith()).met, true);
});

test('thresholds are judged one by one, in their order', () => {
  const judged = judgeExpectations(readExpect('failure_rate<0.01,goodput_rps>200'), resultWith());
  assert.deepEqual(judged, [
    {
      text: 'failure_rate<0.01',
      metric: 'failure_rate',
      found: 0,
      met: true,
      verdict: 'met',
      reason: 'expected failure_rate < 0.01; found 0',
    },
    {
      text: 'goodput_rps>200',
      metric: 'goodput_rps',
      found: 100,
      met: false,
      verdict: 'not met',
      reason: 'expected goodput_rps > 200 rps; found 100 rps',
    },
  ]);
});

test('what could not be measured is not met, whichever way the threshold points', () => {
  for (const text of ['cpu_ms_per_good<5', 'cpu_ms_per_good>=0', 'latency_ms_p95_ok<5', 'latency_ms_p95_ok>=0']) {
    const { found, met, verdict, reason } = judgedOne(text, resultWith({ p95: null }));
    assert.deepEqual({ found, met, verdict }, { found: null, met: false, verdict: 'not met' });
    assert.match(reason, /could not be measured/);
  }
  assert.equal(judgedOne('goodput_rps>=0', resultWith({ goodput: Number.NaN })).met, false);
});

test('a run that is INVALID meets nothing, and is not judged', () => {
  const { found, met, verdict, reason } = judgedOne('failure_rate<0.5', resultWith({ verdict: 'INVALID' }));
  assert.deepEqual({ found, met, verdict }, { found: null, met: false, verdict: 'not judged' });
  assert.match(reason, /INVALID/);
});

test('a run that is SUSPECT is judged', () => {
  assert.equal(judgedOne('failure_rate<0.5', resultWith({ verdict: 'SUSPECT' })).verdict, 'met');
});

test('a latency of successes never stands without the share that failed, met or not', () => {
  for (const [text, met] of /** @type {[string, boolean][]} */ ([
    ['latency_ms_p95_ok<800', true],
    ['latency_ms_p50_ok<300', false],
  ])) {
    const judged = judgedOne(text, resultWith({ failures: 177 }));
    assert.equal(judged.met, met);
    assert.match(judged.reason, /found 500 ms over good answers alone, while 17\.7 % of the requests failed$/);
  }
  assert.match(judgedOne('latency_ms_p99_ok<800', resultWith()).reason, /found 500 ms over all requests, for none failed$/);
  assert.doesNotMatch(judgedOne('latency_ms_p95_all<800', resultWith({ failures: 177 })).reason, /failed/);
});

test('a share of failures too small to write is not called none', () => {
  const result = resultWith({ failures: 1 });
  result.metrics.failure_rate = 1 / 1e6;
  assert.match(judgedOne('latency_ms_p95_ok<800', result).reason, /while < 0\.01 % of the requests failed/);
});

test('a figure is short, but never looks as if it were on the other side of its limit', () => {
  const result = resultWith({ failures: 1 });
  result.metrics.failure_rate = 1 / 3;
  assert.match(judgedOne('failure_rate<0.1', result).reason, /found 0\.3333$/);
  result.metrics.failure_rate = 0.001000001;
  assert.match(judgedOne('failure_rate<=0.001', result).reason, /found 0\.001000001$/);
  result.metrics.failure_rate = 0.1 + 0.2;
  assert.match(judgedOne('failure_rate<=0.3', result).reason, /found 0\.30000000000000004$/);
});

test('the exit code tells an INVALID run from a threshold that is not met, and that from a run that is done', () => {
  const codeOf = (/** @type {string} */ text, /** @type {Result} */ result) =>
    exitCodeOf(result, judgeExpectations(readExpect(text), result));
  assert.equal(codeOf('', resultWith()), EXIT.done);
  assert.equal(codeOf('goodput_rps>1,failure_rate<0.1', resultWith()), EXIT.done);
  assert.equal(codeOf('goodput_rps>1,failure_rate<0.1', resultWith({ failures: 500 })), EXIT.thresholdNotMet);
  assert.equal(codeOf('goodput_rps>1', resultWith({ verdict: 'INVALID' })), EXIT.invalidRun);
  assert.equal(codeOf('', resultWith({ verdict: 'INVALID' })), EXIT.invalidRun);
  assert.equal(codeOf('goodput_rps>1', resultWith({ verdict: 'SUSPECT' })), EXIT.done);
});
