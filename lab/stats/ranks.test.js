import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chosenRankSums, doubledRanks, leftOut, signedRankSums, twoSided } from './ranks.js';

/** @param {number} n */
const upTo = (n) => Array.from({ length: n }, (_, index) => index + 1);

test('ranks begin at 1 and are doubled, and ties share the mean of theirs', () => {
  assert.deepEqual(doubledRanks([30, 10, 20]), [6, 2, 4]);
  assert.deepEqual(doubledRanks([5, 5, 1, 9, 5]), [6, 6, 2, 10, 6]);
  assert.deepEqual(doubledRanks([0.3 - 0.1, 0.2]), [3, 3]);
});

test('every pattern of signs counts once', () => {
  // Of the eight patterns of 1, 2 and 3, the sum 3 comes of two: 3 alone, and 1 with 2.
  assert.deepEqual(
    signedRankSums([1, 2, 3]).map((chance) => chance * 8),
    [1, 1, 1, 2, 1, 1, 1],
  );
  assert.deepEqual(signedRankSums([]), [1]);
});

test('every choice counts once', () => {
  // Two of four: 1+2, 1+3, 1+4 and 2+3, 2+4, 3+4.
  assert.deepEqual(
    chosenRankSums([1, 2, 3, 4], 2)
      .slice(3, 8)
      .map((chance) => Math.round(chance * 6)),
    [1, 1, 2, 1, 1],
  );
});

test('what an interval leaves out is what R leaves out', () => {
  // R 4.2.2: qsignrank(0.025, 5:20), of which the first one left out at 0 means that there is no interval.
  const quantiles = [0, 1, 3, 4, 6, 9, 11, 14, 18, 22, 26, 30, 35, 41, 47, 53];
  assert.deepEqual(
    quantiles.map((_, index) => leftOut(signedRankSums(upTo(index + 5)))),
    quantiles.map((quantile) => (quantile === 0 ? null : quantile - 1)),
  );
  // R 4.2.2: qwilcox(0.025, 8, 3:10).
  const others = upTo(8).map((index) => index + 2);
  assert.deepEqual(
    others.map((other) => leftOut(chosenRankSums(upTo(8 + other), 8).slice(36))),
    [3, 5, 7, 9, 11, 14, 16, 18].map((quantile) => quantile - 1),
  );
});

test('p is twice the smaller tail, and never above 1', () => {
  assert.equal(twoSided([0.125, 0.125, 0.5, 0.125, 0.125], 0), 0.25);
  assert.equal(twoSided([0.125, 0.125, 0.5, 0.125, 0.125], 4), 0.25);
  assert.equal(twoSided([0.25, 0.5, 0.25], 1), 1);
});
