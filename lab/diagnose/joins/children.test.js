import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Children } from './children.js';

test('a call has those that were made for it as they began, and may have none', () => {
  const children = new Children(Int32Array.from([-1, 0, 3, -1, 0]), Int32Array.from([3, 0, 4, 2, 1]));
  assert.deepEqual([children.of(0), children.of(1), children.of(3)], [[4, 1], [], [2]]);
  const some = new Children(Int32Array.from([-1, 0, 3, -1, 0]), Int32Array.from([3, 0, 2, 1]));
  assert.deepEqual([some.of(0), some.of(3)], [[1], [2]]);
});
