/**
 * Whether one arm is better than another, in words: goodput and availability first, the rest only where those are the same.
 *
 * @typedef {import('../../record/comparison.js').MetricComparison} MetricComparison
 * @typedef {import('../../record/comparison.js').Verdict} Verdict
 */
import { LEAST_BLOCKS } from '../../record/comparison.js';
import { change, interval, percent } from '../../stats/figure-words.js';
import { doubtSentence } from './doubt.js';

/**
 * @param {object} input
 * @param {MetricComparison[]} input.metrics judged and held back
 * @param {{ base: string, other: string }} input.names
 * @param {number} input.complete blocks
 * @param {import('./doubt.js').ArmDoubt[]} input.doubts
 * @returns {Verdict}
 */
export function overallVerdict({ metrics, names, complete, doubts }) {
  const gates = metrics.filter(({ gate }) => gate);
  const word = complete < LEAST_BLOCKS ? 'INCONCLUSIVE' : wordOf(gates, metrics);
  const reasons = metrics.filter(({ sentence }) => sentence !== '').map(({ sentence }) => sentence);
  if (complete < LEAST_BLOCKS)
    reasons.unshift(
      `${complete} complete ${complete === 1 ? 'block' : 'blocks'}: a verdict needs ${LEAST_BLOCKS}; the figures are a first look`,
    );
  const parts = [figuresOf(metrics, names, complete), conclusionOf(word, metrics, names, complete), doubtSentence(doubts)];
  return { word, sentence: parts.filter(Boolean).join(' '), reasons };
}

/** @type {(gates: MetricComparison[], metrics: MetricComparison[]) => Verdict['word']} */
function wordOf(gates, metrics) {
  if (gates.length === 0) return 'INCONCLUSIVE';
  if (!gates.every(({ verdict }) => verdict === 'same')) return joined(gates);
  return joined(metrics.filter(({ gate, estimate }) => !gate && estimate !== null));
}

/**
 * Worse is said as soon as something is; better only when nothing is open.
 * @param {MetricComparison[]} metrics
 * @returns {Verdict['word']}
 */
function joined(metrics) {
  const has = (/** @type {MetricComparison['verdict']} */ wanted) => metrics.some(({ verdict }) => verdict === wanted);
  if (has('better') && has('worse')) return 'mixed';
  if (has('worse')) return 'worse';
  if (has('INCONCLUSIVE')) return 'INCONCLUSIVE';
  return has('better') ? 'better' : 'same';
}

/** @type {(metrics: MetricComparison[], names: { base: string, other: string }, complete: number) => string} */
function figuresOf(metrics, { base, other }, complete) {
  const goodput = metrics.find(({ id }) => id === 'goodput_rps');
  const failures = metrics.find(({ id }) => id === 'failure_rate');
  const parts = [];
  if (goodput?.estimate != null) {
    const blocks = `${complete} ${complete === 1 ? 'block' : 'blocks'}`;
    parts.push(
      `${other} serves ${change('ratio', goodput.estimate)} as many good requests as ${base} (${certaintyOf('ratio', goodput)}, ${blocks})`,
    );
  }
  if (failures?.other.median != null && failures.base.median != null) {
    const [before, after] = [failures.base.median, failures.other.median];
    parts.push(
      failures.base.high === 0 && failures.other.high === 0
        ? 'and neither fails any'
        : `and fails ${percent(after)} of what it is asked, ${base} ${percent(before)} (${change('difference', failures.estimate)}, ${certaintyOf('difference', failures)})`,
    );
  }
  return parts.length === 0 ? 'No runs that could be compared.' : `${parts.join(', ')}.`;
}

/** @type {(scale: 'ratio' | 'difference', metric: MetricComparison) => string} */
const certaintyOf = (scale, metric) => (metric.low === null ? 'no interval' : `95 % interval ${interval(scale, metric)}`);

/** @type {(word: Verdict['word'], metrics: MetricComparison[], names: { base: string, other: string }, complete: number) => string} */
function conclusionOf(word, metrics, { base, other }, complete) {
  if (complete < LEAST_BLOCKS) return `Inconclusive by rule: a verdict needs ${LEAST_BLOCKS} blocks.`;
  const named = (/** @type {MetricComparison['verdict']} */ wanted) =>
    metrics
      .filter(({ verdict, gate }) => verdict === wanted && (gate || metrics.every((metric) => !metric.gate || metric.verdict === 'same')))
      .map(({ label }) => label)
      .join(', ');
  if (word === 'same')
    return `The two are the same within the deltas of all ${metrics.filter(({ estimate }) => estimate !== null).length} metrics.`;
  if (word === 'mixed') return `Mixed: better on ${named('better')}, worse on ${named('worse')}.`;
  if (word === 'INCONCLUSIVE') return `Inconclusive: ${other} can be called neither better nor worse than ${base}.`;
  return `${other} is ${word} on ${named(word)}.`;
}
