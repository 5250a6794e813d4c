/**
 * What makes the runs of a plan: its arms are shipped architectures, or two sides of a user's own system.
 *
 * @typedef {object} Runner
 * @property {() => Promise<void>} prepare  before the first run: gets what all of them need, and settles in the plan what they share
 * @property {(arm: string, progress: Progress) => Promise<Made>} measure  one run
 * @property {() => Promise<void>} close    after the last, however it ended
 *
 * @typedef {object} Made
 * @property {string} folder        of the run
 * @property {boolean} interrupted
 * @property {import('../define/plan.js').Attempt['images']} [images]
 *
 * @typedef {object} RunnerOptions
 * @property {import('../define/plan.js').Plan} plan
 * @property {Progress} progress
 * @property {AbortSignal} signal
 *
 * @typedef {import('../measure/progress.js').Progress} Progress
 */
import { EXPERIMENT_RECORD } from '../define/paths.js';
import { ownRunner } from './own-runner.js';
import { shippedRunner } from './shipped-runner.js';

/** @param {RunnerOptions} options @returns {Runner} */
export function runnerOf(options) {
  const { id, own } = options.plan;
  // The folder below reports/ in which each run has its own.
  const group = `${id}/${EXPERIMENT_RECORD.runs}`;
  return own ? ownRunner(options, group) : shippedRunner(options, group);
}
