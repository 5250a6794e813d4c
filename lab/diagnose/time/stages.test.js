import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stagesOf } from './stages.js';

/** @type {import('../../../k6/lib/shapes.js').Shape} */
const shape = {
  title: 'steps',
  model: 'closed',
  unit: 'users',
  warmup_s: 1,
  stages: [
    { duration_s: 2, target: 10 },
    { duration_s: 3, target: 10, held: true },
  ],
};

/** @type {(t_s: number, values?: object) => import('../../record/types.js').TimelineRow} */
const row = (t_s, values = {}) =>
  /** @type {any} */ ({
    t_s,
    throughput_rps: 100,
    goodput_rps: 90,
    failures_per_s: 10,
    latency_ms_p50_ok: 5,
    latency_ms_p95_ok: 8,
    latency_ms_p99_ok: 9,
    ...values,
  });

test('a stage is read from its own seconds, its last one included', () => {
  const timeline = [row(0, { throughput_rps: 999 }), row(1), row(2, { throughput_rps: 300, failures_per_s: 70 }), row(3), row(4), row(5)];
  const [first, second] = stagesOf(shape, timeline, { k6: [9, 0.2, 0.4, 0.6, null, 1] });
  assert.deepEqual(first, {
    from_s: 0,
    to_s: 2,
    target: 10,
    unit: 'users',
    held: false,
    requests: null,
    throughput_rps: 200,
    goodput_rps: 90,
    failure_rate: 0.2,
    latency_ms_p50_ok: 5,
    latency_ms_p95_ok: 8,
    latency_ms_p99_ok: 9,
    cpu_share: { k6: 0.3 },
    cpu_ms_per_request: {},
    bound_rps: null,
  });
  assert.deepEqual([second.from_s, second.to_s, second.held, second.failure_rate, second.cpu_share.k6], [2, 5, true, 0.1, 0.8]);
});

test('where no single request is on record, a latency is the median of the stage’s seconds', () => {
  const timeline = [1, 2, 3, 4, 5].map((t_s) => row(t_s, t_s === 4 ? { latency_ms_p95_ok: 5000 } : {}));
  assert.equal(stagesOf(shape, timeline, {})[1].latency_ms_p95_ok, 8);
});

test('seconds without a reading are in no mean', () => {
  const timeline = [row(1), row(2, { throughput_rps: null, goodput_rps: null, failures_per_s: null })];
  assert.deepEqual(stagesOf(shape, timeline, {})[0].throughput_rps, 100);
});

test('a stage in which nothing was finished has no failure rate', () => {
  const timeline = [row(1, { throughput_rps: 0, failures_per_s: 0 }), row(2, { throughput_rps: null })];
  assert.equal(stagesOf(shape, timeline, {})[0].failure_rate, null);
});

test('a stage that the load did not reach is left out', () => {
  assert.deepEqual(
    stagesOf(shape, [row(1), row(2)], {}).map(({ to_s }) => to_s),
    [2],
  );
});

test('a stage has its own laws', () => {
  /** @type {(ms: number, boundRps: number) => import('../limits/laws.js').StageLaws} */
  const laws = (ms, boundRps) => ({ cpuMsPerRequest: { nginx: ms }, boundRps, boundBy: 'load', dearer: [] });
  const stages = stagesOf(shape, [row(1), row(3)], {}, { stages: [laws(1, 100), laws(2, 50)], boundRps: [], calmest: 0 });
  assert.deepEqual(
    stages.map(({ cpu_ms_per_request: cost, bound_rps: bound }) => [cost.nginx, bound]),
    [
      [1, 100],
      [2, 50],
    ],
  );
});

/** @type {(requests: number, failures: number, endedIn: number) => import('../../record/percentile.js').StageRequests} */
const reported = (requests, failures, endedIn) => ({
  requests,
  failures,
  ended_in: endedIn,
  good_in: endedIn - failures,
  latency_ms_ok: { p50: 6, p95: 80, p99: 90 },
});

test('a stage has the percentiles, the failures and the rates of its own requests, and no median over its seconds', () => {
  const timeline = [row(1), row(2), row(3), row(4), row(5), row(6)];
  const [first, second] = stagesOf(shape, timeline, {}, undefined, { byStage: [reported(200, 20, 200), reported(330, 30, 300)] });
  assert.deepEqual([first.requests, first.throughput_rps, first.goodput_rps, first.failure_rate], [200, 100, 90, 0.1]);
  assert.deepEqual([first.latency_ms_p50_ok, first.latency_ms_p95_ok, first.latency_ms_p99_ok], [6, 80, 90]);
  // Thirty of the last stage ended after it: they are its requests, and in no rate.
  assert.deepEqual([second.requests, second.throughput_rps, second.failure_rate], [330, 100, 0.09091]);
});

test('of a load that ended early the last stage ends with it, and its rate is over the time that it took', () => {
  const timeline = [row(1), row(2), row(3)];
  const [, second] = stagesOf(shape, timeline, {}, undefined, { byStage: [reported(200, 0, 200), reported(50, 0, 50)], took: 2.5 });
  assert.deepEqual([second.to_s, second.throughput_rps], [3, 100]);
  const rest = stagesOf(shape, timeline.slice(0, 2), {}, undefined, { byStage: [reported(200, 0, 200), reported(0, 0, 0)], took: 1.9 });
  assert.deepEqual(
    rest.map(({ to_s }) => to_s),
    [2],
  );
});

test('what a queue accepted is not what was done, so that goodput stays the timeline’s', () => {
  const [first] = stagesOf(shape, [row(1), row(2)], {}, undefined, { byStage: [reported(200, 0, 200), reported(0, 0, 0)], isQueued: true });
  assert.deepEqual([first.throughput_rps, first.goodput_rps], [100, 90]);
});
