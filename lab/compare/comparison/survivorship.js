/**
 * Survivorship: a latency that is shorter because the slow requests were dropped, not because they were served faster.
 *
 * The p95 of successes of an arm that failed a share f of its requests is, counting what got no answer as slower than any
 * answer, the 95 (1 - f)th percentile of what was asked.
 *
 * @typedef {import('../../record/comparison.js').MetricComparison} MetricComparison
 */

import { inUnit, ordinal, percent } from '../../stats/figure-words.js';
import { DELTA } from './metric.js';

const PERCENTILE = 95;
/** Beyond this share of failures not even the 95th percentile of what was asked has an answer. */
const UNANSWERED_SHARE = 1 - PERCENTILE / 100;

/**
 * @param {MetricComparison[]} metrics judged
 * @param {{ base: string, other: string }} names
 * @returns {import('../../record/comparison.js').Survivorship | null}
 */
export function survivorshipOf(metrics, names) {
  const latency = metrics.find(({ id }) => id === 'latency_ms_p95_ok');
  const failures = metrics.find(({ id }) => id === 'failure_rate');
  const [p95, failed] = [mediansOf(latency), mediansOf(failures)];
  if (!p95 || !failed || !failures) return null;
  const shorter = p95.other < p95.base ? 'other' : 'base';
  const longer = shorter === 'other' ? 'base' : 'other';
  if (p95[longer] / p95[shorter] - 1 <= DELTA.ratio || failed[shorter] - failed[longer] <= DELTA.difference) return null;
  const rank = PERCENTILE * (1 - failed[shorter]);
  const unanswered =
    failed[shorter] > UNANSWERED_SHARE
      ? ` More than ${percent(UNANSWERED_SHARE)} of its requests got no good answer, so that it has no real p95.`
      : '';
  return {
    sentence: `Survivorship: the p95 of successes of ${names[shorter]} is ${inUnit('ms', p95[shorter])} against ${inUnit('ms', p95[longer])}, but it leaves out the ${percent(failed[shorter])} of requests that failed (${names[longer]}: ${percent(failed[longer])}). Of all that was asked, with what failed counted as the slowest, it is the ${ordinal(Math.round(rank))} percentile, not the ${ordinal(PERCENTILE)}.${unanswered}`,
    arm: names[shorter],
    failed_share: failed[shorter],
    latency_ms_p95_ok: p95,
    rank,
  };
}

/** @param {MetricComparison | undefined} metric @returns {{ base: number, other: number } | null} */
function mediansOf(metric) {
  const [base, other] = [metric?.base.median, metric?.other.median];
  return typeof base === 'number' && typeof other === 'number' ? { base, other } : null;
}
