import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shareIn, spellShare } from './rate-share.js';

test('a percentage is a share, and nothing else is', () => {
  assert.deepEqual(['150%', '0.5%', '100%'].map(shareIn), [1.5, 0.005, 1]);
  assert.deepEqual(['150', '%', '-5%', '1e2%', '', undefined].map(shareIn), [null, null, null, null, null, null]);
});

test('what is spelled is read again', () => {
  for (const text of ['150%', '29%', '0.5%', '33.333%']) assert.equal(spellShare(shareIn(text) ?? 0), text);
});
