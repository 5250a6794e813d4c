/**
 * The tests of a claim, made on the runs of an experiment: each gives an estimate with its 95 % interval, held against the
 * threshold that was fixed before the first run.
 *
 * @typedef {import('../../define/claims.js').Claim} Claim
 * @typedef {import('../../define/experiment-result.js').ClaimTest} ClaimTest
 * @typedef {import('../../define/experiment-result.js').ClaimVerdict} ClaimVerdict
 * @typedef {import('../comparison/runs.js').Run} Run
 */
import { LEAST_BLOCKS } from '../../define/comparison.js';
import { metricOf } from '../../define/metrics.js';
import { countingRuns, pairsOf } from '../comparison/runs.js';
import { present, sum } from '../numbers.js';
import { comparePaired } from '../statistics/paired.js';

/**
 * @param {Claim['tests'][number]} test
 * @param {Run[]} runs of the experiment
 * @returns {ClaimTest}
 */
export function judgeTest(test, runs) {
  const { scale, compared } = measure(test, runs);
  const { label, threshold, wanted, published } = test;
  const { n: blocks, estimate, low, high } = compared;
  return { label, scale, blocks, estimate, low, high, threshold, wanted, published, verdict: sideOf(compared, threshold, wanted) };
}

/** @param {Claim['tests'][number]} test @param {Run[]} runs */
function measure(test, runs) {
  if (test.kind === 'compare') return compareArms(test, runs);
  return shareAlone(test.kind === 'share' ? sharesOfFailures(test, runs) : levelsOf(test, runs));
}

/** @param {import('../../define/claims.js').CompareTest} test @param {Run[]} runs */
export function compareArms({ metric, base, other }, runs) {
  const { read, scale } = metricOf(metric);
  const pairs = pairsOf(runs, base, other);
  return {
    scale,
    compared: comparePaired(
      pairs.map((pair) => read(pair.base.result)),
      pairs.map((pair) => read(pair.other.result)),
      scale,
    ),
  };
}

/**
 * A run without failures has no share of them, and counts for nothing here.
 * @type {(test: import('../../define/claims.js').ShareTest, runs: Run[]) => number[]}
 */
const sharesOfFailures = ({ arm, tiers }, runs) =>
  [...countingRuns(runs, arm).values()]
    .filter(({ result }) => result.metrics.failures > 0)
    .map(({ result }) => {
      const placed = result.ledger.failures.filter(({ tier }) => tiers.includes(tier)).map(({ count }) => count);
      return sum(placed) / result.metrics.failures;
    });

/** @type {(test: import('../../define/claims.js').LevelTest, runs: Run[]) => number[]} */
const levelsOf = ({ arm, metric }, runs) =>
  present([...countingRuns(runs, arm).values()].map(({ result }) => metricOf(metric).read(result)));

/** A single sample held against nothing: the interval of its pseudo-median. @param {number[]} shares */
function shareAlone(shares) {
  const nothing = shares.map(() => 0);
  return { scale: /** @type {const} */ ('share'), compared: comparePaired(nothing, shares, 'difference') };
}

/** @type {(compared: import('../statistics/paired.js').Compared, threshold: number, wanted: ClaimTest['wanted']) => ClaimVerdict} */
function sideOf({ n, low, high }, threshold, wanted) {
  if (n < LEAST_BLOCKS || low === null || high === null) return 'INCONCLUSIVE';
  const [above, below] = [low >= threshold, high <= threshold];
  if (wanted === 'at least' ? above : below) return 'HOLDS';
  return (wanted === 'at least' ? below : above) ? 'REFUTED' : 'INCONCLUSIVE';
}

/**
 * @param {ClaimVerdict[]} verdicts of a claim's tests
 * @returns {ClaimVerdict}
 */
export function joinVerdicts(verdicts) {
  if (verdicts.includes('REFUTED')) return 'REFUTED';
  return verdicts.length > 0 && verdicts.every((verdict) => verdict === 'HOLDS') ? 'HOLDS' : 'INCONCLUSIVE';
}
