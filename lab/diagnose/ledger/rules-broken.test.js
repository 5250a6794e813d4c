import assert from 'node:assert/strict';
import { test } from 'node:test';
import { episodes } from './rules-broken.js';

const REACH = { gapS: 5, beforeS: 2, afterS: 6 };

test('moments that are close make one time, which reaches beyond both ends', () => {
  assert.deepEqual(episodes([10, 14, 19], REACH), [{ from: 8, to: 25 }]);
});

test('a longer gap begins another time', () => {
  assert.deepEqual(episodes([10, 15.1], REACH), [
    { from: 8, to: 16 },
    { from: 13.1, to: 21.1 },
  ]);
});

test('no moment makes no time', () => {
  assert.deepEqual(episodes([], REACH), []);
});
