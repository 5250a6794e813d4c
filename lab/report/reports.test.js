import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { RECORD } from '../base/paths.js';
import { putStoredRun } from '../diagnose/fixtures/stored-run.js';
import { readExpect } from '../options/expect.js';
import { finishRun } from './reports.js';

test('a run is finished with report and summary, and with JUnit as long as thresholds are given', async (context) => {
  const folder = await mkdtemp(join(os.tmpdir(), 'doubletake-reports-'));
  context.after(() => rm(folder, { recursive: true }));
  await putStoredRun(folder);
  const read = (/** @type {string} */ file) => readFile(join(folder, file), 'utf8');

  const result = await finishRun(folder, readExpect('goodput_rps>1,failure_rate<=0'));
  assert.deepEqual(JSON.parse(await read(RECORD.result)), JSON.parse(JSON.stringify(result)));
  assert.ok((await readdir(folder)).includes(RECORD.report));
  // The first threshold is met and the second is not; of a run that is INVALID neither is judged.
  const [met, failures, errors] = result.validity.verdict === 'INVALID' ? [0, 0, 2] : [1, 1, 0];
  assert.ok((await read(RECORD.summary)).includes(`Thresholds: ${met} of 2 met`));
  const suite = new RegExp(`<testsuite name="doubletake 2a smoke" [^>]*tests="2" failures="${failures}" errors="${errors}"`);
  assert.match(await read(RECORD.junit), suite);

  await finishRun(folder);
  assert.doesNotMatch(await read(RECORD.summary), /Thresholds/);
  assert.ok(!(await readdir(folder)).includes(RECORD.junit), 'a judgement of an older result does not stay');
});
