import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bootstrap, expandedInterval, expandedTail, SAMPLES } from './bootstrap.js';

/** @typedef {{ n: number, value: number }[]} Runs */

const points = [
  { n: 1, values: [10, 11, 12, 13] },
  { n: 2, values: [20, 22, 24, 26] },
];
const ofOne = (/** @type {Runs} */ runs) => runs.filter(({ n }) => n === 1).map(({ value }) => value);
const ofTwo = (/** @type {Runs} */ runs) => runs.filter(({ n }) => n === 2).map(({ value }) => value);
const isAligned = (/** @type {Runs} */ runs) => ofOne(runs).every((value, index) => ofTwo(runs)[index] === 2 * value);

test('blocks are drawn whole', () => {
  const samples = bootstrap(points, (runs) => runs);
  assert.equal(samples.length, SAMPLES);
  assert.ok(samples.every(isAligned));
  assert.ok(samples.every((runs) => runs.length === 8));
  assert.ok(new Set(samples.map((runs) => ofOne(runs).join())).size > 100);
});

test('where points have different numbers of runs, runs are drawn within each', () => {
  const uneven = [points[0], { n: 2, values: [20, 22, 24] }];
  const samples = bootstrap(uneven, (runs) => runs);
  assert.ok(samples.every((runs) => ofOne(runs).length === 4 && ofTwo(runs).length === 3));
  assert.ok(!samples.every(isAligned));
});

test('where blocks are named, a run that is missing does not shift the others', () => {
  const named = [
    { n: 1, values: [10, 12, 13], blocks: [1, 3, 4] },
    { n: 2, values: [20, 22, 24], blocks: [1, 2, 3] },
  ];
  const samples = bootstrap(named, (runs) => runs);
  // Block 2 has no run of one and block 4 none of two: 12 comes with 24, never with 22.
  const together = samples.every(
    (runs) => ofOne(runs).filter((value) => value === 12).length === ofTwo(runs).filter((value) => value === 24).length,
  );
  assert.ok(together);
});

test('the same runs give the same samples', () => {
  const sums = (/** @type {Runs} */ runs) => runs.reduce((sum, { value }) => sum + value, 0);
  assert.deepEqual(bootstrap(points, sums), bootstrap(points, sums));
});

test('the percentiles are farther out for few runs', () => {
  // R 4.2.2: pnorm(-sqrt((3:13) / (2:12)) * qt(0.975, 2:12))
  const tails = [
    6.834137312e-8, 1.190307392e-4, 9.541005519e-4, 2.431803175e-3, 4.109153816e-3, 5.73752052e-3, 7.224819183e-3, 8.550639024e-3,
    9.7224069e-3, 1.075661492e-2, 1.167130055e-2,
  ];
  tails.forEach((tail, index) => {
    const found = expandedTail(index + 3);
    assert.ok(Math.abs(found / tail - 1) < 1e-6, `${index + 3} runs: ${found}, not ${tail}`);
  });
  assert.ok(Math.abs(expandedTail(100_000) - 0.025) < 1e-5);
});

test('an interval is between percentiles of the samples', () => {
  const figures = Array.from({ length: 1001 }, (_, index) => 1000 - index);
  const { low, high } = expandedInterval(figures, 8);
  assert.ok(Math.abs(low - 5.7375) < 1e-3 && Math.abs(high - 994.2625) < 1e-3, `${low} to ${high}`);
});
