/**
 * Which figures of a run a doubt about it can move. What k6 counted and timed, it wrote down itself: that an observer beside it was late
 * by a second, or that a node's log lacks a line, changes none of that.
 *
 * @typedef {import('../comparison/runs.js').Run} Run
 */

/** How the reasons begin that speak of the lab's own readings: rules `observers` and `unlisted` of the validity. */
const READINGS_ALONE = [
  /^(?:in seconds .*?, )?the observers have a gap of /,
  /^\S+ received \S+ % of its requests without a line in its log/,
];
/** Behind a queue goodput is what a consumer has done, which k6 does not see. */
const COUNTED_BY_K6 =
  /^(?:throughput_rps|failure_rate|failures_per_user_minute|failed_user_time_share|latency_ms_(?:p\d+(?:_\d+)?|mean|max)_(?:ok|all))$/;

/**
 * @param {Run} run
 * @param {string | null} metric  null where a test reads something else than a metric
 * @returns {boolean} whether it is SUSPECT for a reason that can move the metric
 */
export function isDoubtful({ result: { validity } }, metric) {
  if (validity.verdict !== 'SUSPECT') return false;
  if (metric === null || !COUNTED_BY_K6.test(metric)) return true;
  return validity.reasons.length === 0 || validity.reasons.some((reason) => !READINGS_ALONE.some((words) => words.test(reason)));
}

/** @param {import('../../catalog/claims.js').Claim['tests'][number]} test */
export const metricOfTest = (test) => ('metric' in test ? test.metric : null);
