/**
 * The load stage by stage: a ramp has no steady state, so its figures are read in pieces.
 */

import { mean, median, rounded, sum } from '../../stats/numbers.js';

/** @typedef {{ from_s: number, to_s: number, stage: import('../../../k6/lib/shapes.js').Stage }} StageSpan */

/**
 * @param {import('../../../k6/lib/shapes.js').Shape} shape
 * @returns {StageSpan[]} a stage's first second is the one after `from_s`
 */
export function plannedSpans({ stages }) {
  let to = 0;
  return stages.map((stage) => {
    const from = to;
    to += stage.duration_s;
    return { from_s: from, to_s: to, stage };
  });
}

/**
 * @param {import('../../../k6/lib/shapes.js').Shape} shape
 * @param {import('../../record/types.js').TimelineRow[]} timeline
 * @param {number} [took]  seconds that the load took, where it ended before its time
 * @returns {StageSpan[]} only stages that the load reached, the last of them until the second in which the load ended
 */
export const stageSpans = (shape, timeline, took = Number.POSITIVE_INFINITY) =>
  plannedSpans(shape)
    .map((span) => ({ ...span, to_s: Math.min(span.to_s, Math.max(Math.ceil(took), span.from_s)) }))
    .filter(({ from_s, to_s }) => timeline.some(({ t_s }) => t_s > from_s && t_s <= to_s));

/**
 * @param {import('../../../k6/lib/shapes.js').Shape} shape
 * @param {import('../../record/types.js').TimelineRow[]} timeline
 * @param {Record<string, (number | null)[]>} cpu shares on the timeline's seconds
 * @param {import('../limits/laws.js').Laws} [laws]
 * @param {object} [of]
 * @param {import('../../record/percentile.js').StageRequests[] | null} [of.byStage]  requests of each stage of the shape
 * @param {number} [of.took]       seconds that the load took, where it ended before its time
 * @param {boolean} [of.isQueued]  what is accepted is done later, as the timeline has it
 * @returns {import('../../record/types.js').Stage[]}
 */
export function stagesOf(shape, timeline, cpu, laws, { byStage = null, took, isQueued = false } = {}) {
  return stageSpans(shape, timeline, took).map(({ from_s, to_s, stage }, at) => {
    const { target, held } = stage;
    const inside = timeline.map((row, index) => ({ row, index })).filter(({ row }) => row.t_s > from_s && row.t_s <= to_s);
    const read = (/** @type {keyof import('../../record/types.js').TimelineRow} */ key) =>
      inside.map(({ row }) => /** @type {number | null} */ (row[key]));
    const finished = sum(read('throughput_rps'));
    return {
      from_s,
      to_s,
      target,
      unit: shape.unit,
      held: held === true,
      requests: null,
      throughput_rps: rounded(mean(read('throughput_rps')), 1),
      goodput_rps: rounded(mean(read('goodput_rps')), 1),
      failure_rate: finished === 0 ? null : rounded(sum(read('failures_per_s')) / finished, 5),
      latency_ms_p50_ok: rounded(median(read('latency_ms_p50_ok')), 1),
      latency_ms_p95_ok: rounded(median(read('latency_ms_p95_ok')), 1),
      latency_ms_p99_ok: rounded(median(read('latency_ms_p99_ok')), 1),
      ...(byStage === null ? {} : ofRequests(byStage[shape.stages.indexOf(stage)], Math.min(to_s, took ?? to_s) - from_s, isQueued)),
      cpu_share: Object.fromEntries(
        Object.entries(cpu).map(([name, values]) => [name, rounded(mean(inside.map(({ index }) => values[index])))]),
      ),
      cpu_ms_per_request: laws?.stages[at].cpuMsPerRequest ?? {},
      bound_rps: laws?.stages[at].boundRps ?? null,
    };
  });
}

/**
 * Of the stage's own requests: those that ended in it, as on the timeline, and in the last stage those that ended after it. Its rates are of
 * its own seconds.
 * @param {import('../../record/percentile.js').StageRequests} reported
 * @param {number} seconds
 * @param {boolean} isQueued
 * @returns {Partial<import('../../record/types.js').Stage>}
 */
function ofRequests({ requests, failures, ended_in: ended, good_in: good, latency_ms_ok: latency }, seconds, isQueued) {
  return {
    requests,
    throughput_rps: rounded(ended / seconds, 1),
    ...(isQueued ? {} : { goodput_rps: rounded(good / seconds, 1) }),
    failure_rate: requests === 0 ? null : rounded(failures / requests, 5),
    latency_ms_p50_ok: rounded(latency.p50, 1),
    latency_ms_p95_ok: rounded(latency.p95, 1),
    latency_ms_p99_ok: rounded(latency.p99, 1),
  };
}
