import assert from 'node:assert/strict';
import { test } from 'node:test';
import { keptRuns, resultPath } from './kept-runs.js';

const run = (/** @type {string} */ id) => `doubling/1/runs/${id}`;
/** @type {(id: string, arm: string, validity?: string) => any} */
const attempt = (id, arm, validity = 'VALID') => ({ block: 1, arm, run: run(id), validity, took_s: 1 });

test('of each arm the first run that counts and whose result is there is kept', () => {
  const plan = {
    id: 'doubling/1',
    attempts: [attempt('1', 'a', 'INVALID'), attempt('2', 'a'), attempt('3', 'a'), attempt('4', 'a'), attempt('5', '2a')],
  };
  const records = Object.fromEntries(['1', '3', '4'].map((id) => [resultPath(plan, run(id)), { run: id }]));
  assert.equal(Object.keys(records)[0], 'runs/1/result.json');
  assert.deepEqual(keptRuns(plan, records), [{ arm: 'a', result: { run: '3' } }]);
});

test('without a manifest none is known', () => {
  assert.deepEqual(keptRuns(null, {}), []);
});
