import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runOf } from '../../diagnose/fixtures/experiment-runs.js';
import { overStages, stageKey, wholeLoad } from './readings.js';

/** @type {(from_s: number, to_s: number, figures: Partial<import('../../record/result.js').Stage>) => any} */
const stage = (from_s, to_s, figures) => ({ from_s, to_s, target: to_s, unit: 'users', ...figures });
const STAGES = [
  stage(0, 10, { throughput_rps: 100, goodput_rps: 100, failure_rate: 0, latency_ms_p95_ok: 50 }),
  stage(10, 40, { throughput_rps: 400, goodput_rps: 200, failure_rate: 0.5, latency_ms_p95_ok: 100 }),
  stage(40, 50, { throughput_rps: 900, goodput_rps: 0, failure_rate: 1, latency_ms_p95_ok: null }),
];

function staged() {
  const run = runOf('2a', 1);
  run.result.stages = STAGES;
  return run;
}

test('rates are weighted by seconds, the failure rate by requests, percentiles by good answers', () => {
  const { metric } = overStages(STAGES.slice(0, 2).map(stageKey));
  assert.equal(metric(staged(), 'goodput_rps'), (100 * 10 + 200 * 30) / 40);
  assert.equal(metric(staged(), 'throughput_rps'), (100 * 10 + 400 * 30) / 40);
  assert.equal(metric(staged(), 'failure_rate'), (0.5 * 400 * 30) / (100 * 10 + 400 * 30));
  assert.equal(metric(staged(), 'latency_ms_p95_ok'), (50 * 1000 + 100 * 6000) / 7000);
});

test('a stage without good answers weighs nothing, and what no stage has is null', () => {
  assert.equal(overStages([stageKey(STAGES[2])]).metric(staged(), 'latency_ms_p95_ok'), null);
  assert.equal(overStages(['0-10']).metric(staged(), 'database_spread'), null);
  assert.equal(overStages(['0-10']).share(staged(), ['pool']), null);
});

test('the share of failures on a tier is of those placed in the seconds of the stages, and only where they were placed in seconds', () => {
  const run = staged();
  run.result.timeline = /** @type {any} */ ([5, 20, 45].map((t) => ({ t_s: t })));
  run.result.series = /** @type {any} */ ({ failures_by_tier: { pool: [0, 30, 0], 'load-balancer': [0, 10, 500] } });
  const share = () => overStages(['0-10', '10-40']).share(run, ['pool', 'database']);
  Object.assign(run.result, { schema: 1 });
  assert.equal(share(), null);
  Object.assign(run.result, { schema: 2 });
  assert.equal(share(), 0.75);
});

test('over the whole load a run has its own metrics, and a share only where something failed', () => {
  const run = runOf('2a', 1, { failed: 0.2, tier: 'pool' });
  assert.equal(wholeLoad.metric(run, 'failure_rate'), run.result.metrics.failure_rate);
  assert.equal(wholeLoad.share(run, ['pool']), 1);
  assert.equal(wholeLoad.share(runOf('2a', 1), ['pool']), null);
});
