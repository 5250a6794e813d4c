import assert from 'node:assert/strict';
import { test } from 'node:test';
import { planOf, runsOf } from '../../diagnose/fixtures/experiment-runs.js';
import { blocksWanted, invalidOf } from './finish.js';

const ARMS = ['a', '2a-slots'].map((id) => ({ id, architecture: id }));

/** Of eight blocks, so many without a run that is SUSPECT. @param {number} valid */
function wantedWith(valid) {
  const plan = planOf({ experiment: 'compare', load: 'smoke', arms: ARMS, pairs: [['a', '2a-slots']] });
  const runs = runsOf(plan, {}).map((run) => {
    if (run.attempt.block <= valid || run.attempt.arm === 'a') return run;
    return { ...run, result: { ...run.result, validity: { ...run.result.validity, verdict: /** @type {const} */ ('SUSPECT') } } };
  });
  return blocksWanted(plan, runs);
}

test('a comparison wants as many blocks more as it has too few without a SUSPECT run', () => {
  assert.deepEqual([8, 7, 2, 0].map(wantedWith), [0, 1, 6, 8]);
});

test('the runs of a baseline are not added to', () => {
  const plan = planOf({ experiment: 'compare', load: 'smoke', arms: ARMS, pairs: [['a', '2a-slots']] });
  assert.equal(blocksWanted({ ...plan, baseline: /** @type {any} */ ({ arm: 'a', attempts: [] }) }, []), 0);
});

test("a plan's own runs that are INVALID are counted, with what most of them are for", () => {
  const plan = planOf({ experiment: 'compare', load: 'smoke', arms: ARMS, pairs: [['a', '2a-slots']] });
  const reasons = ['no CPU', 'no files', 'no CPU'];
  const runs = runsOf(plan, {}).map((run, index) => {
    if (index >= reasons.length) return run;
    const validity = { ...run.result.validity, verdict: /** @type {const} */ ('INVALID'), reasons: [reasons[index]] };
    return { ...run, result: { ...run.result, validity } };
  });
  plan.attempts = runs.map(({ attempt }) => attempt);
  assert.deepEqual(invalidOf(plan, runs), { runs: 3, of: 16, reason: 'no CPU' });
  assert.deepEqual(invalidOf({ attempts: plan.attempts.slice(3) }, runs), { runs: 0, of: 13, reason: '' });
});
