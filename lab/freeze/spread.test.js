import assert from 'node:assert/strict';
import { test } from 'node:test';
import { spread } from './spread.js';

test('the first, the last, and what is between them at equal distances', () =>
  assert.deepEqual(spread([0, 1, 2, 3, 4, 5, 6], 3), [0, 3, 6]));
test('where there are no more, all', () => assert.deepEqual(spread([1, 2], 5), [1, 2]));
test('none, and one', () => assert.deepEqual([spread([1, 2], 0), spread([1, 2], 1)], [[], [1]]));
