/**
 * Narrows an experiment to some of its arms: whoever has an hour for one that takes five can still have the claims judged that
 * are about those arms.
 *
 * @typedef {import('../../catalog/claims.js').Claim} Claim
 * @typedef {import('../../catalog/experiments.js').Experiment} Experiment
 */

import { NotReadyError } from '../../base/errors.js';
import { instead } from '../../base/nearest.js';
import { armsIn, armsOfClaim } from '../../catalog/claim-arms.js';
import { isNamedAfter } from './under-loads.js';

/** A curve through two points says nothing that the comparison of the two does not. */
const LEAST_POINTS = 3;

/**
 * @param {Experiment} experiment
 * @param {Claim[]} claims  of the experiment
 * @param {string | undefined} given  ids of arms with commas between; all of them when not given
 * @returns {{ experiment: Experiment, claims: Claim[], notes: string[] }} what those arms can answer, and what they cannot, in words
 * @throws {NotReadyError} when an arm is not the experiment's, or no two of them are compared
 */
export function chooseArms(experiment, claims, given) {
  if (!given) return { experiment, claims, notes: [] };
  const all = experiment.arms.map(({ id }) => id);
  const wanted = readArmIds(given, all);
  // A claim may speak of an arm under one of several loads.
  const isMade = (/** @type {string} */ arm) => wanted.some((id) => isNamedAfter(arm, id));
  const pairs = experiment.pairs.filter((pair) => pair.every(isMade));
  if (pairs.length === 0)
    throw new NotReadyError(
      `ARMS: expected at least two that the experiment compares (${experiment.pairs.map((pair) => pair.join(' and ')).join('; ')}); found ${given}.`,
      'add the other one.',
    );
  const judged = claims.filter((claim) => armsOfClaim(claim).every(isMade));
  const left = claims.filter((claim) => !judged.includes(claim)).map(({ id }) => id);
  const arms = experiment.arms.filter(({ id }) => isMade(id));
  return {
    experiment: { ...experiment, arms, pairs, curve: curveOf(experiment.curve, isMade) },
    claims: judged.map((claim) => ({ ...claim, shown: claim.shown.filter((shown) => armsIn(shown).every(isMade)) })),
    notes: [
      `made with ${arms.length} of the experiment's ${all.length} arms`,
      ...(left.length > 0 ? [`not judged, because they are about other arms too: ${left.join(', ')}`] : []),
    ],
  };
}

/**
 * @param {string | undefined} given  ids with commas between
 * @param {string[]} all  ids of the experiment's arms
 * @returns {string[]} those given, or all
 * @throws {NotReadyError} when one is not the experiment's
 */
export function readArmIds(given, all) {
  if (!given) return all;
  const wanted = given.split(',').map((name) => name.trim());
  const unknown = wanted.find((name) => !all.includes(name));
  if (unknown !== undefined)
    throw new NotReadyError(
      `ARMS: expected some of ${all.join(',')}; found "${unknown}".`,
      instead(unknown, all, 'give arms of the experiment, with commas between.'),
    );
  return wanted;
}

/** @type {(curve: Experiment['curve'], isMade: (arm: string) => boolean) => Experiment['curve']} */
function curveOf(curve, isMade) {
  const x = Object.entries(curve?.x ?? {}).filter(([arm]) => isMade(arm));
  return curve && x.length >= LEAST_POINTS ? { ...curve, x: Object.fromEntries(x) } : undefined;
}
