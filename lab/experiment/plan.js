/**
 * The order of an experiment's runs, and which of them are still to be made.
 *
 * @typedef {import('../define/plan.js').Plan} Plan
 */
import { createHash } from 'node:crypto';
import { createRandom } from '../define/random.js';

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
