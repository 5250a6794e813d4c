import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clockOffset } from './preflight.js';

const NOW = Date.parse('2026-11-21T20:00:00Z');

test("the engine's clock is apart from this machine's by what no waiting for the answer explains", () => {
  assert.equal(clockOffset(NOW + 400, NOW, NOW + 900), 0);
  assert.equal(clockOffset(NOW + 3900, NOW, NOW + 900), 3);
  assert.equal(clockOffset(NOW - 3000, NOW, NOW + 900), -3);
  assert.equal(clockOffset(Date.parse('2026-11-21T21:00:00.123456789+01:00'), NOW, NOW + 900), 0);
});

test('of an engine that tells no time nothing is known', () => {
  assert.equal(clockOffset(Number.NaN, NOW, NOW), null);
});
