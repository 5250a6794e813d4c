import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ascending, quantile } from './quantile.js';

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
