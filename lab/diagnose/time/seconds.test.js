import assert from 'node:assert/strict';
import { test } from 'node:test';
import { secondOf, secondsOf } from './seconds.js';

const window = { from: 1000, to: 1010, warmupFrom: 990 };
const at = (/** @type {number[]} */ ...times) => times.map((t) => ({ t: 1000 + t }));

test('a moment ends the second that it is nearest to the end of', () => {
  assert.deepEqual([secondOf(1000.9, window), secondOf(1003.2, window)], [1, 3]);
});

test('a clock that ticks at half seconds gives each second one reading', () => {
  assert.deepEqual(secondsOf(at(0.52, 1.49, 2.5, 3.51, 4.48), window), [0, 1, 2, 3, 4]);
});

test('a clock that ticks near whole seconds is not moved to others', () => {
  assert.deepEqual(secondsOf(at(0.98, 2.03, 3, 4.01), window), [1, 2, 3, 4]);
});

test('a second without a reading stays empty', () => {
  assert.deepEqual(secondsOf(at(0.5, 1.51, 3.49, 4.5), window), [0, 1, 3, 4]);
});

test('of no rows there are no seconds', () => {
  assert.deepEqual(secondsOf([], window), []);
});
