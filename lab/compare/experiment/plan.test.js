import assert from 'node:assert/strict';
import { test } from 'node:test';
import { claimsOf } from '../../catalog/claims.js';
import { experiments } from '../../catalog/experiments.js';
import { planOf } from '../../diagnose/fixtures/experiment-runs.js';
import { secondsLeft } from './conduct.js';
import { attemptsMost, definitionHashOf, hashOf, remainingOf, scheduleOf } from './plan.js';

const arms = ['a', '2a'].map((id) => ({ id, architecture: id }));
/** @type {(block: number, arm: string, validity: 'VALID' | 'SUSPECT' | 'INVALID') => import('../plan.js').Attempt} */
const attempt = (block, arm, validity) => ({ block, arm, run: `${block}-${arm}`, validity, took_s: 50 });

test('every block has every arm once, in an order that the seed repeats', () => {
  const schedule = scheduleOf(['a', '2a', '2a-tuned'], 8, 7);
  assert.deepEqual(schedule, scheduleOf(['a', '2a', '2a-tuned'], 8, 7));
  assert.notDeepEqual(schedule, scheduleOf(['a', '2a', '2a-tuned'], 8, 8));
  for (const block of schedule) assert.deepEqual(block.toSorted(), ['2a', '2a-tuned', 'a']);
  assert.ok(new Set(schedule.map((block) => block.join())).size > 2);
});

test('of any two arms each comes first in half of the blocks', () => {
  for (let seed = 0; seed < 20; seed += 1) {
    const firsts = scheduleOf(['a', '2a'], 8, seed).filter(([first]) => first === 'a');
    assert.equal(firsts.length, 4);
  }
  assert.equal(scheduleOf(['a', '2a'], 3, 1).length, 3);
});

test('what remains is what has no run that counts; an INVALID run is made once more, and no oftener', () => {
  const plan = planOf({ arms, repeats: 2, attempts: [attempt(1, 'a', 'SUSPECT'), attempt(1, '2a', 'INVALID')] });
  assert.deepEqual(remainingOf(plan), [
    { block: 1, arm: '2a' },
    { block: 2, arm: 'a' },
    { block: 2, arm: '2a' },
  ]);
  plan.attempts.push(attempt(1, '2a', 'INVALID'));
  assert.deepEqual(remainingOf(plan)[0], { block: 2, arm: 'a' });
});

test('on a machine that may be busy, no run is made again', () => {
  assert.deepEqual([attemptsMost(undefined), attemptsMost('refuse'), attemptsMost('allow')], [2, 2, 1]);
  const plan = planOf({ arms, repeats: 1, attempts: [attempt(1, 'a', 'INVALID')] });
  assert.deepEqual(remainingOf({ ...plan, attempts_most: 1 }), [{ block: 1, arm: '2a' }]);
});

test('the time left is what the runs so far took, or what the load lasts and a little more', () => {
  assert.equal(secondsLeft(planOf({ arms, repeats: 2, attempts: [attempt(1, 'a', 'VALID')] })), 150);
  const planned = secondsLeft(planOf({ arms, repeats: 1 }));
  assert.ok(planned > 2 * 19 && planned < 2 * 60, String(planned));
});

test('runs of each load take their own time', () => {
  const several = [
    { ...arms[0], load: 'smoke' },
    { ...arms[1], load: 'surge' },
  ];
  const left = (/** @type {import('../plan.js').Attempt[]} */ attempts) => secondsLeft(planOf({ arms: several, repeats: 2, attempts }));
  const [smoke, surge] = several.map((arm) =>
    secondsLeft(planOf({ arms: [arm, arm], load: arm.load, repeats: 1, pairs: [], schedule: [[arm.id]] })),
  );
  assert.equal(left([]), 2 * smoke + 2 * surge);
  assert.equal(left([attempt(1, 'a', 'VALID')]), 50 + 2 * surge);
});

test('the hash of the claims changes with any of their thresholds', () => {
  const [claim] = claimsOf('doubling');
  const changed = { ...claim, tests: claim.tests.map((part) => ({ ...part, threshold: part.threshold + 1 })) };
  assert.match(hashOf([claim]) ?? '', /^[0-9a-f]{64}$/);
  assert.notEqual(hashOf([claim]), hashOf([changed]));
  assert.equal(hashOf([]), null);
});

test('the hash of the definition changes with whatever decides how the claims may be judged', () => {
  const definition = { ...experiments.doubling, claims: claimsOf('doubling') };
  const hash = definitionHashOf(definition);
  assert.match(hash ?? '', /^[0-9a-f]{64}$/);
  for (const change of [{ load: 'calm' }, { budget: 'none' }, { judged_under: [] }, { remarks: [] }, { pairs: [] }, { claims: [] }])
    assert.notEqual(definitionHashOf({ ...definition, ...change }), hash, Object.keys(change)[0]);
  assert.equal(definitionHashOf(null), null);
  assert.equal(definitionHashOf(undefined), null);
});
