import assert from 'node:assert/strict';
import { test } from 'node:test';
import { planOf, runsOf } from '../fixtures/experiment-runs.js';
import { judgeTest } from './tests.js';

const arms = [{ id: 'a', architecture: 'a' }];

/** @param {number[]} rates  failed, run by run */
function judge(rates, wanted = /** @type {'at least' | 'at most'} */ ('at most')) {
  const runs = runsOf(planOf({ arms, repeats: rates.length }), { a: { goodput: 500, p95: 100 } });
  for (const [index, run] of runs.entries()) run.result.metrics.failure_rate = rates[index];
  return judgeTest({ kind: 'outcome', label: '', metric: 'failure_rate', arm: 'a', wanted, threshold: 0.1, published: null }, runs);
}
const runsOfBoth = (/** @type {number} */ bad, all = 8) => Array.from({ length: all }, (_, index) => (index < bad ? 0.9 : 0));

test('an outcome holds when six of eight runs came out so, and is refuted when two did', () => {
  const verdicts = [0, 2, 3, 5, 6, 8].map((bad) => judge(runsOfBoth(bad)).verdict);
  assert.deepEqual(verdicts, ['HOLDS', 'HOLDS', 'INCONCLUSIVE', 'INCONCLUSIVE', 'REFUTED', 'REFUTED']);
  assert.equal(judge(runsOfBoth(6), 'at least').verdict, 'HOLDS');
});

test('the share of runs is shown with its interval', () => {
  const { estimate, low, high, blocks } = judge(runsOfBoth(2));
  // Wilson's formula, computed apart.
  assert.deepEqual([estimate, blocks, low?.toFixed(4), high?.toFixed(4)], [0.75, 8, '0.4093', '0.9285']);
});

test('too few runs decide nothing', () => {
  assert.equal(judge(runsOfBoth(0, 5)).verdict, 'INCONCLUSIVE');
});
