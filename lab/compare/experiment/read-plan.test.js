import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { shapes } from '../../../k6/lib/shapes.js';
import { NotReadyError } from '../../base/errors.js';
import { planOf } from '../../diagnose/fixtures/experiment-runs.js';
import { addBlocks, planToResume, readPlan } from './read-plan.js';

const arms = ['a', '2a'].map((id) => ({ id, architecture: id }));

test('blocks are added behind those that are planned, and fewer than planned are refused', () => {
  const plan = planOf({
    arms,
    repeats: 2,
    schedule: [
      ['a', '2a'],
      ['2a', 'a'],
    ],
  });
  const before = structuredClone(plan.schedule);
  for (const repeats of [null, 2]) addBlocks(plan, repeats);
  assert.deepEqual([plan.schedule, plan.repeats, plan.notes], [before, 2, []]);
  assert.throws(() => addBlocks(plan, 1), /REPEATS: expected 2 or more, as planned when it began; found "1"/);
  addBlocks(plan, 4);
  assert.deepEqual([plan.schedule.slice(0, 2), plan.schedule.length, plan.repeats, plan.notes.length], [before, 4, 4, 1]);
});

test('what the plan has settled, and what changes nothing about what is resumed, is refused by name', async () => {
  const folder = await mkdtemp(join(os.tmpdir(), 'doubletake-read-plan-'));
  try {
    await writeFile(join(folder, 'manifest.json'), JSON.stringify(planOf({ arms })));
    for (const [name, text] of [
      ['LOAD', /^RESUME: expected no LOAD/],
      ['WORKERS', /^RESUME: expected no WORKERS/],
      ['FAULTS', /^FAULTS: expected none, because it changes nothing about what is resumed/],
    ])
      await assert.rejects(
        planToResume(folder, { RESUME: folder, [String(name)]: '3' }),
        (error) => error instanceof NotReadyError && /** @type {RegExp} */ (text).test(error.message),
      );
    await assert.rejects(planToResume(folder, { RESUME: folder, REPEATS: '3' }), /RESUME: expected the experiment where it was begun/);
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('of a user’s own system the options of its plan are settled, and what a Compose file may read is not asked', async () => {
  const folder = await mkdtemp(join(os.tmpdir(), 'doubletake-read-plan-'));
  const own = { loads: { steps: { shape: shapes.steps({}), change: {}, fingerprint: 'f1' } }, allow_data: false };
  try {
    await writeFile(join(folder, 'manifest.json'), JSON.stringify(planOf({ arms, own })));
    for (const [name, text] of [
      ['RETRIES', /^RESUME: expected no RETRIES: the plan has settled that/],
      ['WORKERS', /^RESUME: expected the experiment where it was begun/],
    ])
      await assert.rejects(
        planToResume(folder, { RESUME: folder, [String(name)]: '3' }),
        (error) => error instanceof NotReadyError && /** @type {RegExp} */ (text).test(error.message),
      );
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('a folder without a plan is refused', async () => {
  const text = /^NotReadyError: RESUME: expected the folder of an experiment.*; found no manifest\.json in nowhere\./;
  await assert.rejects(planToResume('nowhere', { RESUME: 'nowhere' }), text);
});

test('a plan that was made when a user’s own system had one load alone has it in the place of several', async () => {
  const folder = await mkdtemp(join(os.tmpdir(), 'doubletake-read-plan-'));
  try {
    const shape = { title: 'a load', model: 'closed', unit: 'users', warmup_s: 3, stages: [] };
    const own = { shape, allow_data: true, fingerprint: 'f1' };
    await writeFile(join(folder, 'manifest.json'), JSON.stringify({ ...planOf({ arms, load: 'steps' }), own }));
    const plan = await readPlan('RUN', folder);
    assert.deepEqual(plan.own, { allow_data: true, loads: { steps: { shape, change: {}, fingerprint: 'f1' } } });
  } finally {
    await rm(folder, { recursive: true });
  }
});
