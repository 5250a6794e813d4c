import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shapes } from '../../k6/shapes.js';
import { measuredOf, overheadVerdict, ratioOf } from './overhead.js';

const shape = shapes.hold({});
/** 15 s of warm-up and pause, 33 s of load. */
const ENDED_MS = 48_000;
const counted = (/** @type {number} */ count) => ({ values: { count } });
/** @param {object} metrics @param {number} [testRunDurationMs] */
const summary = (metrics, testRunDurationMs = ENDED_MS) => ({ metrics, state: { testRunDurationMs } });
/** @param {number[]} pairs of ratios */
const blocksOf = (...pairs) =>
  pairs.map((ratio) => ({ plain: { good: 0, failed: 0, goodput_rps: 1000 }, lab: { good: 0, failed: 0, goodput_rps: 1000 * ratio } }));

test('the bare script and the lab’s count the same requests alike', () => {
  const failed = { values: { rate: 0.01, passes: 330, fails: 32_670 } };
  const plain = summary({
    http_reqs: counted(50_000),
    'http_reqs{scenario:load}': counted(33_000),
    'http_req_failed{scenario:load}': failed,
  });
  const lab = summary({
    http_reqs: counted(50_000),
    lab_latency_all: counted(33_000),
    lab_latency_ok: counted(32_670),
    lab_failed: counted(330),
  });
  assert.deepEqual(measuredOf(plain, shape), { good: 32_670, failed: 330, goodput_rps: 990 });
  assert.deepEqual(measuredOf(lab, shape), measuredOf(plain, shape));
});

test('a counter that k6 left out is none, and a late last answer makes the load longer', () => {
  assert.deepEqual(measuredOf(summary({ lab_latency_all: counted(66_000), lab_latency_ok: counted(66_000) }, ENDED_MS + 33_000), shape), {
    good: 66_000,
    failed: 0,
    goodput_rps: 1000,
  });
});

test('the ratio is the median of the blocks, in an interval where there are enough of them', () => {
  const eight = ratioOf(blocksOf(0.98, 0.97, 0.99, 0.96, 0.98, 0.97, 0.99, 1), 'lab', 'plain');
  assert.deepEqual([eight.median, eight.n], [0.98, 8]);
  assert.ok(Number(eight.low) >= 0.96 && Number(eight.low) < 0.98 && Number(eight.high) > 0.98 && Number(eight.high) <= 1);
  assert.deepEqual(ratioOf(blocksOf(0.9, 1), 'lab', 'plain'), { median: 0.95, low: null, high: null, n: 2 });
});

test('the verdict is the median’s, and says when the interval has both sides of what is wanted', () => {
  const verdict = (/** @type {number} */ median, /** @type {number | null} */ low, /** @type {number | null} */ high) =>
    overheadVerdict({ median, low, high, n: 8 });
  assert.equal(verdict(0.98, 0.97, 0.99), 'met (wanted: 0.97 or better)');
  assert.equal(verdict(0.97, null, null), 'met (wanted: 0.97 or better)');
  assert.equal(verdict(0.96, 0.95, 0.969), 'not met (wanted: 0.97 or better)');
  assert.equal(verdict(0.98, 0.96, 0.99), 'met, but the interval has both sides of it (wanted: 0.97 or better)');
});
