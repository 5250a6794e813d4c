import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Asked } from './asked.js';

test('each question to each has a number of its own, and keeps it', () => {
  const asked = new Asked();
  const [one, other] = [asked.on('db'), asked.on('cache')];
  assert.deepEqual([one.numberOf(7), one.numberOf(0), other.numberOf(7), asked.on('db').numberOf(7)], [0, 1, 2, 0]);
});
