import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { NotInjectedError, NotReadyError, RunFailedError, UnreadyMachineError } from '../../base/errors.js';
import { REPORTS } from '../../base/paths.js';
import { projectSelftestRecord, selftestRecord } from '../../report/fixtures/selftest.js';
import { keepRecord, readLastRecord, tryFault, tryTwice, writePages } from './selftest.js';

const TARGET = { system: selftestRecord().system };

/** @param {(folder: string) => Promise<void>} check */
async function inFolder(check) {
  const folder = await mkdtemp(join(os.tmpdir(), 'selftest-record-'));
  try {
    await check(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

test('a record that is kept is read again as it was', () =>
  inFolder(async (folder) => {
    await keepRecord(selftestRecord(), join(folder, 'below'));
    assert.deepEqual(await readLastRecord('again', TARGET, join(folder, 'below')), selftestRecord());
  }));

test('a test of some faults leaves the record of all as it was, and what was cut off is found behind it', () =>
  inFolder(async (folder) => {
    const all = { ...selftestRecord(), complete: false, ended: '2026-01-01T00:00:00.000Z' };
    const some = { ...selftestRecord(), wanted: 'short', ended: '2026-01-02T00:00:00.000Z' };
    await keepRecord(all, folder);
    await keepRecord(some, folder);
    assert.deepEqual(await readLastRecord('again', TARGET, folder), some);
    assert.deepEqual(await readLastRecord('rest', TARGET, folder), all);
  }));

test('a record is read as one of what is tested today', () =>
  inFolder(async (folder) => {
    const { system: _, ...older } = selftestRecord();
    await keepRecord(/** @type {any} */ (older), folder);
    assert.deepEqual(await readLastRecord('again', TARGET, folder), selftestRecord());
  }));

test('where there is no record, or none to go on with, it is said how to get one', () =>
  inFolder(async (folder) => {
    const isSaid = (/** @type {unknown} */ error) => error instanceof NotReadyError && /make selftest/.test(error.message);
    await assert.rejects(readLastRecord('again', TARGET, folder), isSaid);
    await keepRecord(selftestRecord(), folder);
    await assert.rejects(readLastRecord('rest', TARGET, folder), isSaid);
  }));

test('a self-test of all faults writes the page that the repository shows, one of some faults does not', () =>
  inFolder(async (folder) => {
    const written = async (/** @type {Partial<import('../../record/selftest-total.js').SelftestRecord>} */ record) => {
      const [own, docs] = [await mkdtemp(join(folder, 'own-')), await mkdtemp(join(folder, 'docs-'))];
      const page = await writePages({ ...selftestRecord(), ...record }, { folder: own, docs });
      assert.match(await readFile(page, 'utf8'), /<!doctype html>/);
      assert.deepEqual((await readdir(dirname(page))).sort(), ['diagnosis.md', 'index.html']);
      return readdir(docs);
    };
    assert.deepEqual(await written({}), ['diagnosis.md']);
    assert.deepEqual(await written({ wanted: 'short' }), []);
    assert.deepEqual(await written({ complete: false }), []);
    assert.deepEqual(await written({ system: projectSelftestRecord().system }), []);
  }));

const given = {
  budget: 'none',
  progress: { say: () => {}, load: () => {}, done: () => {} },
  signal: new AbortController().signal,
  isFirst: false,
};

/** What becomes of a fault whose run ends so. @param {Error} error @param {{ isFirst?: boolean }} [changes] */
const endedBy = (error, changes = {}) =>
  tryFault(
    {
      ...TARGET,
      budget: 'none',
      repeatsOfAll: 1,
      choose: () => ['one'],
      titleOf: () => 'a fault',
      cannot: () => null,
      measure: () => Promise.reject(error),
      score: () => assert.fail('there is no run'),
      mayRefuse: () => true,
    },
    'one',
    { ...given, ...changes },
  );

test('a machine that is busy or full by now fails no fault: none was put in', async () => {
  for (const error of [
    new UnreadyMachineError('Expected a quiet machine.', 'stop the other programs.'),
    Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' }),
  ])
    await assert.rejects(endedBy(error), error);
});

test('a run that fails by itself costs that fault alone, unless nothing has run before', async () => {
  assert.match(JSON.stringify(await endedBy(new RunFailedError('The load ended early.'))), /The load ended early\./);
  const unready = new NotReadyError('Expected it to start.', 'look why.');
  assert.match(JSON.stringify(await endedBy(unready)), /Expected it to start\./);
  await assert.rejects(endedBy(unready, { isFirst: true }), unready);
});

test('a fault that does not fit is left out with the reason', async () => {
  assert.match(JSON.stringify(await endedBy(new NotInjectedError('there is no second one'))), /there is no second one/);
});

/** @typedef {import('../../record/selftest-total.js').Score} Score */

const SCORE = { fault: 'healthy', requests: 500, failures: 0, right_tier: 0, right: 0, unattributed: 0, where: {}, why: {}, pairs: [] };
const TAKEN = 'other machines took 14 %';

/** @param {Partial<Score>[]} scores of the runs, in their order */
async function tried(scores) {
  const said = /** @type {string[]} */ ([]);
  let runs = 0;
  const target = /** @type {any} */ ({
    cannot: () => null,
    measure: async () => {
      runs += 1;
      return join(REPORTS, `a/${runs}`);
    },
    score: async (/** @type {string} */ _, /** @type {string} */ folder) => ({ ...SCORE, run: folder, misses: [], ...scores[runs - 1] }),
  });
  const progress = /** @type {any} */ ({ say: (/** @type {string} */ text) => said.push(text) });
  return { score: await tryTwice(target, 'healthy', { ...given, progress }), runs, said };
}

test('a run that comes out wrong is made once, whatever the machine did to others', async () => {
  const { score, runs } = await tried([{ misses: ['found INVALID'] }]);
  assert.deepEqual([runs, score.misses], [1, ['found INVALID']]);
});

test('a wrong run on a machine that was taken away is made once more, and that one counts', async () => {
  const { score, runs, said } = await tried([{ misses: ['found INVALID'], spoilt: TAKEN }, { misses: ['no bottleneck'] }]);
  assert.deepEqual([runs, score.misses, said], [2, ['no bottleneck'], [`  once more: ${TAKEN}`]]);
});

test('if it was taken away again, nothing is judged by it', async () => {
  const { score, runs } = await tried([
    { misses: ['found INVALID'], spoilt: TAKEN },
    { misses: ['found INVALID'], spoilt: TAKEN },
  ]);
  assert.deepEqual([runs, score.skipped, score.misses], [2, TAKEN, []]);
});
