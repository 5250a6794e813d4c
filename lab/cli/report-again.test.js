import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { NotReadyError } from '../base/errors.js';
import { planOf } from '../diagnose/fixtures/experiment-runs.js';
import { listen } from '../fixtures/reporter.js';
import { report } from './report-again.js';

test('thresholds are for a run, and are refused where an experiment is judged again', async () => {
  const folder = await mkdtemp(join(os.tmpdir(), 'doubletake-report-'));
  try {
    await writeFile(join(folder, 'manifest.json'), JSON.stringify(planOf({ arms: [{ id: 'a', architecture: 'a' }] })));
    const judged = report(folder, { EXPECT: 'failure_rate<0.1' }, listen().reporter);
    await assert.rejects(
      judged,
      (error) => error instanceof NotReadyError && /^EXPECT: expected none, because .* an experiment/.test(error.message),
    );
  } finally {
    await rm(folder, { recursive: true });
  }
});
