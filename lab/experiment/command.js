/**
 * The commands `compare` and `experiment`: plan, make the runs, judge, render. Each gives the exit code.
 */
import { join, relative } from 'node:path';
import { EXIT } from '../define/errors.js';
import { REPORTS } from '../define/paths.js';
import { takeLock } from '../measure/lock.js';
import { createProgress } from '../measure/progress.js';
import { writeIndex } from '../reports.js';
import { conduct, minutes, savePlan, secondsLeft } from './conduct.js';
import { COMPARE, planComparison, planExperiment, planToResume } from './make-plan.js';
import { remainingOf } from './plan.js';

/** @typedef {Record<string, string | undefined>} Env */

/** @param {Env} env @param {AbortSignal} signal @returns {Promise<number>} */
export const compare = (env, signal) => carryOut(() => (env.RESUME ? planToResume(env.RESUME) : planComparison(env)), signal);

/** @param {string} id @param {Env} env @param {AbortSignal} signal @returns {Promise<number>} */
export const experiment = (id, env, signal) => carryOut(() => (env.RESUME ? planToResume(env.RESUME) : planExperiment(id, env)), signal);

/** @param {() => Promise<import('./plan.js').Plan>} makePlan @param {AbortSignal} signal */
async function carryOut(makePlan, signal) {
  const release = takeLock();
  const progress = createProgress(process.stdout);
  try {
    const plan = await makePlan();
    const folder = join(REPORTS, plan.id);
    const shown = relative(process.cwd(), folder);
    progress.say(`${plan.title}: ${remainingOf(plan).length} runs, about ${minutes(secondsLeft(plan))}; seed ${plan.seed}; ${shown}`);
    await conduct({ plan, progress, signal });
    if (signal.aborted) {
      const target = plan.experiment === COMPARE ? COMPARE : `experiment-${plan.experiment}`;
      progress.say(`interrupted; what was measured is kept. Go on with: make ${target} RESUME=${shown}`);
      return EXIT.interrupted;
    }
    plan.ended = new Date().toISOString();
    await savePlan(plan);
    await writeIndex();
    return EXIT.done;
  } finally {
    release();
  }
}
