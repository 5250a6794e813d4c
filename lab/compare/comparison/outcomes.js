/**
 * What became of a run's requests, as rates that add up to all of them.
 *
 * @typedef {import('../../record/experiment-result.js').Outcomes} Outcomes
 */
import { rounded } from '../../stats/numbers.js';

/**
 * @param {Pick<import('../../record/result.js').Result, 'metrics' | 'queue' | 'duration_s'>} result
 * @returns {Outcomes | null} null where nothing was finished, or nobody counted what was refused
 */
export function outcomesOf({ metrics: { requests, failures, refused }, queue, duration_s: seconds }) {
  if (requests === 0 || seconds === 0 || refused === undefined) return null;
  const accepted = requests - failures;
  // Of what a queue has accepted, some is done only when the load is over.
  const done = queue ? Math.min(accepted, queue.completed_in_load) : accepted;
  const rate = (/** @type {number} */ count) => rounded(count / seconds, 2) ?? 0;
  return { done_rps: rate(done), accepted_rps: rate(accepted - done), refused_rps: rate(refused), failed_rps: rate(failures - refused) };
}
