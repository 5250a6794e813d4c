/**
 * The commands `compare` and `experiment`: plan, make the runs, judge, render. Each gives the exit code.
 */

import { existsSync } from 'node:fs';
import { join, relative } from 'node:path';
import { EXIT } from '../../base/errors.js';
import { RECORD, REPORTS } from '../../base/paths.js';
import { architectures } from '../../catalog/architectures.js';
import { PROJECT_FILE } from '../../catalog/project-schema.js';
import { takeLock } from '../../docker/lock.js';
import { writeIndex } from '../../report/reports.js';
import { LEAST_BLOCKS } from '../../stats/ranks.js';
import { commandAbout } from '../plan.js';
import { EXPERIMENT_FILE } from './experiment-file.js';
import { finishExperiment } from './judge.js';
import { planProjectComparison, planProjectExperiment } from './project-plan.js';
import { planToResume, readPlan, remainingOf } from './read-plan.js';
import { minutes, runExperiment, savePlan, secondsLeft } from './run-experiment.js';
import { planComparison, planExperiment } from './shipped-plan.js';

/**
 * @typedef {Record<string, string | undefined>} Env
 * @typedef {import('../../cli/reporter.js').Around} Around
 */

/** @typedef {{ a: string[], b: string[] }} GivenArms */

/** By flags, which may be given several times, or as variables. @type {(flags: Partial<GivenArms>, env: Env) => GivenArms} */
export const givenArms = ({ a, b }, { A, B }) => ({ a: a ?? (A ? [A] : []), b: b ?? (B ? [B] : []) });

/** What stands before the options of an arm, or before a revision. @param {string} text */
const headOf = (text) => text.split(':')[0];
/** An assignment, a file or a revision. @param {string} head */
const isSide = (head) => /[=/.]/.test(head) || head === 'rev';

/**
 * Whether `compare` is about the system of a folder, and not about shipped architectures. A plan that is resumed says so itself.
 * @param {string} folder
 * @param {GivenArms} pair
 * @param {Env} env
 */
export function isProjectComparison(folder, { a, b }, { RESUME }) {
  const heads = [...a, ...b].map(headOf);
  const hasProject = existsSync(join(folder, PROJECT_FILE));
  if (heads.length === 0) return !RESUME && hasProject;
  return heads.some((head) => !Object.hasOwn(architectures, head)) && (hasProject || heads.some(isSide));
}

/**
 * Two architectures, or two arms of the system of a folder.
 * @param {Partial<GivenArms>} flags
 * @param {Env} env  A and B in their place
 * @param {{ folder: string, allowData: boolean } & Around} around  folder: of doubletake.yaml
 * @returns {Promise<number>}
 */
export async function compare(flags, env, { folder, allowData, ...around }) {
  const pair = givenArms(flags, env);
  const given = { ...env, A: pair.a.join(' '), B: pair.b.join(' ') };
  if (!isProjectComparison(folder, pair, env)) return planned(env, () => planComparison(given), around);
  const plan = await planProjectComparison({ ...pair, allowData, ...asked(folder, env, around) });
  return alone(async () => plan, around);
}

/** @type {(folder: string, env: Env, around: Around) => Pick<import('./project-plan.js').Given, 'folder' | 'env' | 'say' | 'signal'>} */
const asked = (folder, env, { reporter, signal }) => ({ folder, env, say: reporter.progress.say, signal });

/** A file of the user's has an ending, which no id has. @param {string} id */
const isFile = (id) => /\.ya?ml$/i.test(id);

/**
 * An experiment of the lab, by its id, or one of a user's own system, by its file.
 * @param {string | undefined} id  none: of the system of this folder, where it has one
 * @param {Env} env
 * @param {{ folder: string, allowData: boolean } & Around} around  folder: of doubletake.yaml
 * @returns {Promise<number>}
 */
export async function experiment(id, env, { folder, allowData, ...around }) {
  const isOwn = id === undefined ? existsSync(join(folder, PROJECT_FILE)) : isFile(id);
  const file = id ?? EXPERIMENT_FILE;
  return planned(
    env,
    () => (isOwn ? planProjectExperiment({ file, allowData, ...asked(folder, env, around) }) : planExperiment(id ?? '', env)),
    around,
  );
}

/**
 * What is typed wrongly is reported before another run is waited for. A plan that is gone on with may be that one's, and is read when the engine is free.
 * @param {Env} env @param {() => Promise<import('../plan.js').Plan>} makePlan @param {Around} around
 */
