/**
 * Makes the plan of a new experiment, whoever asks and of whatever systems: of what is asked the arms and loads that are wanted, what is
 * settled about their runs, the order of these, and the hashes of what is fixed before the first. A comparison is one of two arms.
 *
 * @typedef {import('../plan.js').Plan} Plan
 * @typedef {Record<string, string | undefined>} Env
 *
 * @typedef {object} Asked
 * @property {string} experiment   its id, or `compare`
 * @property {import('../../catalog/experiments.js').Experiment & { repeats?: number }} table  question, arms, loads, pairs; repeats: blocks unless
 *   REPEATS says otherwise
 * @property {(cores: number) => import('../../catalog/claims.js').Claim[]} claims  of a machine with so many cores
 * @property {(experiment: import('../../catalog/experiments.js').Experiment, env: Env) => Settled | Promise<Settled>} settle  checks each arm,
 *   under its load; env: with a seed
 *
 * @typedef {Pick<Plan, 'load' | 'budget' | 'seed' | 'images' | 'busy' | 'variables' | 'own'>
 *   & { commandWith: (repeats: number) => string }} Settled
 */
import { randomInt } from 'node:crypto';
import { newFolderName } from '../../base/paths.js';
import { describeMachine } from '../../docker/describe-machine.js';
import { readOption } from '../../options/accepted-options.js';
import { LEAST_BLOCKS } from '../../record/comparison.js';
import { readCommit } from '../../run/components.js';
import { PLAN_SCHEMA_VERSION } from '../plan.js';
import { chooseArms } from './choose-arms.js';
import { findControl } from './control.js';
import { COMPARE } from './judge.js';
import { attemptsMost, definitionHashOf, hashOf, scheduleOf } from './plan.js';
import { underLoads } from './under-loads.js';

/** Seeds are drawn short, to be typed. */
const SEED_BELOW = 10_000;

/**
 * @param {Asked} asked
 * @param {Env} env  ARMS, LOAD, REPEATS, SEED, and what the systems take
 * @returns {Promise<Plan>} of which no run is made
 * @throws {import('../../base/errors.js').NotReadyError} naming what is wrong with it
 */
export async function makePlan({ experiment: id, table, claims: claimsFor, settle }, env) {
  const machine = await describeMachine();
  const { experiment: chosen, claims, notes } = chooseArms(table, claimsFor(machine.cores), env.ARMS);
  const experiment = underLoads(chosen, env);
  const { commandWith, ...settled } = await settle(experiment, { ...env, SEED: seedIn(env) });
  const repeats = readOption('REPEATS', env) ?? table.repeats ?? LEAST_BLOCKS;
  const { title, question, arms, pairs, curve = null } = experiment;
  const definition = id === COMPARE ? null : { ...experiment, claims };
  return {
    ...{ schema: PLAN_SCHEMA_VERSION, id: `${id}/${newFolderName()}`, experiment: id, title, question },
    ...{ ...settled, repeats, arms, pairs, curve, claims, definition, machine, notes },
    control: await findControl({ ...settled, machine, arms, fingerprint: settled.own?.loads[settled.load].fingerprint }),
    command: commandWith(repeats),
    schedule: scheduleOf(
      arms.map((arm) => arm.id),
      repeats,
      settled.seed,
    ),
    ...{ claims_hash: hashOf(claims), definition_hash: definitionHashOf(definition), baseline: null },
    ...{ git: await readCommit(), started: new Date().toISOString(), ended: null },
    ...{ attempts_most: attemptsMost(settled.busy), attempts: [] },
  };
}

/**
 * The seed as given. Without one the order is drawn anew: the same one every time would repeat what it favours.
 * @param {Env} env
 */
export const seedIn = (env) => env.SEED || String(randomInt(SEED_BELOW));
