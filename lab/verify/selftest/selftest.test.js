import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { NotInjectedError, NotReadyError, RunFailedError, UnreadyMachineError } from '../../base/errors.js';
import { REPORTS } from '../../base/paths.js';
import { tryFault, tryTwice } from './selftest.js';

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
      command: 'make selftest',
      budget: 'none',
      repeatsOfAll: 1,
      system: undefined,
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

/** @typedef {import('../../record/selftest-score.js').Score} Score */

const SCORE = { fault: 'healthy', requests: 500, failures: 0, right_tier: 0, right: 0, unattributed: 0, where: {}, why: {}, pairs: [] };
const TAKEN = 'other machines took 14 %';

/** @param {Partial<Score>[]} scores of the runs, in their order */
async function tried(scores) {
  const said = /** @type {string[]} */ ([]);
  let runs = 0;
  const subject = /** @type {any} */ ({
    cannot: () => null,
    measure: async () => {
      runs += 1;
      return join(REPORTS, `a/${runs}`);
    },
    score: async (/** @type {string} */ _, /** @type {string} */ folder) => ({ ...SCORE, run: folder, misses: [], ...scores[runs - 1] }),
  });
  const progress = /** @type {any} */ ({ say: (/** @type {string} */ text) => said.push(text) });
  return { score: await tryTwice(subject, 'healthy', { ...given, progress }), runs, said };
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
