import assert from 'node:assert/strict';
import { test } from 'node:test';
import { figure } from '../format.js';
import { placesBetween, ticksBetween } from './value-axis.js';

test('ticks are round, few, and never outside of what was measured', () => {
  assert.deepEqual(ticksBetween(734, 1050), [800, 900, 1000]);
  assert.deepEqual(ticksBetween(0, 0.2), [0, 0.05, 0.1, 0.15, 0.2]);
  assert.deepEqual(ticksBetween(0.1, 0.3), [0.1, 0.15, 0.2, 0.25, 0.3]);
  for (const [low, high] of [
    [1.31, 1.72],
    [3, 2980],
    [-0.2, 0.19],
  ]) {
    const ticks = ticksBetween(low, high);
    assert.ok(ticks.length >= 2 && ticks.length <= 5, String(ticks));
    assert.ok(ticks.every((tick) => tick >= low && tick <= high));
  }
});

test('no two ticks read the same, and each is where it says', () => {
  for (const [low, high] of [
    [101.9, 102.6],
    [98.36, 98.53],
    [0.9812, 0.9861],
    [2501, 2539],
    [102.1, 102.4],
    [-0.2, 0.19],
  ]) {
    const ticks = ticksBetween(low, high, 3);
    const texts = ticks.map(figure);
    assert.equal(new Set(texts).size, ticks.length, texts.join(' '));
    if (ticks.length > 1) for (const tick of ticks) assert.equal(Number(tick.toPrecision(3)), tick);
  }
  assert.deepEqual(ticksBetween(98.36, 98.53, 3), [98.4, 98.5]);
  assert.deepEqual(ticksBetween(101.9, 102.6, 3), [102]);
});

test('a single value stands in the middle, with itself as its tick', () => {
  assert.deepEqual(ticksBetween(0, 0), [0]);
  assert.equal(placesBetween(0, 0)(0), '50%');
});

test('values keep their order and a margin', () => {
  const place = placesBetween(10, 20);
  assert.deepEqual([10, 15, 20].map(place), ['9%', '50%', '91%']);
});
