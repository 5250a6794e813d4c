import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { planOf } from '../analyse/fixtures/experiment-runs.js';
import { runnerOf } from './runner.js';

test('the runs of an own system are made in the folder of its doubletake.yaml, and not without one', async () => {
  const here = process.cwd();
  const folder = await mkdtemp(join(os.tmpdir(), 'doubletake-test-'));
  const shape = /** @type {const} */ ({ title: 'a load', model: 'closed', unit: 'users', warmup_s: 3 });
  const plan = planOf({
    arms: ['POOL=8', 'POOL=32'].map((id) => ({ id, architecture: 'shop' })),
    own: { shape: { ...shape, stages: [] }, allow_data: false, fingerprint: 'f1' },
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
