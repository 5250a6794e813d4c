/**
 * What the lab's own parts cost, from alternated runs: the good answers of each arm against those of the same system under bare Compose and
 * bare k6, in the same block.
 */
import { loadDuration, loadStart } from '../../k6/shapes.js';
import { median, rounded } from './numbers.js';
import { comparePaired } from './statistics/paired.js';

/** The lab may cost 3 % of the throughput at most; its own requirement. */
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
  const { good, failed } = metrics['http_reqs{scenario:load}'] ? plainCounts(metrics) : labCounts(metrics);
  const seconds = Math.max(loadDuration(shape), state.testRunDurationMs / 1000 - loadStart(shape));
  return { good, failed, goodput_rps: rounded(good / seconds, 2) ?? 0 };
}

/**
 * Of a script of the user's own, in both arms: all that it sends, in all the time that it takes. It has scenarios of its own and no warm-up
 * of the lab's, and may end before its longest time.
 * @param {any} summary of k6
 * @returns {Measured}
 */
export function measuredOfScript({ metrics, state }) {
  const failed = metrics.http_req_failed?.values.passes ?? 0;
  const good = (metrics.http_reqs?.values.count ?? 0) - failed;
  return { good, failed, goodput_rps: good > 0 ? (rounded(good / (state.testRunDurationMs / 1000), 2) ?? 0) : 0 };
}

/**
 * What k6 writes by itself (--summary-export) has the same figures with a level less, and the time only as what a rate is over.
 * @param {any} exported
 * @returns {any} as k6 gives it to a script's handleSummary, as far as it is read here
 */
export function summaryOfExport({ metrics }) {
  const { count = 0, rate = 0 } = metrics.http_reqs ?? {};
  const passes = metrics.http_req_failed?.passes ?? 0;
  return {
    metrics: { http_reqs: { values: { count } }, http_req_failed: { values: { passes } } },
    state: { testRunDurationMs: rate > 0 ? (count / rate) * 1000 : 0 },
  };
}

/** k6 expects a status from 200 to 399, of which the published app sends 200 alone. @param {any} metrics of the lab's scenario */
function labCounts(metrics) {
  const all = metrics['http_req_duration{scenario:load}'].values.count;
  const good = metrics['http_req_duration{scenario:load,expected_response:true}']?.values.count ?? 0;
  return { good, failed: all - good };
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
