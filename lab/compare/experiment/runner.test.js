import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { planOf } from '../../diagnose/fixtures/experiment-runs.js';
import { imagesOf, projectSettingsOf, refuseOtherLoads, runnerOf } from './plan-runs.js';
import { sayingOnce } from './run-experiment.js';

const resolved = { title: '', given: [], compose: [], commit: null, absent: [], fingerprint: '' };
const arms = ['POOL=8', 'POOL=32'].map((id) => ({ id, architecture: 'shop', resolved }));
const shape = { title: 'a load', model: /** @type {const} */ ('closed'), unit: /** @type {const} */ ('users'), warmup_s: 3, stages: [] };
/** @type {Pick<import('../plan.js').Plan, 'loads' | 'allow_data'>} */
const kept = {
  loads: { steps: { shape, change: {}, fingerprint: 'f1' }, heavy: { shape, change: { users: 9 }, fingerprint: 'f2' } },
  allow_data: false,
};
/** @type {(arm: string, images?: Record<string, string>) => import('../plan.js').Attempt} */
const attempt = (arm, images) => ({ block: 1, arm, run: 'compare/x/runs/1', validity: 'VALID', took_s: 40, images });

test('the runs of an own system are made in the folder of its doubletake.yaml, and not without one', async () => {
  const here = process.cwd();
  const folder = await mkdtemp(join(os.tmpdir(), 'doubletake-test-'));
  const plan = planOf({
    arms,
    experiment: 'compare',
    load: 'steps',
    ...kept,
  });
  const progress = { say: () => {}, load: () => {}, done: () => {} };
  try {
    process.chdir(folder);
    const runner = runnerOf({ plan, progress, signal: new AbortController().signal });
    await assert.rejects(runner.prepare(), /^NotReadyError: compare: expected doubletake\.yaml in /);
    await runner.close();
  } finally {
    process.chdir(here);
    await rm(folder, { recursive: true });
  }
});

test('a run is not made under another load than those that the plan was made for', () => {
  refuseOtherLoads(kept, (load) => (load === 'heavy' ? 'f2' : 'f1'));
  assert.throws(
    () => refuseOtherLoads(kept, () => 'f1'),
    /^NotReadyError: doubletake\.yaml: expected it and the files of its load as they were/,
  );
});

test('what was built for an arm is what its last run had, and no other arm’s', () => {
  const attempts = [
    attempt('POOL=8', { web: 'sha256:1' }),
    attempt('POOL=8', { web: 'sha256:2' }),
    attempt('POOL=32', { web: 'sha256:3' }),
  ];
  assert.deepEqual(imagesOf({ attempts }, 'POOL=8'), { web: 'sha256:2' });
  assert.deepEqual(imagesOf({ attempts: [] }, 'POOL=8'), {});
});

test('what is the same in each run is said once', () => {
  /** @type {string[]} */
  const lines = [];
  const progress = { say: (/** @type {string} */ text) => lines.push(text), load: () => {}, done: () => {} };
  const said = new Set();
  for (const text of ['note: one', 'note: one', 'note: two']) sayingOnce(/** @type {any} */ (progress), said).say(text);
  assert.deepEqual(lines, ['note: one', 'note: two']);
});

test('a run has the options of all runs, and in the place of them those of its arm', () => {
  const arm = { id: 'x', architecture: 'shop', resolved: { ...resolved, options: { RETRIES: '3', BUDGET: 'web=0.5' } } };
  const plan = planOf({ arms: [arm], variables: { LOAD: 'open', RATE: '50', RETRIES: '1' } });
  const { options } = projectSettingsOf('/shop', plan, arm);
  assert.deepEqual([options.load, options.rate, options.client?.retries, options.budget], ['open', 50, 3, { web: 0.5 }]);
});
