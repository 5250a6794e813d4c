/**
 * What every new plan has, whatever it is of: its name, the order of its runs, and the hashes of what is fixed before the first.
 *
 * @typedef {import('../define/plan.js').Plan} Plan
 * @typedef {Record<string, string | undefined>} Env
 */
import { randomInt } from 'node:crypto';
import { readOption } from '../define/accepted-options.js';
import { LEAST_BLOCKS } from '../define/comparison.js';
import { newFolderName } from '../define/paths.js';
import { PLAN_SCHEMA_VERSION } from '../define/plan.js';
import { readCommit } from '../measure/components.js';
import { attemptsMost, definitionHashOf, hashOf, scheduleOf } from './plan.js';

/** Seeds are drawn short, to be typed. */
const SEED_BELOW = 10_000;

/**
 * The seed as given. Without one the order is drawn anew: the same one every time would repeat what it favours.
 * @param {Env} env
 */
export const seedIn = (env) => env.SEED || String(randomInt(SEED_BELOW));

/**
 * @param {Env} env
 * @returns {number} blocks
 * @throws {import('../define/errors.js').NotReadyError} when REPEATS is no number of them
 */
export const repeatsIn = (env) => readOption('REPEATS', env) ?? LEAST_BLOCKS;

/**
 * @typedef {'schema' | 'id' | 'schedule' | 'claims_hash' | 'definition_hash' | 'baseline' | 'git' | 'started' | 'ended' | 'attempts' | 'attempts_most'} Settled
 * @param {Omit<Plan, Settled>} decided
 * @returns {Promise<Plan>} of which no run is made
 */
export async function newPlan(decided) {
  const { experiment, arms, repeats, seed, claims, definition } = decided;
  return {
    schema: PLAN_SCHEMA_VERSION,
    id: `${experiment}/${newFolderName()}`,
    ...decided,
    schedule: scheduleOf(
      arms.map(({ id }) => id),
      repeats,
      seed,
    ),
    claims_hash: hashOf(claims),
    definition_hash: definitionHashOf(definition),
    baseline: null,
    git: await readCommit(),
    started: new Date().toISOString(),
    ended: null,
    attempts_most: attemptsMost(decided.busy),
    attempts: [],
  };
}
