/**
 * Whether an experiment can carry a capacity plan. It says no before anything is fitted.
 *
 * @typedef {import('./readings.js').NumberOfNodes} NumberOfNodes
 */
import { NotReadyError } from '../base/errors.js';
import { spell } from '../base/spelling.js';
import { many, percent, significant } from '../stats/figure-words.js';
import { median } from '../stats/numbers.js';
import { BUSY_MOST, LEAST_NUMBERS, LEAST_RUNS } from './limits.js';
import { NODES } from './tier-demands.js';

const CURVE = { x_label: 'nodes', metric: 'goodput_rps' };

/**
 * @param {Pick<import('../compare/plan.js').Plan, 'curve'>} plan  or a result, which has it too
 * @returns {boolean} whether it measured what numbers of nodes serve
 */
export const hasNodes = ({ curve }) => curve?.x_label === CURVE.x_label && curve.metric === CURVE.metric;

/** @param {NumberOfNodes[]} points @returns {NumberOfNodes[]} those whose runs cannot carry a plan */
export const withTooFew = (points) => points.filter(({ readings }) => readings.length < LEAST_RUNS);

/**
 * @param {import('../compare/plan.js').Plan} plan
 * @param {NumberOfNodes[]} points
 * @throws {NotReadyError} saying what is missing
 */
export function refuseUnfit(plan, points) {
  const again = spell(['experiment', plan.experiment]);
  if (points.length < LEAST_NUMBERS)
    throw refusal(
      `goodput with at least ${LEAST_NUMBERS} numbers of nodes: three fit the law, the fourth checks it; found ${points.length} in ${plan.id}`,
      `measure them all: ${again}`,
    );
  const few = withTooFew(points);
  if (few.length > 0)
    throw refusal(
      `at least ${LEAST_RUNS} runs that are not INVALID with every number of nodes; found ${few.map(({ n, readings, leftOut }) => `${readings.length} with ${n} (${leftOut} INVALID)`).join(', ')}`,
      `add blocks: ${spell(['experiment', plan.experiment], [`RESUME=reports/${plan.id}`, `REPEATS=${plan.repeats + 4}`])}`,
    );
  for (const point of points) refuseRuns(point, again);
  const tiers = new Set(points.flatMap(({ readings }) => readings.map((reading) => Object.keys(reading.tiers).toSorted().join(', '))));
  if (tiers.size > 1)
    throw refusal(
      `the same tiers with every number of nodes; found ${[...tiers].join(' and ')}`,
      `read an experiment over nodes alone: ${again}`,
    );
  for (const point of points) refuseIdle(point, again);
}

/** @param {NumberOfNodes} point @param {string} again */
function refuseRuns({ n, arm, readings }, again) {
  for (const { block, rps, tiers } of readings) {
    const where = `in ${arm}, block ${block}`;
    if (!(rps > 0)) throw refusal(`good answers in every run; found none ${where}`, `measure again: ${again}`);
    if (tiers[NODES]?.number !== n)
      throw refusal(
        `${many(n, 'node')} ${where}; found ${tiers[NODES]?.number ?? 0}`,
        `read an experiment over numbers of nodes: ${again}`,
      );
    for (const [tier, { cores, used }] of Object.entries(tiers)) {
      if (cores === null)
        throw refusal(
          `a CPU quota for every tier, or nodes take CPU from one another; found none for ${tier} ${where}`,
          `measure with quotas: ${again}`,
        );
      if (used === null) throw refusal(`the CPU of every tier; found none for ${tier} ${where}`, `measure again: ${again}`);
    }
  }
}

/** @param {NumberOfNodes} point @param {string} again */
function refuseIdle({ n, readings }, again) {
  const busy = Object.keys(readings[0].tiers).map((tier) =>
    Number(median(readings.map(({ tiers }) => Number(tiers[tier].used) / Number(tiers[tier].cores)))),
  );
  if (Math.max(...busy) < BUSY_MOST)
    throw refusal(
      `a tier at ${significant(BUSY_MOST * 100)} % of its CPU or more with every number of nodes; with ${n} the busiest is at ${percent(Math.max(...busy))}: the rate is what users asked for, and no capacity`,
      `measure with more users: ${again}`,
    );
}

/** @type {(expectedAndFound: string, remedy: string) => NotReadyError} */
const refusal = (expectedAndFound, remedy) => new NotReadyError(`plan: expected ${expectedAndFound}.`, remedy);
