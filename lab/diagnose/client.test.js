import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clientOf } from './client.js';

const counter = (/** @type {number} */ count) => ({ type: 'counter', values: { count } });
const BEHAVIOUR = { timeout_ms: 3000, retries: 4, backoff_ms: 0, budget_percent: null, retry_after: false };
const METRICS = {
  lab_requests: counter(100),
  lab_finished: counter(160),
  lab_gave_up: counter(5),
  lab_latency_request_ok: { values: { count: 95, med: 12.3456, 'p(95)': 900, 'p(99)': 2000.006, max: 3100 } },
};

test('requests are what users wanted answered, attempts what was sent for them', () => {
  assert.deepEqual(clientOf({ manifest: { client: BEHAVIOUR }, summary: { metrics: METRICS } }), {
    ...BEHAVIOUR,
    requests: 100,
    gave_up: 5,
    attempts: 160,
    amplification: 1.6,
    latency_ms_ok: { p50: 12.35, p95: 900, p99: 2000.01, max: 3100 },
  });
});

test('without a behaviour of their own, or without a summary of k6, nothing is said', () => {
  assert.equal(clientOf({ manifest: {}, summary: { metrics: METRICS } }), null);
  assert.equal(clientOf({ manifest: { client: BEHAVIOUR }, summary: null }), null);
});
