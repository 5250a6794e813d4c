/**
 * Whether runs were graded VALID by rules that were replaced since. `result.json` says by its version which they were: up to version 1 a run
 * was graded as a whole; from version 2 on by effect, stage by stage, and a held stage may not drift.
 *
 * @typedef {import('../record/result.js').Result} Result
 */
import { RESULT_SCHEMA_VERSION } from '../record/result.js';

/** Since this version of result.json runs are graded as they are today. */
export const GRADED_SINCE = 2;

/**
 * @param {Pick<Result, 'schema'>[]} runs  those that are kept of an experiment
 * @returns {string | null} null where all were graded as today, or where no run is kept
 */
export function replacedGrading(runs) {
  const oldest = Math.min(...runs.map(({ schema }) => schema));
  if (!(oldest < GRADED_SINCE)) return null;
  return `Its runs were graded by rules that were replaced since (result.json version ${oldest}, today ${RESULT_SCHEMA_VERSION}): as a whole and not stage by stage, and without a limit to how far a held rate may drift. By today's rules some may be SUSPECT.`;
}
