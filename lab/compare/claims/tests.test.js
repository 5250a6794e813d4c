import assert from 'node:assert/strict';
import { test } from 'node:test';
import { planOf, runsOf } from '../../diagnose/fixtures/experiment-runs.js';
import { judgeTest } from './tests.js';

const arms = [{ id: 'a', architecture: 'a' }];

/** @param {number[]} rates  failed, run by run */
function judge(rates, wanted = /** @type {'at least' | 'at most'} */ ('at most')) {
  const runs = runsOf(planOf({ arms, repeats: rates.length }), { a: { goodput: 500, p95: 100 } });
  for (const [index, run] of runs.entries()) run.result.metrics.failure_rate = rates[index];
  return judgeTest({ kind: 'outcome', label: '', metric: 'failure_rate', arm: 'a', wanted, threshold: 0.1, published: null }, runs);
}
const runsOfBoth = (/** @type {number} */ bad, all = 8) => Array.from({ length: all }, (_, index) => (index < bad ? 0.9 : 0));

test('an outcome is judged by its interval: seven of eight runs hold and one refutes, six and two can be chance', () => {
  const verdicts = [0, 1, 2, 3, 5, 6, 7, 8].map((bad) => judge(runsOfBoth(bad)).verdict);
  const open = ['INCONCLUSIVE', 'INCONCLUSIVE', 'INCONCLUSIVE', 'INCONCLUSIVE'];
  assert.deepEqual(verdicts, ['HOLDS', 'HOLDS', ...open, 'REFUTED', 'REFUTED']);
  assert.equal(judge(runsOfBoth(7), 'at least').verdict, 'HOLDS');
});

test('however many runs there are, two of three are not the rule: the interval alone makes no outcome hold', () => {
  const { verdict, low } = judge(runsOfBoth(20, 60));
  assert.ok(Number(low) > 0.5);
  assert.equal(verdict, 'INCONCLUSIVE');
  assert.equal(judge(runsOfBoth(40, 60)).verdict, 'INCONCLUSIVE');
});

test('the share of runs is shown with its interval', () => {
  const { estimate, low, high, blocks } = judge(runsOfBoth(2));
  // Wilson's formula, computed apart.
  assert.deepEqual([estimate, blocks, low?.toFixed(4), high?.toFixed(4)], [0.75, 8, '0.4093', '0.9285']);
});

test('too few runs decide nothing', () => {
  assert.equal(judge(runsOfBoth(0, 5)).verdict, 'INCONCLUSIVE');
});
