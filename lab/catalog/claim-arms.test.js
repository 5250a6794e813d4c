import assert from 'node:assert/strict';
import { test } from 'node:test';
import { armsIn, armsOfClaim, armsOfTest } from './claim-arms.js';
import { claimsOf } from './claims.js';

test('a claim is about the arms of its tests, its relief and its sentences, each once', () => {
  const d3 = claimsOf('doubling').find(({ id }) => id === 'D3');
  assert.deepEqual(d3 && armsOfClaim(d3).toSorted(), ['2a', '2a-keepalive', '2a-pool500', '2a-slots']);
});

test('a test on the published file needs no arm', () => {
  const [d5a] = claimsOf('doubling').filter(({ id }) => id === 'D5a');
  assert.deepEqual(d5a.tests.flatMap(armsOfTest), []);
});

test('a sentence names arms by their figures alone', () => {
  assert.deepEqual(armsIn('{goodput_rps@2a} against {lost@a-lb}, {test 1}'), ['2a', 'a-lb']);
});
