import assert from 'node:assert/strict';
import { test } from 'node:test';
import { metrics } from '../../catalog/metrics.js';
import { graded, NEVER, seconds } from '../../diagnose/validity/grade.js';
import { isDoubtful } from './touches.js';

const GAP = graded('observers', 3.4, { suspect: 3, invalid: NEVER }, `the observers have a gap of ${seconds(3.4)}`, seconds)[0].reason;
const UNLISTED = 'app-1 received 0.1 % of its requests without a line in its log; the limit is 0.1 %';
const STOLEN = "other machines on the same hardware took 3.6 % of this one's CPU time; the limit is 1 %";

/** @type {(reasons: string[], metric: string | null, verdict?: string) => boolean} */
const doubtful = (reasons, metric, verdict = 'SUSPECT') =>
  isDoubtful(/** @type {any} */ ({ result: { validity: { verdict, reasons } } }), metric);

test('late observers and missing log lines move nothing that k6 counted or timed', () => {
  for (const metric of ['failure_rate', 'throughput_rps', 'latency_ms_p95_ok', 'latency_ms_p2_5_ok', 'failed_user_time_share'])
    for (const reasons of [[GAP], [UNLISTED], [GAP, UNLISTED]]) assert.ok(!doubtful(reasons, metric), `${metric}: ${reasons}`);
});

test('they move what the lab read beside it, and what a queue has done', () => {
  for (const metric of ['goodput_rps', 'cpu_ms_per_good', 'batch_size_mean', null]) assert.ok(doubtful([GAP], metric), String(metric));
});

test('any other doubt counts for every figure, and one that gives no reason too', () => {
  for (const { id } of metrics) assert.ok(doubtful([STOLEN], id) && doubtful([GAP, STOLEN], id) && doubtful([], id), id);
  assert.ok(!doubtful([STOLEN], 'failure_rate', 'VALID'));
});
