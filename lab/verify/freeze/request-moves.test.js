import assert from 'node:assert/strict';
import { test } from 'node:test';
import { requestMoves } from './request-moves.js';

test('requests that moved alike are counted together, most first, and those that stayed are not told', () => {
  const before = ['a', 'a', 'a', 'b', 'c'].map((kind, index) => ({ id: String(index), kind }));
  const now = ['b', 'b', 'a', 'c'].map((kind, index) => ({ id: String(index), kind }));
  assert.deepEqual(
    requestMoves(before, now).map(({ text }) => text),
    ['2 requests from a to b', '1 request from b to c', '1 request from c to no failed request'],
  );
});
