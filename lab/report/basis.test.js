import assert from 'node:assert/strict';
import { test } from 'node:test';
import { basisText } from './basis.js';

test('shares stand with the best first, and what nothing is known by is left out', () => {
  const text = basisText({ inferred: 1, proved: 3, timed: 0, counted: 0 }, 4);
  assert.equal(text.replaceAll('\u00a0', ' '), 'proved 75 %, inferred 25 %');
});
