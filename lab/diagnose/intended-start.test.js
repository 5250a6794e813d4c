import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lineOnTime, onTime, onTimeSummary, startDelay } from './intended-start.js';

test('the delay of the first arrival is that of the clock, and a closed load has none', () => {
  assert.equal(
    startDelay([
      { event: 'start', t: 1 },
      { event: 'first-arrival', late_ms: 39 },
    ]),
    39,
  );
  assert.equal(startDelay([{ event: 'start', t: 1 }]), 0);
});

test('it is taken off what users waited, and off no count and no time of k6’s own', () => {
  const metrics = { lab_latency_ok: { avg: 50, 'p(95)': 90, max: 30 }, lab_ok: { count: 60 }, http_req_duration: { avg: 11 } };
  assert.deepEqual(onTime(metrics, 39), { ...metrics, lab_latency_ok: { avg: 11, 'p(95)': 51, max: 0 } });
  assert.equal(onTime(metrics, 0), metrics);
  const summary = { state: { testRunDurationMs: 1 }, metrics: { lab_latency_all: { type: 'trend', values: { count: 7, med: 50 } } } };
  assert.deepEqual(onTimeSummary(summary, 39).metrics.lab_latency_all, { type: 'trend', values: { count: 7, med: 11 } });
  assert.equal(onTimeSummary(summary, 39).state, summary.state);
});

test('it is taken off each request of a line, whose end stays where it was; a further attempt waits for no arrival', () => {
  const line = { requests: [1_800_000_000_000, 0, 0, -390, 590, 5, -101, 0, 200, 5, 0], retried: [790, -1 - 790] };
  assert.deepEqual(lineOnTime(line, 39), { requests: [1_800_000_000_000, 0, 0, 0, 200, 5, -101, 0, 200, 5, 0], retried: [400, -1 - 400] });
  const further = { requests: [1_800_000_000_000, 0, -1, 0, 200, 5, 0] };
  assert.deepEqual(lineOnTime(further, 39), further);
  assert.equal(lineOnTime(line, 0), line);
});
