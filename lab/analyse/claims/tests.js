/**
 * The tests of a claim, made on the runs of an experiment: each gives an estimate with its 95 % interval, held against the
 * threshold that was fixed before the first run.
 *
 * @typedef {import('../../define/claims.js').Claim} Claim
 * @typedef {import('../../define/experiment-result.js').ClaimTest} ClaimTest
 * @typedef {import('../../define/experiment-result.js').ClaimVerdict} ClaimVerdict
 * @typedef {import('../../define/claims.js').PublishedTest} PublishedTest
 * @typedef {import('../comparison/runs.js').Run} Run
 * @typedef {import('./readings.js').Reading} Reading
 */
import { LEAST_BLOCKS } from '../../define/comparison.js';
import { metricOf } from '../../define/metrics.js';
import { countingRuns, pairsOf } from '../comparison/runs.js';
import { present } from '../numbers.js';
import { comparePaired } from '../statistics/paired.js';
import { wholeLoad } from './readings.js';

/**
 * @param {Claim['tests'][number]} test
 * @param {Run[]} runs of the experiment
 * @param {Reading} [reading]
 * @returns {ClaimTest}
 */
export function judgeTest(test, runs, reading = wholeLoad) {
  if (test.kind === 'published') return judgePublished(test);
  const { scale, compared } = measure(test, runs, reading);
  const { label, threshold, wanted, published } = test;
  const { n: blocks, estimate, low, high } = compared;
  const verdict = blocks < LEAST_BLOCKS ? 'INCONCLUSIVE' : sideOf(compared, threshold, wanted);
  return { label, scale, basis: 'runs', blocks, estimate, low, high, threshold, wanted, published, verdict };
}

/** What the published file itself says is no estimate, and has no interval. @param {PublishedTest} test @returns {ClaimTest} */
function judgePublished({ label, value, threshold, wanted, published }) {
  const exact = { estimate: value, low: value, high: value };
  return {
    label,
    scale: 'ratio',
    basis: 'published',
    blocks: 0,
    ...exact,
    threshold,
    wanted,
    published,
    verdict: sideOf(exact, threshold, wanted),
  };
}

/** @param {Exclude<Claim['tests'][number], PublishedTest>} test @param {Run[]} runs @param {Reading} reading */
function measure(test, runs, reading) {
  if (test.kind === 'compare') return compareArms(test, runs, reading);
  const counting = [...countingRuns(runs, test.arm).values()];
  return shareAlone(
    present(counting.map((run) => (test.kind === 'share' ? reading.share(run, test.tiers) : reading.metric(run, test.metric)))),
  );
}

/** @param {import('../../define/claims.js').CompareTest} test @param {Run[]} runs @param {Reading} [reading] */
export function compareArms({ metric, base, other }, runs, reading = wholeLoad) {
  const { scale } = metricOf(metric);
  const pairs = pairsOf(runs, base, other);
  return {
    scale,
    compared: comparePaired(
      pairs.map((pair) => reading.metric(pair.base, metric)),
      pairs.map((pair) => reading.metric(pair.other, metric)),
      scale,
    ),
  };
}

/** A single sample held against nothing: the interval of its pseudo-median. @param {number[]} shares */
function shareAlone(shares) {
  const nothing = shares.map(() => 0);
  return { scale: /** @type {const} */ ('share'), compared: comparePaired(nothing, shares, 'difference') };
}

/** @type {(interval: { low: number | null, high: number | null }, threshold: number, wanted: ClaimTest['wanted']) => ClaimVerdict} */
function sideOf({ low, high }, threshold, wanted) {
  if (low === null || high === null) return 'INCONCLUSIVE';
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
