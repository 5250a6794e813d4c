/**
 * The plan of an experiment: everything that is decided before its first run. It is the experiment's manifest, and what an
 * interrupted experiment is resumed from.
 *
 * @typedef {import('../define/arms.js').Arm} Arm
 *
 * @typedef {object} Plan
 * @property {1} schema
 * @property {string} id             folder below reports/
 * @property {string} experiment     key of the table, or `compare`
 * @property {string} title
 * @property {string} question
 * @property {string} load
 * @property {string} budget
 * @property {number} repeats        blocks
 * @property {number} seed           of the random order
 * @property {import('../define/settings.js').ImageMode} images
 * @property {Arm[]} arms
 * @property {[string, string][]} pairs
 * @property {import('../define/experiments.js').Curve | null} curve
 * @property {string[][]} schedule   arms in the order of their runs, block by block
 * @property {import('../define/claims.js').Claim[]} claims  as they stood before the first run
 * @property {string | null} claims_hash  SHA-256 of their JSON
 * @property {import('../define/comparison.js').Control | null} control
 * @property {string} command        repeats it
 * @property {Record<string, any>} machine
 * @property {{ commit: string, changed: boolean } | null} git
 * @property {string} started        ISO 8601
 * @property {string | null} ended   null while runs are missing
 * @property {Attempt[]} attempts    runs made so far, in order
 * @property {string[]} notes
 *
 * @typedef {object} Attempt
 * @property {number} block          from 1
 * @property {string} arm
 * @property {string} run            folder below reports/
 * @property {'VALID' | 'SUSPECT' | 'INVALID'} validity
 * @property {number} took_s         the whole run, from nothing to nothing
 */
import { createHash } from 'node:crypto';
import { createRandom } from '../define/random.js';

export const PLAN_SCHEMA_VERSION = 1;
/** An INVALID run is made once more, at once, so that its block stays one moment of the machine. */
const ATTEMPTS_MOST = 2;

/**
 * Blocks, each with all arms in random order, so that no arm always runs on a machine that is warm from the same other.
 * @param {string[]} arms
 * @param {number} repeats
 * @param {number} seed
 * @returns {string[][]}
 */
export function scheduleOf(arms, repeats, seed) {
  const random = createRandom(seed);
  return Array.from({ length: repeats }, () => random.shuffle(arms));
}

/**
 * @param {import('../define/claims.js').Claim[]} claims
 * @returns {string | null} SHA-256, or null when there are none
 */
export const hashOf = (claims) => (claims.length === 0 ? null : createHash('sha256').update(JSON.stringify(claims)).digest('hex'));

/**
 * The runs that are still to be made, in order.
 * @param {Plan} plan
 * @returns {{ block: number, arm: string }[]}
 */
export function remainingOf({ schedule, attempts }) {
  return schedule.flatMap((arms, index) =>
    arms
      .filter((arm) => {
        const made = attempts.filter((attempt) => attempt.block === index + 1 && attempt.arm === arm);
        return made.length < ATTEMPTS_MOST && made.every(({ validity }) => validity === 'INVALID');
      })
      .map((arm) => ({ block: index + 1, arm })),
  );
}
