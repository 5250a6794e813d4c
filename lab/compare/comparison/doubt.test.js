import assert from 'node:assert/strict';
import { test } from 'node:test';
import { doubtOf, doubtsText, mergeReasons } from './doubt.js';

/** @type {(reason: string) => { verdict: 'SUSPECT', reasons: string[] }} */
const suspect = (reason) => ({ verdict: 'SUSPECT', reasons: [reason] });
/** @type {{ verdict: 'VALID', reasons: string[] }} */
const VALID = { verdict: 'VALID', reasons: [] };

test('an arm says how many of its runs were SUSPECT and why, with the range of each figure', () => {
  assert.deepEqual(
    doubtOf([suspect('k6 was at its quota for 24 % of the seconds'), suspect('k6 was at its quota for 9.5 % of the seconds'), VALID]),
    {
      suspect: 2,
      runs: 3,
      text: '2 of 3 runs SUSPECT: k6 was at its quota for 9.5 to 24 % of the seconds',
    },
  );
});

test('an arm of which every run is VALID is not in doubt', () => {
  assert.equal(doubtOf([VALID, VALID]), null);
  assert.equal(doubtOf([]), null);
});

test('the most frequent reasons are named, the others counted', () => {
  const { text } = doubtOf([suspect('one'), suspect('two'), suspect('two'), suspect('three')]) ?? {};
  assert.equal(text, '4 of 4 runs SUSPECT: two; one; and 1 more reason');
});

test('figures with thousands are compared as numbers, and equal ones stay one', () => {
  assert.deepEqual(mergeReasons(['5 % while 2,000 users were held', '12 % while 2,000 users were held', '7 % while 500 users were held']), [
    '5 to 12 % while 500 to 2,000 users were held',
  ]);
});

test('arms in doubt for the same reason are named together', () => {
  const doubt = { suspect: 8, runs: 8, text: '8 of 8 runs SUSPECT: one' };
  assert.equal(
    doubtsText([
      { arm: 'a-lb', doubt },
      { arm: '2a', doubt },
    ]),
    'a-lb, 2a: 8 of 8 runs SUSPECT: one',
  );
});
