import assert from 'node:assert/strict';
import { test } from 'node:test';
import { apportion, gained, max, mean, median, present, ratio, rounded, sum } from './numbers.js';

test('missing values are in no figure, and nothing at all is null', () => {
  const values = [4, null, undefined, Number.NaN, Number.POSITIVE_INFINITY, 2];
  assert.deepEqual(present(values), [4, 2]);
  assert.deepEqual([mean(values), max(values), median(values), sum(values)], [3, 4, 3, 6]);
  assert.deepEqual([mean([null]), max([]), median([undefined]), sum([])], [null, null, null, 0]);
});

test('the median of an odd number of values is the middle one, unsorted as they come', () => {
  assert.equal(median([30, 1, 2]), 2);
  assert.equal(median([10, 9, 100, 1]), 9.5);
});

test('nothing is divided by zero or by what is missing', () => {
  assert.deepEqual([ratio(6, 3), ratio(0, 3), ratio(6, 0), ratio(null, 3), ratio(6, null)], [2, 0, null, null, null]);
});

test('rounding keeps what is missing missing', () => {
  assert.deepEqual(
    [rounded(1.23456), rounded(1.23456, 1), rounded(0), rounded(null), rounded(undefined), rounded(Number.NaN)],
    [1.235, 1.2, 0, null, null, null],
  );
});

test('a counter gains what it has more than before, and what did not move is left out', () => {
  assert.deepEqual(gained({ a: 5, b: 3, c: 2 }, { a: 1, b: 3 }), { a: 4, c: 2 });
  assert.deepEqual(gained({ a: 5 }), { a: 5 });
});

test('parts of a whole number sum to it exactly, whatever the weights', () => {
  const weights = [
    [1, 1, 1],
    [1, 2, 3, 5, 8],
    [0.1, 0.2, 0.7],
    [99_999, 1],
    [3, 0, 4],
  ];
  for (const total of [0, 1, 2, 7, 100, 93_069]) {
    for (const list of weights) {
      const parts = apportion(total, list);
      assert.equal(sum(parts), total, `${total} by ${list}`);
      assert.ok(parts.every((part) => Number.isInteger(part) && part >= 0));
    }
  }
});

test('what is left over goes to the largest remainders', () => {
  assert.deepEqual(apportion(10, [1, 1, 1]), [4, 3, 3]);
  assert.deepEqual(apportion(10, [62, 26, 12]), [6, 3, 1]);
  assert.deepEqual(apportion(5, [1, 0, 1]), [3, 0, 2]);
});

test('without weights nothing is shared out', () => {
  assert.deepEqual(apportion(10, [0, 0]), [0, 0]);
  assert.deepEqual(apportion(10, []), []);
});
