/**
 * What the lab's own parts cost, from alternated runs: the good answers of each arm against those of the published app under bare
 * Compose and bare k6, in the same block.
 */
import { loadDuration, loadStart } from '../../k6/shapes.js';
import { median, rounded } from './numbers.js';
import { comparePaired } from './statistics/paired.js';

/** The lab may cost 3 % of the throughput: issue 11. */
export const LEAST_RATIO = 0.97;
const DIGITS = 4;

/**
 * @typedef {{ good: number, failed: number, goodput_rps: number }} Measured  of the load, without the warm-up
 * @typedef {object} Ratio
 * @property {number} median        of the blocks' ratios
 * @property {number | null} low    95 % interval, by the signed ranks of the blocks; null with fewer than 6
 * @property {number | null} high
 * @property {number} n             blocks
 */

/**
 * The same formula for both scripts: seconds as k6 reports them, until the last answer, but not less than the stages.
 * @param {any} summary of k6
 * @param {import('../../k6/shapes.js').Shape} shape
 * @returns {Measured}
 */
export function measuredOf({ metrics, state }, shape) {
  const { good, failed } = metrics.lab_latency_all ? labCounts(metrics) : plainCounts(metrics);
  const seconds = Math.max(loadDuration(shape), state.testRunDurationMs / 1000 - loadStart(shape));
  return { good, failed, goodput_rps: rounded(good / seconds, 2) ?? 0 };
}

/** k6 leaves out a counter that nothing was added to. @param {any} metrics of the lab's scenario */
function labCounts({ lab_latency_ok: good, lab_failed: failures }) {
  return { good: good?.values.count ?? 0, failed: failures?.values.count ?? 0 };
}

/** Of k6's rate of failures, those that it calls `passes` are the failures. @param {any} metrics of the bare script */
function plainCounts(metrics) {
  const failed = metrics['http_req_failed{scenario:load}']?.values.passes ?? 0;
  return { good: metrics['http_reqs{scenario:load}'].values.count - failed, failed };
}

/**
 * @param {Record<string, Measured>[]} blocks  by arm
 * @param {string} arm
 * @param {string} base
 * @returns {Ratio}
 */
export function ratioOf(blocks, arm, base) {
  const series = (/** @type {string} */ id) => blocks.map((block) => block[id].goodput_rps);
  const { low, high, n } = comparePaired(series(base), series(arm), 'ratio');
  const middle = median(blocks.map((block) => block[arm].goodput_rps / block[base].goodput_rps)) ?? 0;
  return { median: rounded(middle, DIGITS) ?? 0, low: rounded(low, DIGITS), high: rounded(high, DIGITS), n };
}

/**
 * @param {Ratio} ratio
 * @returns {string} in words, beside what is wanted
 */
export function overheadVerdict({ median: middle, low, high }) {
  const sides = low !== null && high !== null && low < LEAST_RATIO && high >= LEAST_RATIO ? ', but the interval has both sides of it' : '';
  return `${middle >= LEAST_RATIO ? 'met' : 'not met'}${sides} (wanted: ${LEAST_RATIO} or better)`;
}
