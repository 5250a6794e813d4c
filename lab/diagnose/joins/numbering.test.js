import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Numbering } from './numbering.js';

test('each pair has a number of its own, from nought on', () => {
  const numbers = new Numbering();
  assert.deepEqual(
    [numbers.of('a', 'b'), numbers.of('a', 'c'), numbers.of('b', 'a'), numbers.of('a', 'b'), numbers.of('a b', '')],
    [0, 1, 2, 0, 3],
  );
});
