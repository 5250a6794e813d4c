import assert from 'node:assert/strict';
import { test } from 'node:test';
import { failureOf } from './prepare-images.js';

test('a failure is told with its last lines, and with the limit where that ended it', () => {
  const output = Array.from({ length: 40 }, (_, index) => `step ${index + 1}`).join('\n');
  const told = failureOf(output, null);
  assert.match(told, /^; its last lines:\n {4}step 26\n/);
  assert.match(told, /\n {4}step 40$/);
  assert.match(failureOf(output, 15), /^ \(it did not end in 15 min\); its last lines:/);
  assert.match(failureOf('', null), /\(it wrote nothing\)$/);
});
