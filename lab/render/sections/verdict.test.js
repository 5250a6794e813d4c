import assert from 'node:assert/strict';
import { test } from 'node:test';
import { healthyResult, olderResult } from '../fixtures/results.js';
import { verdictSection } from './verdict.js';

test('what would have kept writes that are gone stands below the headline, and nothing where none is', () => {
  const gone = { count: 9, at_least: false, text: '', to_do: ['mongo ended: write its journal first.'] };
  const shown = (/** @type {any} */ result) => verdictSection(result).text;
  assert.match(
    shown({ ...healthyResult(), gone_writes: gone }),
    /<li><span class="label">Writes gone<\/span> mongo ended: write its journal first\.<\/li>/,
  );
  for (const result of [healthyResult(), olderResult()]) assert.doesNotMatch(shown(result), /Writes gone/);
});
