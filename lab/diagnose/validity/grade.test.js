import assert from 'node:assert/strict';
import { test } from 'node:test';
import { graded, NEVER, notRecorded, percent, seconds } from './grade.js';

const LIMITS = { suspect: 0.05, invalid: 0.1 };
const gradeOf = (/** @type {number} */ value) => graded('rule', value, LIMITS, 'it was')[0]?.grade ?? null;

test('a figure may be as large as its limit, and each limit has its grade', () => {
  assert.deepEqual([0.05, 0.051, 0.1, 0.101].map(gradeOf), [null, 'SUSPECT', 'SUSPECT', 'INVALID']);
});

test('a reason tells the limit that was passed', () => {
  assert.equal(graded('rule', 0.06, LIMITS, 'it was 6 %')[0].reason, 'it was 6 %; the limit is 5 %');
  assert.equal(graded('rule', 0.2, LIMITS, 'it was 20 %')[0].reason, 'it was 20 %; the limit is 10 %');
  assert.equal(graded('rule', 5, { suspect: 3, invalid: NEVER }, 'a gap of 5 s', seconds)[0].reason, 'a gap of 5 s; the limit is 3 s');
});

test('what was not recorded is a doubt', () => {
  assert.deepEqual(notRecorded('rule', 'the CPU', 'who used it'), [
    { rule: 'rule', grade: 'SUSPECT', reason: 'the CPU was not recorded, so who used it is not known' },
  ]);
});

test('small shares have a digit after the point, unless it is zero', () => {
  assert.deepEqual([0.001, 0.05, 0.077, 0.1, 0.586].map(percent), ['0.1 %', '5 %', '7.7 %', '10 %', '59 %']);
});
