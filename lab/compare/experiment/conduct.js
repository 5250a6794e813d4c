/**
 * Makes the runs of a plan, block by block, and keeps the plan up to date on disk after each, so that an interruption
 * loses one run at most.
 */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { RECORD, REPORTS } from '../../base/paths.js';
import { writeWhole } from '../../base/whole-file.js';
import { secondsOfRun } from '../../options/run-length.js';
import { finishRun } from '../../report/reports.js';
import { loadsOf, partUnder, shapeOfPlan } from '../plan.js';
import { remainingOf } from './plan.js';
import { runnerOf } from './runner.js';

const MINUTE_S = 60;

/**
 * @param {object} options
 * @param {import('../plan.js').Plan} options.plan  its attempts are added to
 * @param {import('../../cli/progress.js').Progress} options.progress
 * @param {AbortSignal} options.signal
 * @returns {Promise<void>} when all runs are made, or the signal was given
 */
export async function conduct({ plan, progress, signal }) {
  await savePlan(plan);
  const runner = runnerOf({ plan, progress, signal });
  try {
    await runner.prepare();
    await savePlan(plan);
    await makeRuns({ plan, runner, progress, signal });
  } finally {
    await runner.close();
  }
}

/** @param {Parameters<typeof conduct>[0] & { runner: import('./runner.js').Runner }} options */
async function makeRuns({ plan, runner, progress, signal }) {
  for (let next = remainingOf(plan)[0]; next && !signal.aborted; next = remainingOf(plan)[0]) {
    const { block, arm } = next;
    const left = remainingOf(plan).length;
    progress.say(
      `block ${block} of ${plan.repeats}, ${arm}: ${left} ${left === 1 ? 'run' : 'runs'} to go, about ${minutes(secondsLeft(plan))}`,
    );
    const began = performance.now();
    const { folder, interrupted, images } = await runner.measure(arm, quietly(progress));
    if (interrupted) return;
    const result = await finishRun(folder);
    const { verdict, reasons } = result.validity;
    plan.attempts.push({ block, arm, run: result.run, validity: verdict, took_s: (performance.now() - began) / 1000, images });
    await savePlan(plan);
    progress.say(`  ${verdict === 'VALID' ? '' : `${verdict} (${reasons.join('; ')}). `}${result.headline}`);
  }
}

/** @param {import('../plan.js').Plan} plan @returns {number} seconds that the remaining runs are likely to take */
export function secondsLeft(plan) {
  const remaining = remainingOf(plan);
  return loadsOf(plan)
    .map((load) => partUnder(plan, load))
    .reduce((sum, part) => sum + secondsOfEach(part) * remaining.filter(isOf(part)).length, 0);
}

/** Seconds that a run under one load takes: the mean of those that were made, or as planned. @param {import('../plan.js').Plan} part */
function secondsOfEach(part) {
  const made = part.attempts.filter(isOf(part)).map(({ took_s: took }) => took);
  if (made.length > 0) return made.reduce((sum, took) => sum + took, 0) / made.length;
  return secondsOfRun(shapeOfPlan(part));
}

/** @type {(part: import('../plan.js').Plan) => (run: { arm: string }) => boolean} */
const isOf =
  ({ arms }) =>
  ({ arm }) =>
    arms.some(({ id }) => id === arm);

/** @param {number} seconds */
export const minutes = (seconds) => (seconds < MINUTE_S ? 'a minute' : `${Math.ceil(seconds / MINUTE_S)} minutes`);

/**
 * Dozens of runs would bury the experiment's own lines; doubts are kept, and what may take minutes.
 * @param {import('../../cli/progress.js').Progress} progress
 * @returns {import('../../cli/progress.js').Progress}
 */
export const quietly = (progress) => ({
  ...progress,
  say: (text) => {
    if (/^(note:|still there:|building |pulling |the machine is )/.test(text)) progress.say(text);
  },
});

/** @param {import('../plan.js').Plan} plan */
export async function savePlan(plan) {
  const folder = join(REPORTS, plan.id);
  await mkdir(folder, { recursive: true });
  await writeWhole(join(folder, RECORD.manifest), `${JSON.stringify(plan, null, 2)}\n`);
}
