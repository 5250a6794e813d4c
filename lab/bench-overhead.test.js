import assert from 'node:assert/strict';
import { test } from 'node:test';
import { orderOf } from './bench-overhead.js';

test('every arm is in every pair, and each is first as often as the other', () => {
  const orders = Array.from({ length: 8 }, (_, pair) => orderOf(['lab', 'plain'], pair));
  assert.ok(orders.every((order) => new Set(order).size === 2));
  assert.equal(orders.filter(([first]) => first === 'lab').length, 4);
});
