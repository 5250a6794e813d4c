import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RunFailedError } from '../../base/errors.js';
import { blockLine, measureBlock, orderOf, ratioLine } from './bench.js';

/** @type {(rps: number, failed?: number) => import('./judge.js').Measured} */
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

test('nothing is held against an arm without a good answer', async () => {
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

test('a ratio is told with what it is held against, and with its interval where there is one', () => {
  const ratio = { median: 0.981, low: 0.97, high: 0.99, n: 8 };
  const begin = 'the whole lab: 0.981 of the good answers a second of bare Compose and k6 (median of ';
  assert.equal(
    ratioLine('the whole lab', 'the good answers a second', 'bare Compose and k6', ratio),
    `${begin}8 pairs, 95 % interval 0.970 to 0.990)`,
  );
  const few = ratioLine('the whole lab', 'the good answers a second', 'bare Compose and k6', { ...ratio, low: null, high: null, n: 2 });
  assert.equal(few, `${begin}2 pairs, no interval with fewer than 6 pairs)`);
});
