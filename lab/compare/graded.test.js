import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RESULT_SCHEMA_VERSION } from '../record/result.js';
import { GRADED_SINCE, replacedGrading } from './graded.js';

const run = (/** @type {number} */ schema) => /** @type {any} */ ({ schema });

test('runs of an earlier version of result.json were graded by rules that were replaced, and one of them is enough', () => {
  assert.match(
    replacedGrading([run(2), run(1)]) ?? '',
    /^Its runs were graded by rules that were replaced since \(result\.json version 1, today \d+\)/,
  );
});

test('runs of today were graded as today, and of an experiment without any run nothing is said', () => {
  assert.ok(RESULT_SCHEMA_VERSION >= GRADED_SINCE);
  assert.equal(replacedGrading([run(RESULT_SCHEMA_VERSION)]), null);
  assert.equal(replacedGrading([]), null);
});
