/**
 * How a claim's tests read their figures from a run: over all of its load, or over some of its stages.
 *
 * Over stages, from `result.stages` and `result.series`:
 * - a rate is the mean of the stages' rates, weighted by their seconds;
 * - the failure rate is failed over finished requests of these stages;
 * - a percentile of good answers is the mean of the stages' own (each of its requests, or in an earlier result the median of its
 *   seconds), weighted by their good answers. That is not the percentile of all requests pooled, and it is the same thing for both arms that are compared;
 * - the share of failures on some tiers is a sum over the seconds of the stages, where failures were placed in their seconds;
 * - what is not known by stage is null.
 *
 * @typedef {import('../comparison/runs.js').Run} Run
 * @typedef {import('../../record/result.js').Stage} Stage
 * @typedef {import('../../record/result.js').Tier} Tier
 * @typedef {(run: Run, metric: string) => number | null} ReadMetric
 *
 * @typedef {object} Reading
 * @property {ReadMetric} metric  by its id
 * @property {(run: Run, tiers: Tier[]) => number | null} share  of the failures that are on these tiers; null without failures
 * @property {(arm: string) => import('../../record/comparison.js').LedgerRow[]} [lost]  of an arm, where its runs have no ledger any more
 */
import { metricOf } from '../../catalog/metrics.js';
import { ratio, sum } from '../../stats/numbers.js';

/** Before this version of result.json the failures of a second were the whole run's mix. */
const PLACED_BY_SECOND = 2;

/** @type {Reading} */
export const wholeLoad = {
  metric: ({ result }, id) => metricOf(id).read(result),
  share({ result }, tiers) {
    const { failures } = result.metrics;
    const placed = result.ledger.failures.filter(({ tier }) => tiers.includes(tier)).map(({ count }) => count);
    return failures > 0 ? sum(placed) / failures : null;
  },
};

/** @param {Pick<Stage, 'from_s' | 'to_s'>} stage what tells it from others of the same load */
export const stageKey = ({ from_s: from, to_s: to }) => `${from}-${to}`;

/** @type {(stage: Stage) => number} */
const secondsOf = ({ from_s: from, to_s: to }) => to - from;
/** @type {(stage: Stage) => number} */
const finishedIn = (stage) => stage.requests ?? (stage.throughput_rps ?? 0) * secondsOf(stage);
/** @type {(stage: Stage) => number} */
const goodIn = (stage) => (stage.goodput_rps ?? 0) * secondsOf(stage);

/** How each metric that is known by stage is weighted. @type {Record<string, { key: 'goodput_rps' | 'throughput_rps' | 'failure_rate' | 'latency_ms_p50_ok' | 'latency_ms_p95_ok' | 'latency_ms_p99_ok', weight: (stage: Stage) => number }>} */
const BY_STAGE = {
  goodput_rps: { key: 'goodput_rps', weight: secondsOf },
  throughput_rps: { key: 'throughput_rps', weight: secondsOf },
  failure_rate: { key: 'failure_rate', weight: finishedIn },
  latency_ms_p50_ok: { key: 'latency_ms_p50_ok', weight: goodIn },
  latency_ms_p95_ok: { key: 'latency_ms_p95_ok', weight: goodIn },
  latency_ms_p99_ok: { key: 'latency_ms_p99_ok', weight: goodIn },
};

/**
 * @param {string[]} keys of the stages that are read
 * @returns {Reading}
 */
export function overStages(keys) {
  const chosen = (/** @type {Run} */ { result }) => result.stages.filter((stage) => keys.includes(stageKey(stage)));
  return {
    metric: (run, id) => (Object.hasOwn(BY_STAGE, id) ? weighted(chosen(run), BY_STAGE[id]) : null),
    share: (run, tiers) => shareOver(run, chosen(run), tiers),
  };
}

/** @type {(stages: Stage[], how: typeof BY_STAGE[string]) => number | null} */
function weighted(stages, { key, weight }) {
  const known = stages.filter((stage) => typeof stage[key] === 'number');
  return ratio(sum(known.map((stage) => (stage[key] ?? 0) * weight(stage))), sum(known.map(weight)));
}

/** @type {(run: Run, stages: Stage[], tiers: Tier[]) => number | null} */
function shareOver({ result }, stages, tiers) {
  if (!(result.schema >= PLACED_BY_SECOND)) return null;
  const inside = (/** @type {number} */ t) => stages.some(({ from_s: from, to_s: to }) => t > from && t <= to);
  const lost = (/** @type {(number | null)[]} */ values) => sum(values.filter((_, index) => inside(result.timeline[index].t_s)));
  const { failures_by_tier: byTier } = result.series;
  return ratio(sum(tiers.map((tier) => lost(byTier[tier] ?? []))), sum(Object.values(byTier).map(lost)));
}
