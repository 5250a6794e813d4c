import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shapes } from '../../../k6/lib/shapes.js';
import { RunFailedError } from '../../base/errors.js';
import {
  blockLine,
  measureBlock,
  measuredOf,
  measuredOfScript,
  orderOf,
  overheadVerdict,
  p95RatioOf,
  ratioLine,
  ratioOf,
  summaryOfExport,
} from './bench.js';

const shape = shapes.crowd({});
/** Warm-up, pause of 3 s, load of 10 s. */
const ENDED_MS = (shape.warmup_s + 3 + 10) * 1000;
const counted = (/** @type {number} */ count) => ({ values: { count } });
/** @param {object} metrics @param {number} [testRunDurationMs] */
const summary = (metrics, testRunDurationMs = ENDED_MS) => ({ metrics, state: { testRunDurationMs } });
/** @param {number[]} pairs of ratios */
const blocksOf = (...pairs) =>
  pairs.map((ratio) => ({
    plain: { good: 0, failed: 0, goodput_rps: 1000, p95_ms: 20 },
    lab: { good: 0, failed: 0, goodput_rps: 1000 * ratio, p95_ms: 20 / ratio },
  }));

test('the bare script and the lab’s count the same requests alike', () => {
  const failed = { values: { rate: 0.01, passes: 330, fails: 32_670 } };
  const plain = summary({
    http_reqs: counted(50_000),
    'http_reqs{scenario:load}': counted(33_000),
    'http_req_failed{scenario:load}': failed,
  });
  const lab = summary({
    http_reqs: counted(50_000),
    'http_req_duration{scenario:load}': counted(33_000),
    'http_req_duration{scenario:load,expected_response:true}': counted(32_670),
  });
  assert.deepEqual(measuredOf(plain, shape), { good: 32_670, failed: 330, goodput_rps: 3267, p95_ms: null });
  assert.deepEqual(measuredOf(lab, shape), measuredOf(plain, shape));
});

test('a load without a good answer has none, and a late last answer makes the load longer', () => {
  const all = { 'http_req_duration{scenario:load}': counted(66_000) };
  const good = { 'http_req_duration{scenario:load,expected_response:true}': counted(66_000) };
  assert.deepEqual(measuredOf(summary(all), shape), { good: 0, failed: 66_000, goodput_rps: 0, p95_ms: null });
  assert.deepEqual(measuredOf(summary({ ...all, ...good }, ENDED_MS + 10_000), shape), {
    good: 66_000,
    failed: 0,
    goodput_rps: 3300,
    p95_ms: null,
  });
});

test('of a script all requests count, in the time that it took, in what k6 exports as in what it gives to a script', () => {
  // A scenario of the user's may have the name of one of the lab's.
  const own = { 'http_req_duration{scenario:load}': counted(9) };
  const failed = { values: { rate: 0.1, passes: 120, fails: 1080 } };
  const given = summary({ ...own, http_reqs: { values: { count: 1200, rate: 30 } }, http_req_failed: failed }, 40_000);
  const exported = { metrics: { http_reqs: { count: 1200, rate: 30 }, http_req_failed: { value: 0.1, passes: 120, fails: 1080 } } };
  assert.deepEqual(measuredOfScript(given), { good: 1080, failed: 120, goodput_rps: 27, p95_ms: null });
  assert.deepEqual(measuredOfScript(summaryOfExport(exported)), measuredOfScript(given));
});

test('a script that sent nothing, or judges no status, is read too', () => {
  assert.deepEqual(measuredOfScript(summaryOfExport({ metrics: {} })), { good: 0, failed: 0, goodput_rps: 0, p95_ms: null });
  const unjudged = { metrics: { http_reqs: { count: 10, rate: 5 } } };
  assert.deepEqual(measuredOfScript(summaryOfExport(unjudged)), { good: 10, failed: 0, goodput_rps: 5, p95_ms: null });
});

test('the p95 is that of the good answers, where k6 tells them from others', () => {
  const good = { values: { count: 32_670, 'p(95)': 41.237 } };
  const lab = summary({
    'http_req_duration{scenario:load}': counted(33_000),
    'http_req_duration{scenario:load,expected_response:true}': good,
  });
  assert.equal(measuredOf(lab, shape).p95_ms, 41.24);
  assert.equal(measuredOfScript(summary({ 'http_req_duration{expected_response:true}': good })).p95_ms, 41.24);
});

test('p95s are compared with each other only where every block has both', () => {
  const blocks = blocksOf(0.8, 0.8, 1, 1, 0.8, 0.8);
  assert.deepEqual([p95RatioOf(blocks, 'lab', 'plain')?.median, p95RatioOf(blocks, 'lab', 'plain')?.n], [1.25, 6]);
  const unread = { ...blocks[0].plain, p95_ms: null };
  assert.equal(p95RatioOf([...blocks, { ...blocks[0], plain: unread }], 'lab', 'plain'), null);
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

/** @type {(rps: number, failed?: number) => import('./bench.js').Measured} */
const measured = (rps, failed = 0) => ({ good: rps * 30, failed, goodput_rps: rps, p95_ms: null });
const { signal } = new AbortController();

test('every arm is in every pair, and each is first as often as the other', () => {
  const orders = Array.from({ length: 8 }, (_, pair) => orderOf(['lab', 'plain'], pair));
  assert.ok(orders.every((order) => new Set(order).size === 2));
  assert.equal(orders.filter(([first]) => first === 'lab').length, 4);
});

test('a block has each arm once, in its order', async () => {
  /** @type {string[]} */
  const order = [];
  const measure = async (/** @type {string} */ arm) => {
    order.push(arm);
    return measured(arm === 'lab' ? 97 : 100, arm === 'lab' ? 3 : 0);
  };
  const block = await measureBlock({ order: ['plain', 'lab'], base: 'plain', measure, signal });
  assert.deepEqual(order, ['plain', 'lab']);
  assert.equal(blockLine(block, 'plain'), 'plain 100 rps; lab 97 rps, 3 failed (0.970)');
});

test('nothing is compared with an arm without a good answer', async () => {
  const measure = async () => measured(0, 7);
  await assert.rejects(measureBlock({ order: ['lab', 'plain'], base: 'plain', measure, signal }), (error) => {
    assert.ok(error instanceof RunFailedError);
    assert.match(error.message, /^plain: expected good answers, .*; found none, and 7 failed requests\.$/);
    return true;
  });
});

test('an interruption ends a block after the arm that it came in', async () => {
  const interruption = new AbortController();
  let measures = 0;
  const measure = async () => {
    measures += 1;
    interruption.abort();
    return measured(1);
  };
  await assert.rejects(measureBlock({ order: ['lab', 'plain'], base: 'plain', measure, signal: interruption.signal }), {
    name: 'AbortError',
  });
  assert.equal(measures, 1);
});

test('a ratio is reported with what it is compared with, and with its interval where there is one', () => {
  const ratio = { median: 0.981, low: 0.97, high: 0.99, n: 8 };
  const begin = 'the whole lab: 0.981 of the good answers a second of bare Compose and k6 (median of ';
  assert.equal(
    ratioLine('the whole lab', 'the good answers a second', 'bare Compose and k6', ratio),
    `${begin}8 pairs, 95 % interval 0.970 to 0.990)`,
  );
  const few = ratioLine('the whole lab', 'the good answers a second', 'bare Compose and k6', { ...ratio, low: null, high: null, n: 2 });
  assert.equal(few, `${begin}2 pairs, no interval with fewer than 6 pairs)`);
});
