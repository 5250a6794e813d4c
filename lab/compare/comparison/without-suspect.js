/**
 * A comparison judged a second time, without the runs that are SUSPECT: no verdict rests on one that is not VALID. What is called better,
 * worse or the same has to be called so again.
 *
 * @typedef {import('../../record/comparison.js').MetricComparison} MetricComparison
 */
import { LEAST_BLOCKS } from '../../record/comparison.js';
import { count } from '../../stats/figure-words.js';

/** @param {import('./runs.js').Run} run */
export const isValid = ({ result }) => result.validity.verdict === 'VALID';

/**
 * @param {MetricComparison[]} judged  over all runs that count
 * @param {{ metrics: MetricComparison[], complete: number }} again  over the VALID ones; complete: blocks that are left
 * @returns {MetricComparison[]}
 */
export const heldWithoutSuspect = (judged, again) =>
  judged.map((metric) => {
    const { id, verdict } = metric;
    const second = again.metrics.find((other) => other.id === id)?.verdict ?? 'INCONCLUSIVE';
    if (verdict === 'INCONCLUSIVE' || verdict === second) return metric;
    return {
      ...metric,
      verdict: /** @type {const} */ ('INCONCLUSIVE'),
      held_back: `${verdict} with SUSPECT runs, ${withoutThem(second, again.complete)}`,
    };
  });

/** @type {(second: MetricComparison['verdict'], blocks: number) => string} */
function withoutThem(second, blocks) {
  if (blocks >= LEAST_BLOCKS) return `and ${second === 'INCONCLUSIVE' ? 'inconclusive' : second} without them`;
  return `and without them ${count(blocks)} ${blocks === 1 ? 'block is' : 'blocks are'} left, where a verdict needs ${LEAST_BLOCKS}`;
}
