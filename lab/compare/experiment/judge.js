/**
 * Judges all that a plan asks for from the results of its runs: its pairs, its claims, its curve.
 *
 * @typedef {import('../plan.js').Plan} Plan
 * @typedef {import('../../record/comparison.js').Comparison} Comparison
 * @typedef {import('../comparison/runs.js').Run} Run
 */

import { EXPERIMENT_RECORD } from '../../base/paths.js';
import { comparisonOf } from '../comparison/comparison.js';
import { isControl, selfControlOf } from '../comparison/control.js';
import { experimentOf } from '../experiment.js';

/** The group below reports/ of comparisons that are in no table; they have a page of their own and no experiment around it. */
export const COMPARE = 'compare';
/** The list of everything, as seen from an experiment's folder. */
const INDEX = '../../index.html';

/**
 * @typedef {object} Judged
 * @property {{ comparison: Comparison, folder: string }[]} comparisons  with the folder of each, below the experiment's
 * @property {import('../../record/experiment-result.js').ExperimentResult | null} experiment  null for a comparison alone
 * @property {Comparison | null} control  the A/A control among them
 */

/**
 * @param {Plan} plan
 * @param {Run[]} runs
 * @param {object} around  what is there to be linked to
 * @param {(run: string) => boolean} around.isKept  a run's report
 * @param {boolean} around.hasIndex  the list of everything, two folders up
 * @returns {Judged}
 */
export function judgePlan(plan, runs, { isKept, hasIndex }) {
  const alone = plan.experiment === COMPARE;
  const up = alone ? '' : '../../';
  const links = { index: hasIndex ? `${up}${INDEX}` : null, experiment: alone ? null : `${up}${EXPERIMENT_RECORD.page}` };
  const hrefFrom = (/** @type {string} */ up) => (/** @type {string} */ run) =>
    isKept(run) ? `${up}${run.slice(plan.id.length + 1)}` : null;
  const compare = (/** @type {[string, string]} */ [base, other], /** @type {Plan['control']} */ control) =>
    comparisonOf({ plan, runs, base, other, control, hrefOf: hrefFrom(up), links });
  // A control among the pairs is judged first: the others' deltas know of its noise.
  const own = plan.pairs.find((pair) => isControl(plan, ...pair));
  const control = (own && selfControlOf(compare(own, null).metrics, plan)) ?? plan.control;
  const comparisons = plan.pairs.map((pair) => ({ comparison: compare(pair, control), folder: alone ? '' : pairFolder(...pair) }));
  const pairs = comparisons.map(({ comparison: { base, other, verdict }, folder }) => ({
    base: base.id,
    other: other.id,
    href: `${folder}/${EXPERIMENT_RECORD.comparisonPage}`,
    verdict,
  }));
  return {
    comparisons,
    experiment: alone ? null : experimentOf({ plan, runs, pairs, hrefOf: hrefFrom(''), index: hasIndex ? INDEX : null }),
    control: comparisons.find(({ comparison: { base, other } }) => isControl(plan, base.id, other.id))?.comparison ?? null,
  };
}

/** @param {string} base @param {string} other */
const pairFolder = (base, other) => `${EXPERIMENT_RECORD.pairs}/${`${base} vs ${other}`.replaceAll(/[^\w-]+/g, '-').replace(/-$/, '')}`;
