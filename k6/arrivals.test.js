import assert from 'node:assert/strict';
import { test } from 'node:test';
import { intendedOffset } from './arrivals.js';
import { shapes } from './shapes.js';

test('under a rate that is held arrivals are evenly spaced', () => {
  const shape = shapes.calm({});
  // 60 a second from second 1 on, after 30 in the second that it rises.
  assert.ok(Math.abs(intendedOffset(shape, 29) - 1) < 1e-9);
  assert.ok(Math.abs(intendedOffset(shape, 89) - 2) < 1e-9);
});

test('while the rate rises arrivals come closer together', () => {
  const shape = shapes.open({ RATE: '40' });
  // 40 a second after 40 s: the sum after t seconds is t²/2.
  assert.ok(Math.abs(intendedOffset(shape, 49) - 10) < 1e-9);
  assert.ok(Math.abs(intendedOffset(shape, 199) - 20) < 1e-9);
});

test('what is beyond the load belongs to its end', () => {
  assert.equal(intendedOffset(shapes.calm({}), 100_000), 10);
});
