/**
 * The test of the diagnosis itself: known faults, one run at a time, and whether each failed request is placed rightly.
 */
import { readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { gatherFacts } from '../analyse/ledger/facts.js';
import { placeAll } from '../analyse/ledger/ledger.js';
import { readRaw } from '../analyse/read-raw.js';
import { analyseRun } from '../analyse/result.js';
import { windowOf } from '../analyse/window.js';
import { calibrationFor } from '../calibrate.js';
import { DEFAULT_BUDGET } from '../define/budgets.js';
import { refuseAllBut } from '../define/effects.js';
import { EXIT, NotReadyError } from '../define/errors.js';
import { faults } from '../define/faults.js';
import { RECORD, REPORTS } from '../define/paths.js';
import { readSettings, whole } from '../define/settings.js';
import { takeLock } from '../measure/lock.js';
import { createProgress } from '../measure/progress.js';
import { measureRun } from '../measure/run.js';
import { prepareInjection } from './inject.js';
import { commitText, keepRecord, newRecord, readLastRecord, writePages } from './record.js';
import { failedScore, scoreRun } from './score.js';
import { confusions, totalByFault, totalOf } from './total.js';

const REPEATS_MOST = 20;
/** Of all faults, as the result page is made; some of them are tried once. */
const REPEATS_OF_ALL = 3;
/** Scores the runs of the last self-test again, after a rule was changed; nothing is run. */
const AGAIN = 'again';
/** Goes on with the last self-test that was cut off. */
const REST = 'rest';

/** @typedef {import('../measure/progress.js').Progress} Progress */
/** @typedef {import('./total.js').SelftestRecord} SelftestRecord */

/**
 * @param {Record<string, string | undefined>} env  FAULTS: `all` (default), `short`, ids with commas between, `rest` or
 *   `again`; REPEATS: runs of each
 * @param {AbortSignal} signal
 * @returns {Promise<number>} exit code: 0 when every fault is diagnosed rightly
 */
export async function selftest(env, signal) {
  const wanted = env.FAULTS || 'all';
  // The dose of a fault is its own, and what is gone on with was settled when it began.
  const isNew = wanted !== AGAIN && wanted !== REST;
  refuseAllBut(`the self-test with FAULTS=${wanted}`, ['FAULTS', ...(isNew ? ['REPEATS', 'BUDGET'] : [])], env);
  const progress = createProgress(process.stdout);
  const record =
    wanted === AGAIN
      ? await scoreAgain(progress)
      : await tryFaults(wanted === REST ? await readLastRecord(REST) : await planned(wanted, env), env, progress, signal);
  const total = totalOf(record.scores);
  process.stdout.write(`\n${total.passed} of ${total.faults} faults were diagnosed rightly.\n`);
  for (const { expected, found, count } of confusions(record.scores))
    process.stdout.write(`  ${count} of ${expected} taken for ${found}\n`);
  process.stdout.write(`  page: ${relative(process.cwd(), await writePages(record))}\n`);
  return total.passed === total.faults ? EXIT.done : EXIT.invalidRun;
}

/** @param {string} wanted @param {Record<string, string | undefined>} env @returns {Promise<SelftestRecord>} without a run yet */
async function planned(wanted, env) {
  chooseFaults(wanted);
  const repeats = whole('REPEATS', env.REPEATS, 1, REPEATS_MOST) ?? (wanted === 'all' ? REPEATS_OF_ALL : 1);
  return newRecord({ wanted, repeats, budget: env.BUDGET || DEFAULT_BUDGET });
}

/** @type {(record: SelftestRecord, env: Record<string, string | undefined>, progress: Progress, signal: AbortSignal) => Promise<SelftestRecord>} */
async function tryFaults(record, env, progress, signal) {
  const left = runsLeft(record);
  const release = takeLock();
  try {
    for (const [index, id] of left.entries()) {
      progress.say(`run ${index + 1} of ${left.length}: ${id}: ${faults[id].title}`);
      const score = await tryFault(id, { ...env, BUDGET: record.budget }, progress, signal, record.scores.length === 0);
      signal.throwIfAborted();
      record.scores.push(score);
      record.ended = new Date().toISOString();
      record.complete = index === left.length - 1;
      progress.say(sentenceOf(score));
      await keepRecord(record);
    }
  } finally {
    release();
  }
  return record;
}

/**
 * All faults once, then all again: what changes with the hour is not the fault's.
 * @param {Pick<SelftestRecord, 'wanted' | 'repeats' | 'scores'>} record
 * @returns {string[]} ids, in the order in which they are to be run
 */
export function runsLeft({ wanted, repeats, scores }) {
  const chosen = chooseFaults(wanted);
  return Array.from({ length: repeats }, () => chosen)
    .flat()
    .slice(scores.length);
}

/** @param {Progress} progress @returns {Promise<SelftestRecord>} */
async function scoreAgain(progress) {
  const before = await readLastRecord(AGAIN);
  const scores = [];
  for (const old of before.scores) {
    const { fault, run } = old;
    const score = run === '' || !faults[fault] ? old : await scoreFolder(fault, join(REPORTS, run));
    progress.say(`${fault}: ${sentenceOf(score)}`);
    scores.push(score);
  }
  const record = { ...before, commit: await commitText(), scores };
  await keepRecord(record);
  return record;
}

/** @param {import('./score.js').Score} score */
function sentenceOf(score) {
  const [{ passed }] = totalByFault([score]);
  const wrong = confusions([score]).map(({ expected, found, count }) => `${count} of ${expected} taken for ${found}`);
  const of = `${score.right} of ${score.failures} failed requests placed rightly, ${score.unattributed} unattributed (${score.run})`;
  return [`${passed ? 'right' : 'WRONG'}: ${of}`, ...wrong, ...score.misses].join('\n  ');
}

/** @param {string} wanted @returns {string[]} ids */
function chooseFaults(wanted) {
  if (wanted === 'all') return Object.keys(faults);
  if (wanted === 'short') return Object.keys(faults).filter((id) => faults[id].short);
  const ids = wanted.split(',');
  const unknown = ids.filter((id) => !faults[id]);
  if (unknown.length === 0) return ids;
  throw new NotReadyError(
    `FAULTS: expected all, short, rest, again or some of ${Object.keys(faults).join(', ')}; found "${unknown.join(', ')}".`,
    'use these names.',
  );
}

/** @type {(id: string, env: Record<string, string | undefined>, progress: Progress, signal: AbortSignal, isFirst: boolean) => Promise<import('./score.js').Score>} */
async function tryFault(id, env, progress, signal, isFirst) {
  const fault = faults[id];
  const settings = readSettings(fault.architecture, { ...env, LOAD: fault.load });
  const calibration = await calibrationFor({ settings, progress, signal });
  const injection = await prepareInjection(fault);
  let run = '';
  try {
    const { folder } = await measureRun({ settings, progress, signal, calibration, injection });
    run = relative(REPORTS, folder);
    return await scoreFolder(id, folder);
  } catch (error) {
    // One fault that cannot be put in must not cost the hour that the others take; a machine that is not ready shows at once.
    if (signal.aborted || (isFirst && error instanceof NotReadyError)) throw error;
    return failedScore(id, error instanceof Error ? error.message : String(error), run);
  } finally {
    await injection.remove();
  }
}

/** @param {string} id of the fault @param {string} folder of a run with it */
export async function scoreFolder(id, folder) {
  const result = await analyseRun(folder);
  const raw = await readRaw(folder);
  const window = /** @type {import('../analyse/window.js').Window} */ (windowOf(raw));
  return scoreRun({
    id,
    fault: faults[id],
    placed: placeAll(gatherFacts(raw, window)),
    beganS: window.from,
    marks: await readMarks(folder, raw.manifest.services),
    result,
  });
}

/**
 * What the nodes wrote of the faults that they committed; the diagnosis does not read it.
 * @param {string} folder
 * @param {{ name: string, tier: string }[]} services
 */
async function readMarks(folder, services) {
  /** @type {Map<string, Set<string>>} */
  const marks = new Map();
  for (const { name } of services.filter(({ tier }) => tier === 'app')) {
    const text = await readFile(join(folder, RECORD.raw, `${name}.log`), 'utf8').catch(() => '');
    for (const [, id, mark] of text.matchAll(/^fault (\S+) (\w+)$/gm)) marks.set(id, (marks.get(id) ?? new Set()).add(mark));
  }
  return marks;
}
