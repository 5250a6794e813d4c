import assert from 'node:assert/strict';
import { test } from 'node:test';
import { scaleOf } from './scale.js';

test('on the ratio scale, double and half are equally far from the same', () => {
  const { into, back } = scaleOf('ratio');
  assert.equal(Number(into(2)), -Number(into(0.5)));
  assert.equal(into(1), 0);
  assert.equal(back(0), 1);
  assert.ok(Math.abs(Number(back(into(7))) - 7) < 1e-12);
});

test('what has no logarithm has no ratio, but a difference', () => {
  assert.deepEqual([0, -1, null, Number.NaN].map(scaleOf('ratio').into), [null, null, null, null]);
  assert.deepEqual([0, -1, null, Number.NaN].map(scaleOf('difference').into), [0, -1, null, null]);
  assert.deepEqual([scaleOf('ratio').back(null), scaleOf('difference').back(null)], [null, null]);
});
