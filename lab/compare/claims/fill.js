/**
 * Fills the figures into a claim's sentences: {metric@arm} is the median of an arm, {test N} the estimate and interval of
 * the claim's Nth test, {beside N} those of the Nth that decides nothing, {lost@arm} where the arm's failures were lost.
 */
import { metrics } from '../../catalog/metrics.js';
import { scenarios } from '../../catalog/scenarios.js';
import { change, count, interval, inUnit, percent, tierName } from '../../stats/figure-words.js';
import { rangeOf } from '../../stats/numbers.js';
import { ledgerOf } from '../comparison/arm.js';
import { countingRuns } from '../comparison/runs.js';
import { wholeLoad } from './readings.js';

const PLACE = /\{(?:test (\d+)|beside (\d+)|(\w+)@([^}]+))\}/g;

/**
 * @param {string} sentence
 * @param {object} facts
 * @param {import('../../record/experiment-result.js').ClaimTest[]} facts.tests
 * @param {import('../../record/experiment-result.js').ClaimTest[]} [facts.beside]
 * @param {import('../comparison/runs.js').Run[]} facts.runs
 * @param {import('./readings.js').Reading} [facts.reading]
 * @returns {string}
 */
export function fill(sentence, { tests, beside = [], runs, reading = wholeLoad }) {
  return sentence.replace(PLACE, (_, test, other, name, arm) => {
    if (test !== undefined) return estimateOf(tests[Number(test) - 1]);
    if (other !== undefined) return estimateOf(beside[Number(other) - 1]);
    const counting = [...countingRuns(runs, arm).values()];
    if (name === 'lost') return lostOf(counting, reading.lost?.(arm));
    const metric = metrics.find(({ id }) => id === name);
    if (!metric) throw new RangeError(`a claim's sentence names the metric "${name}", which there is not: ${sentence}`);
    const { median } = rangeOf(counting.map((run) => reading.metric(run, name)));
    return inUnit(metric.unit, median, scenarios[counting[0]?.result.scenario]?.noun);
  });
}

/** @param {import('../../record/experiment-result.js').ClaimTest} test */
export function estimateOf({ scale, basis, estimate, low, high }) {
  if (estimate === null) return 'nothing measured';
  const text = scale === 'share' ? percent(estimate) : change(scale, estimate);
  if (low === null || high === null || basis === 'published') return text;
  if (low === high) return `${text} in every block`;
  return scale === 'share' ? `${text} (${percent(low)} to ${percent(high)})` : `${text} (${interval(scale, { low, high })})`;
}

/** @type {(runs: import('../comparison/runs.js').Run[], known?: import('../../record/comparison.js').LedgerRow[]) => string} */
function lostOf(runs, known) {
  if (runs.length === 0) return 'nothing measured';
  const rows = known ?? ledgerOf(runs);
  if (rows.length === 0) return `nothing, in ${runs.length} runs`;
  return rows.map(({ tier, cause_title: title, count: lost }) => `${count(lost)} at ${tierName(tier)}: ${title}`).join('; ');
}