async function planned(env, makePlan, around) {
  if (env.RESUME) return alone(() => planToResume(String(env.RESUME), env), around);
  const plan = await makePlan();
  return alone(async () => plan, around);
}

/** @param {() => Promise<import('../plan.js').Plan>} makePlan @param {Around} around */
async function alone(makePlan, around) {
  const release = await takeLock(around.reporter.progress.say);
  try {
    const plan = await makePlan();
    return await runPlan({ plan, ...around, goOn: goOnWith(plan) });
  } finally {
    await release();
  }
}

/** @param {import('../plan.js').Plan} plan @param {string[]} [variables] */
const goOnWith = (plan, variables = []) => commandAbout(plan, [`RESUME=${shownPath(join(REPORTS, plan.id))}`, ...variables]);

/**
 * Makes the runs of a plan that are missing, judges it and says what was found.
 * @param {object} options
 * @param {import('../plan.js').Plan} options.plan
 * @param {import('../../cli/reporter.js').Reporter} options.reporter
 * @param {AbortSignal} options.signal
 * @param {string} options.goOn  the command that goes on when this is interrupted
 * @returns {Promise<number>} exit code
 */
export async function runPlan({ plan, reporter, signal, goOn }) {
  const { progress } = reporter;
  const folder = join(REPORTS, plan.id);
  progress.say(
    `${plan.title}: ${remainingOf(plan).length} runs, about ${minutes(secondsLeft(plan))}; seed ${plan.seed}; ${shownPath(folder)}`,
  );
  // On a full disk there may be no plan to go on with.
  const keep = () => existsSync(join(folder, RECORD.manifest)) && progress.say(`what was measured is kept; go on with: ${goOn}`);
  try {
    await runExperiment({ plan, progress, signal });
  } catch (error) {
    keep();
    throw error;
  }
  if (signal.aborted) {
    keep();
    return EXIT.interrupted;
  }
  plan.ended = new Date().toISOString();
  await savePlan(plan);
  return reportExperiment(folder, plan, reporter);
}

/**
 * Judges an experiment again, by the claims as they stood before its first run.
 * @param {string} folder
 * @param {import('../../cli/reporter.js').Reporter} reporter
 * @returns {Promise<number>} exit code
 */
export const judgeAgain = async (folder, reporter) => reportExperiment(folder, await readPlan('RUN', folder), reporter);

/** @type {(folder: string, plan: import('../plan.js').Plan, reporter: import('../../cli/reporter.js').Reporter) => Promise<number>} */
async function reportExperiment(folder, plan, reporter) {
  const { sentence, page, verdict, result, blocksWanted, invalid } = await finishExperiment(folder, plan);
  await writeIndex();
  const next = blocksWanted > 0 ? goOnWith(plan, [`REPEATS=${plan.repeats + blocksWanted}`]) : null;
  reporter.tell(`\n  ${sentence}\n${nextText(next, blocksWanted, invalid)}\n  report: ${shownPath(page)}\n\n`);
  reporter.give({ folder: shownPath(folder), report: shownPath(page), sentence, result });
  if (invalid.runs > 0 && invalid.runs === invalid.of) return EXIT.invalidRun;
  // A baseline is there to be held; a comparison without one is a question, and any answer is fine.
  if (!plan.baseline) return EXIT.done;
  return { worse: EXIT.thresholdNotMet, 'not judged': EXIT.invalidRun, held: EXIT.done }[verdict];
}

/**
 * What to do next, and first what made runs INVALID: more of them would be so too.
 * @param {string | null} command  null: nothing more is wanted
 * @param {number} blocksWanted
 * @param {import('./judge.js').Invalid} invalid
 * @returns {string} lines, or none
 */
export function nextText(command, blocksWanted, { runs, of, reason }) {
  const doubt = runs === 0 ? '' : `  ${runs === of ? 'every run' : `${runs} of ${of} runs`} INVALID: ${reason}\n`;
  if (command === null) return doubt;
  const valid = `of the ${LEAST_BLOCKS} blocks that a verdict needs ${LEAST_BLOCKS - blocksWanted} are VALID`;
  return `${doubt}  next: ${doubt === '' ? '' : 'put that right, then '}${command}  (${valid})\n`;
}

/** As the user would type it. @param {string} path */
export const shownPath = (path) => relative(process.cwd(), path);
