/**
 * The command `experiment all`: every experiment that has claims, one after the other, and their findings on one page. It says
 * first how long that takes, and goes on where it was interrupted.
 *
 * @typedef {import('../plan.js').Plan} Plan
 * @typedef {import('./all-manifest.js').All} All
 * @typedef {import('./all-manifest.js').Step} Step
 */
import { join } from 'node:path';
import { EXIT } from '../../base/errors.js';
import { formatCommand } from '../../base/format-command.js';
import { REPORTS } from '../../base/paths.js';
import { experiments } from '../../catalog/experiments.js';
import { takeLock } from '../../docker/lock.js';
import { askedExperiment } from '../systems.js';
import { newAll, readAll, saveAll, stepsLeft } from './all-manifest.js';
import { runPlan, shownPath } from './command.js';
import { recordsMade, writeFindings } from './findings.js';
import { planToResume, readPlan, remainingOf } from './read-plan.js';
import { minutes, savePlan, secondsLeft } from './run-experiment.js';

/**
 * @param {Record<string, string | undefined>} env  REPEATS, SEED, IMAGES, LOAD=smoke; or RESUME
 * @param {import('../../cli/reporter.js').Around} around
 * @returns {Promise<number>} exit code
 * @throws {import('../../base/errors.js').NotReadyError} naming the variable at fault
 */
export async function experimentAll(env, { reporter, signal }) {
  const { progress } = reporter;
  const release = await takeLock(progress.say);
  try {
    const all = env.RESUME ? await readAll(env.RESUME, env) : newAll(env);
    const shown = shownPath(join(REPORTS, all.id));
    const goOn = formatCommand(['experiment', 'all'], [`RESUME=${shown}`]);
    const missing = stepsLeft(all);
    // Planned here to be checked and counted; each is planned anew when it is its turn, as of that moment.
    const given = { folder: process.cwd(), allowData: false, say: progress.say, signal };
    const plans = await Promise.all(missing.map((step) => planOf(step, all.variables, { env, given })));
    progress.say(`${missing.length} of ${all.experiments.length} experiments to go; ${shown}`);
    for (const line of estimateOf(plans)) progress.say(line);
    await saveAll(all);
    let worst = /** @type {number} */ (EXIT.done);
    for (const step of missing) {
      if (signal.aborted) {
        progress.say(`what was measured is kept; go on with: ${goOn}`);
        return EXIT.interrupted;
      }
      const exitCode = await runPlan({ plan: await begin(all, step, { env, given }), reporter, signal, goOn });
      // One that decides nothing holds up no other.
      if (exitCode !== EXIT.done && exitCode !== EXIT.invalidRun) return exitCode;
      worst = Math.max(worst, exitCode);
      await markDone(all, step);
      const found = await writeFindingsOf(all);
      progress.say(`findings so far: ${found.report}`);
      reporter.give({ folder: shown, ...found });
    }
    return worst;
  } finally {
    await release();
  }
}

/**
 * A line for each experiment with its runs and how long they take, and one for all of them.
 * @param {Plan[]} plans
 * @returns {string[]}
 */
export function estimateOf(plans) {
  const rows = plans.map((plan) => ({ title: plan.title, runs: remainingOf(plan).length, seconds: secondsLeft(plan) }));
  rows.push({
    title: 'in all',
    runs: rows.reduce((sum, { runs }) => sum + runs, 0),
    seconds: rows.reduce((sum, { seconds }) => sum + seconds, 0),
  });
  const width = Math.max(...rows.map(({ title }) => title.length));
  const digits = Math.max(...rows.map(({ runs }) => String(runs).length));
  return rows.map(
    ({ title, runs, seconds }) =>
      `${title.padEnd(width)}  ${String(runs).padStart(digits)} ${runs === 1 ? 'run, ' : 'runs,'} about ${minutes(seconds)}`,
  );
}

/**
 * Arms with faults of their own keep the load that those are timed to, in a first look too.
 * @param {string} experiment
 * @param {Record<string, string>} variables  of all experiments
 * @returns {Record<string, string>}
 */
export function variablesFor(experiment, { LOAD: load, ...others }) {
  const isTimed = experiments[experiment].arms.some(({ variables = {} }) => variables.FAULT !== undefined);
  return load === undefined || isTimed ? others : { ...others, LOAD: load };
}

/** @typedef {{ env: Record<string, string | undefined>, given: Parameters<typeof askedExperiment>[2] }} Asked */

/** What is of this machine is given anew when it goes on. @type {(step: Step, variables: Record<string, string>, asked: Asked) => Promise<Plan>} */
async function planOf({ experiment, folder }, variables, { env: { BUSY }, given }) {
  if (folder === null) return askedExperiment(experiment, { ...variablesFor(experiment, variables), BUSY }, given).make();
  const path = shownPath(join(REPORTS, folder));
  const plan = await readPlan('RESUME', path);
  // Interrupted between its last run and its judgement: there is nothing to plan.
  return remainingOf(plan).length === 0 ? plan : planToResume(path, { BUSY });
}

/**
 * Notes where the experiment is before its first run, so that an interruption loses none.
 * @type {(all: All, step: Step, asked: Asked) => Promise<Plan>}
 */
async function begin(all, step, asked) {
  const plan = await planOf(step, all.variables, asked);
  if (step.folder !== null) return plan;
  await savePlan(plan);
  step.folder = plan.id;
  await saveAll(all);
  return plan;
}

/** @type {(all: All, step: Step) => Promise<void>} */
async function markDone(all, step) {
  step.done = true;
  if (stepsLeft(all).length === 0) all.ended = new Date().toISOString();
  await saveAll(all);
}

/** @param {All} all */
async function writeFindingsOf(all) {
  return writeFindings(join(REPORTS, all.id), await recordsMade(all.experiments.map(({ folder }) => folder)), { hasIndex: true });
}
