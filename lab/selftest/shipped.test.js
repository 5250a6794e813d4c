import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { appendFile, mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { putStoredRun } from '../analyse/fixtures/stored-run.js';
import { NotReadyError } from '../define/errors.js';
import { ROOT } from '../define/paths.js';
import { listen } from '../fixtures/reporter.js';
import { failedScore } from './score.js';
import { runsLeft } from './selftest.js';
import { scoreFolder, selftest, shippedSubject } from './shipped.js';

test('a fault that is not known is named before anything is started', async () => {
  const chosen = selftest({ FAULTS: 'healthy,unknown' }, listen().around);
  await assert.rejects(chosen, (error) => error instanceof NotReadyError && /found "unknown"/.test(error.message));
});

test('a number of repeats that is none is named before anything is started', async () => {
  const chosen = selftest({ FAULTS: 'healthy', REPEATS: 'many' }, listen().around);
  await assert.rejects(chosen, (error) => error instanceof NotReadyError && /^REPEATS/.test(error.message));
});

test('what would change the dose of a fault, or what is gone on with, is refused', async () => {
  for (const [faults, name] of [
    ['healthy', 'DELAY'],
    ['healthy', 'SEED'],
    ['healthy', 'WORKERS'],
    ['rest', 'REPEATS'],
    ['again', 'BUDGET'],
  ]) {
    const chosen = selftest({ FAULTS: faults, [name]: '3' }, listen().around);
    const wanted = new RegExp(`^${name}: expected none, because it changes nothing about the self-test with FAULTS=${faults}`);
    await assert.rejects(chosen, (error) => error instanceof NotReadyError && wanted.test(error.message));
  }
});

test('all faults are run once, then all again, and a test that was cut off goes on where it was', () => {
  const record = { wanted: 'healthy,pool-1', repeats: 2 };
  const subject = shippedSubject({});
  const scores = (/** @type {number} */ done) => Array.from({ length: done }, () => failedScore('', ''));
  assert.deepEqual(runsLeft({ ...record, scores: [] }, subject), ['healthy', 'pool-1', 'healthy', 'pool-1']);
  assert.deepEqual(runsLeft({ ...record, scores: scores(3) }, subject), ['pool-1']);
  assert.deepEqual(runsLeft({ ...record, scores: scores(4) }, subject), []);
});

test('a stored run is scored from its record, as often as one likes', async () => {
  const folder = await mkdtemp(join(os.tmpdir(), 'selftest-'));
  try {
    await putStoredRun(folder);
    await appendFile(join(folder, 'raw', 'app-1.log'), 'fault 1-1 destroyShare\n');
    const first = await scoreFolder('table-64', folder);
    assert.ok(first.failures > 0 && first.pairs.every(({ expected }) => expected.startsWith('load-balancer: ')));
    assert.ok(first.right <= first.right_tier && first.right_tier + first.unattributed <= first.failures);
    assert.deepEqual(await scoreFolder('table-64', folder), first);
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('the diagnosis knows nothing of the faults: no file of it reads them or the self-test', () => {
  const folder = join(ROOT, 'lab', 'analyse');
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.js') && !file.endsWith('.test.js'),
  );
  assert.ok(files.length > 20);
  for (const file of files) assert.doesNotMatch(readFileSync(join(folder, file), 'utf8'), /faults\.js|selftest\/|injection/, file);
});

test('the ledger, the bottleneck and their limits do not look at what the user put in', () => {
  const folder = join(ROOT, 'lab', 'analyse');
  const files = [
    ...readdirSync(join(folder, 'ledger')).map((file) => join('ledger', file)),
    'bottleneck.js',
    'saturations.js',
    'limits.js',
  ];
  for (const file of files) assert.doesNotMatch(readFileSync(join(folder, file), 'utf8'), /manifest\.faults|disturb/, file);
});
