import assert from 'node:assert/strict';
import { test } from 'node:test';
import { planOf } from '../analyse/fixtures/experiment-runs.js';
import { newPlan, repeatsIn, seedIn } from './new-plan.js';
import { scheduleOf } from './plan.js';

const arms = ['a', '2a'].map((id) => ({ id, architecture: id }));

test('a new plan has the order that its seed draws, and no run yet', async () => {
  const { id: earlier, ...decided } = planOf({ arms });
  const { schema, schedule, id, attempts, ended, baseline, arms: kept } = await newPlan({ ...decided, repeats: 3, seed: 7 });
  assert.deepEqual(schedule, scheduleOf(['a', '2a'], 3, 7));
  assert.match(id, /^test\/\d{4}-\d{2}-\d{2}T\d{6}Z-[0-9a-f]{4}$/);
  assert.notEqual(id, earlier);
  assert.deepEqual([schema, attempts, ended, baseline, kept], [1, [], null, null, arms]);
});

test('a seed that is given stands, and without one a short one is drawn', () => {
  assert.equal(seedIn({ SEED: '7' }), '7');
  assert.match(seedIn({}), /^\d{1,4}$/);
});

test('a comparison has as many blocks as a verdict needs, or as many as are asked for', () => {
  assert.deepEqual([repeatsIn({}), repeatsIn({ REPEATS: '2' })], [8, 2]);
  assert.throws(() => repeatsIn({ REPEATS: '0' }), /REPEATS: expected a whole number from 1 to 100; found "0"/);
});
