/**
 * The order of an experiment's runs, and which of them are still to be made.
 *
 * @typedef {import('../plan.js').Plan} Plan
 */
import { createHash } from 'node:crypto';
import { createRandom } from '../../stats/random.js';

/** An INVALID run is made once more, at once, so that its block stays one moment of the machine. */
const ATTEMPTS_MOST = 2;

/**
 * Who allows a busy machine wants its runs as they come: made again at once, one would be INVALID again.
 * @param {string | undefined} busy  the variable BUSY
 * @returns {number} how often a run is made at most
 */
export const attemptsMost = (busy) => (busy === 'allow' ? 1 : ATTEMPTS_MOST);

/**
 * Blocks, each with all arms. The order is drawn for every second block; the one after it has the same backwards, so that
 * of any two arms each comes first equally often, and what the first run of a block leaves behind favours neither.
 * @param {string[]} arms
 * @param {number} repeats
 * @param {number} seed
 * @returns {string[][]}
 */
export function scheduleOf(arms, repeats, seed) {
  const random = createRandom(seed);
  const pairs = Array.from({ length: Math.ceil(repeats / 2) }, () => random.shuffle(arms));
  return pairs.flatMap((order) => [order, order.toReversed()]).slice(0, repeats);
}

/**
 * @param {import('../../catalog/claims.js').Claim[]} claims
 * @returns {string | null} SHA-256, or null when there are none
 */
export const hashOf = (claims) => (claims.length === 0 ? null : sha256(claims));

/** @param {Plan['definition']} definition @returns {string | null} SHA-256, or null when there is none */
export const definitionHashOf = (definition) => (definition ? sha256(definition) : null);

/** @param {unknown} value of its JSON */
const sha256 = (value) => createHash('sha256').update(JSON.stringify(value)).digest('hex');

/**
 * The runs that are still to be made, in order.
 * @param {Plan} plan
 * @returns {{ block: number, arm: string }[]}
 */
export function remainingOf({ schedule, attempts, attempts_most: most = ATTEMPTS_MOST }) {
  return schedule.flatMap((arms, index) =>
    arms
      .filter((arm) => {
        const made = attempts.filter((attempt) => attempt.block === index + 1 && attempt.arm === arm);
        return made.length < most && made.every(({ validity }) => validity === 'INVALID');
      })
      .map((arm) => ({ block: index + 1, arm })),
  );
}
