import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Flags } from './flags.js';

test('calls that were added are there, and no others', () => {
  const flags = new Flags(20);
  for (const call of [0, 7, 8, 19]) flags.add(call);
  const has = Array.from({ length: 20 }, (_, call) => call).filter((call) => flags.has(call));
  assert.deepEqual(has, [0, 7, 8, 19]);
});
