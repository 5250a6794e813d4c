/**
 * The test of the diagnosis itself: known faults, one run at a time, and whether each failed request is placed rightly.
 *
 * @typedef {object} Subject     what the faults are put into
 * @property {string} command    that repeats the test
 * @property {string} budget
 * @property {number} repeatsOfAll  runs of each fault, where all are tried and REPEATS says nothing
 * @property {SelftestRecord['system']} system
 * @property {(wanted: string) => string[]} choose  ids, in the order in which they are to be run; refuses what it does not know
 * @property {(id: string) => string | undefined} titleOf
 * @property {(id: string) => string | null} cannot  a clause that says why the fault cannot be put in, where that is known
 * @property {(id: string, given: { budget: string, progress: Progress, signal: AbortSignal }) => Promise<string>} measure  makes a run with
 *   the fault in it, and gives its folder
 * @property {(id: string, folder: string) => Promise<Score>} score  the diagnosis of such a run
 * @property {(left: string[]) => Promise<void>} [consent]  given the ids of the runs that are to be made; rejects where they are not wanted
 * @property {(id: string) => boolean} mayRefuse  whether a fault may turn out not to fit it, or this machine, which says nothing of the diagnosis
 *
 * @typedef {import('../../cli/progress.js').Progress} Progress
 * @typedef {import('../../record/selftest-score.js').Score} Score
 * @typedef {import('../../record/selftest-total.js').SelftestRecord} SelftestRecord
 */
import { join, relative } from 'node:path';
import { asTold, EXIT, NotInjectedError, NotReadyError, UnreadyMachineError } from '../../base/errors.js';
import { REPORTS } from '../../base/paths.js';
import { takeLock } from '../../docker/lock.js';
import { readOption } from '../../options/accepted-options.js';
import { failedScore, skippedScore } from '../../record/selftest-score.js';
import { totalOf } from '../../record/selftest-total.js';
import { scoreTable } from '../../report/selftest-terminal.js';
import { commitText, keepRecord, newRecord, readLastRecord, writePages } from './record.js';

/** Every fault that there is. */
export const ALL = 'all';
/** Scores the runs of the last self-test again, after a rule was changed; nothing is run. */
export const AGAIN = 'again';
/** Goes on with the last self-test that was cut off. */
export const REST = 'rest';

/**
 * @param {Subject} subject
 * @param {Record<string, string | undefined>} env  FAULTS: `all` (default), what the subject knows, `rest` or `again`; REPEATS: runs of each
 * @param {import('../../cli/reporter.js').Around} around
 * @returns {Promise<number>} exit code: 0 when every fault is diagnosed rightly
 */
export async function testDiagnosis(subject, env, { reporter, signal }) {
  const wanted = readOption('FAULTS', env);
  const { progress } = reporter;
  const record =
    wanted === AGAIN
      ? await scoreAgain(subject, progress)
      : await tryFaults(
          subject,
          wanted === REST ? await readLastRecord(REST, subject) : await planned(subject, wanted, env),
          progress,
          signal,
        );
  const total = totalOf(record.scores);
  const page = relative(process.cwd(), await writePages(record));
  reporter.tell(`\n${scoreTable(record.scores).join('\n')}\n\n${total.passed} of ${total.faults} faults were diagnosed rightly.\n`);
  reporter.tell(`  page: ${page}\n`);
  reporter.give({ report: page, result: { total, record } });
  return total.passed === total.faults ? EXIT.done : EXIT.invalidRun;
}

/** @param {Subject} subject @param {string} wanted @param {Record<string, string | undefined>} env @returns {Promise<SelftestRecord>} without a run yet */
async function planned({ choose, repeatsOfAll, budget, system }, wanted, env) {
  choose(wanted);
  const repeats = readOption('REPEATS', env) ?? (wanted === ALL ? repeatsOfAll : 1);
  return newRecord({ wanted, repeats, budget, ...(system ? { system } : {}) });
}

