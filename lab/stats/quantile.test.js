import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ascending, quantile, quantilesOf } from './quantile.js';

test('a quantile lies between the two nearest values, and none has none', () => {
  assert.deepEqual(
    [0, 0.25, 0.5, 1].map((share) => quantile([1, 2, 4, 8], share)),
    [1, 1.75, 3, 8],
  );
  assert.equal(quantile([7], 0.99), 7);
  assert.equal(quantile([], 0.5), null);
});

test('numbers are put in order by their value', () => {
  assert.deepEqual([...ascending([10, 9, 100, -1])], [-1, 9, 10, 100]);
});

test('quantiles of values in any order are those of the sorted ones', () => {
  const shares = [0, 0.1, 0.5, 0.95, 1];
  for (let size = 1; size < 200; size += 1)
    for (const values of [
      Array.from({ length: size }, (_, index) => (index * 7919) % 101),
      Array.from({ length: size }, (_, index) => -index),
      Array.from({ length: size }, (_, index) => (index % 3 === 0 ? Number.POSITIVE_INFINITY : index)),
      new Array(size).fill(4),
    ])
      assert.deepEqual(
        quantilesOf(values, shares),
        shares.map((share) => quantile(ascending(values), share)),
      );
  assert.deepEqual(quantilesOf([], [0.5]), [null]);
});
