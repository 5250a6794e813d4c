import assert from 'node:assert/strict';
import { test } from 'node:test';
import { worstOf } from './spells.js';

/**
 * @param {number[]} stood of one service
 * @param {number[]} good
 * @param {number[]} failed
 */
const standing = (stood, good, failed) => ({
  ...{ step_s: 1, from_s: 0, services: [{ name: 'web', standing: stood }], edges: [], good, failed },
});

/** @param {number} length @param {Record<number, number>} [at] */
const row = (length, at = {}) => Array.from({ length }, (_, index) => at[index] ?? 0);

test('the worst ten seconds are those in which most failed, and of these those in which more stood', () => {
  const stood = row(30, { 2: 90, 18: 5, 24: 1 });
  assert.deepEqual(worstOf(standing(stood, row(30, { 1: 100 }), row(30, { 20: 40 }))), { from: 15, to: 25 });
});

test('where hardly any failed the worst are those in which most stood', () => {
  const stood = row(30, { 12: 9, 13: 9 });
  assert.deepEqual(worstOf(standing(stood, row(30, { 1: 1000 }), row(30, { 29: 3 }))), { from: 4, to: 14 });
  assert.deepEqual(worstOf(standing(row(4), row(4), row(4))), { from: 0, to: 4 });
});