/** @type {(subject: Subject, record: SelftestRecord, progress: Progress, signal: AbortSignal) => Promise<SelftestRecord>} */
async function tryFaults(subject, record, progress, signal) {
  const left = runsLeft(record, subject);
  await subject.consent?.(left);
  const release = await takeLock(progress.say);
  try {
    for (const [index, id] of left.entries()) {
      progress.say(`run ${index + 1} of ${left.length}: ${id}: ${subject.titleOf(id)}`);
      const score = await tryTwice(subject, id, { budget: record.budget, progress, signal, isFirst: record.scores.length === 0 });
      signal.throwIfAborted();
      record.scores.push(score);
      record.ended = new Date().toISOString();
      record.complete = index === left.length - 1;
      sayScore(progress, score, left);
      await keepRecord(record);
      await writePages(record);
    }
  } catch (error) {
    if (record.scores.length > 0) progress.say(`what was judged is kept; FAULTS=${REST} goes on with it`);
    throw error;
  } finally {
    await release();
  }
  return record;
}

/**
 * All faults once, then all again: what changes with the hour is not the fault's.
 * @param {Pick<SelftestRecord, 'wanted' | 'repeats' | 'scores'>} record
 * @param {Pick<Subject, 'choose'>} subject
 * @returns {string[]} ids, in the order in which they are to be run
 */
export function runsLeft({ wanted, repeats, scores }, { choose }) {
  const chosen = choose(wanted);
  return Array.from({ length: repeats }, () => chosen)
    .flat()
    .slice(scores.length);
}

/** @param {Subject} subject @param {Progress} progress @returns {Promise<SelftestRecord>} */
async function scoreAgain(subject, progress) {
  const before = await readLastRecord(AGAIN, subject);
  const ids = before.scores.map(({ fault }) => fault);
  const scores = [];
  for (const old of before.scores) {
    const { fault, run } = old;
    const score = run === '' || subject.titleOf(fault) === undefined ? old : await subject.score(fault, join(REPORTS, run));
    sayScore(progress, score, ids);
    scores.push(score);
  }
  const { system } = subject;
  const record = { ...before, ...(system ? { system } : {}), commit: await commitText(), scores };
  await keepRecord(record);
  return record;
}

/** Its line of the table that all of them make. @type {(progress: Progress, score: Score, ids: string[]) => void} */
function sayScore(progress, score, ids) {
  for (const line of scoreTable([score], ids).slice(1)) progress.say(line);
}

/** @typedef {{ budget: string, progress: Progress, signal: AbortSignal, isFirst: boolean }} Given */

/**
 * On a machine that was taken away from it, a run that comes out wrong says nothing of the diagnosis. It is made once more, as an
 * INVALID run of an experiment is.
 * @param {Subject} subject @param {string} id @param {Given} given @returns {Promise<Score>}
 */
export async function tryTwice(subject, id, given) {
  const first = await tryFault(subject, id, given);
  if (first.spoilt === undefined || given.signal.aborted) return first;
  given.progress.say(`  once more: ${first.spoilt}`);
  const second = await tryFault(subject, id, given);
  return second.spoilt === undefined ? second : skippedScore(id, second.spoilt, second.run);
}

/** @type {(subject: Subject, id: string, given: Given) => Promise<Score>} */
export async function tryFault(subject, id, { isFirst, ...given }) {
  const why = subject.cannot(id);
  if (why !== null) return skippedScore(id, why);
  let run = '';
  try {
    const folder = await subject.measure(id, given);
    run = relative(REPORTS, folder);
    return await subject.score(id, folder);
  } catch (error) {
    // One fault that cannot be put in must not cost the hour that the others take. What is not ready shows at once; the machine may stop
    // being so, and no fault is diagnosed wrongly where none was put in.
    const isUnready = asTold(error) instanceof UnreadyMachineError || (isFirst && error instanceof NotReadyError);
    if (given.signal.aborted || isUnready) throw error;
    if (error instanceof NotInjectedError && subject.mayRefuse(id)) return skippedScore(id, error.message, run);
    return failedScore(id, error instanceof Error ? error.message : String(error), run);
  }
}
