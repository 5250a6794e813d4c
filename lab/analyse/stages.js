/**
 * The load stage by stage: a ramp has no steady state, so its figures are read in pieces.
 */
import { mean, median, rounded, sum } from './numbers.js';

/** @typedef {{ from_s: number, to_s: number, stage: import('../../k6/shapes.js').Stage }} StageSpan */

/**
 * @param {import('../../k6/shapes.js').Shape} shape
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
 * @param {import('../../k6/shapes.js').Shape} shape
 * @param {import('../define/result.js').TimelineRow[]} timeline
 * @returns {StageSpan[]} only stages that the load reached
 */
export const stageSpans = (shape, timeline) =>
  plannedSpans(shape).filter(({ from_s, to_s }) => timeline.some(({ t_s }) => t_s > from_s && t_s <= to_s));

/**
 * @param {import('../../k6/shapes.js').Shape} shape
 * @param {import('../define/result.js').TimelineRow[]} timeline
 * @param {Record<string, (number | null)[]>} cpu shares on the timeline's seconds
 * @param {import('./laws/laws.js').Laws} [laws]
 * @returns {import('../define/result.js').Stage[]}
 */
export function stagesOf(shape, timeline, cpu, laws) {
  return stageSpans(shape, timeline).map(({ from_s, to_s, stage: { target, held } }, at) => {
    const inside = timeline.map((row, index) => ({ row, index })).filter(({ row }) => row.t_s > from_s && row.t_s <= to_s);
    const read = (/** @type {keyof import('../define/result.js').TimelineRow} */ key) =>
      inside.map(({ row }) => /** @type {number | null} */ (row[key]));
    const finished = sum(read('throughput_rps'));
    return {
      from_s,
      to_s,
      target,
      unit: shape.unit,
      held: held === true,
      throughput_rps: rounded(mean(read('throughput_rps')), 1),
      goodput_rps: rounded(mean(read('goodput_rps')), 1),
      failure_rate: finished === 0 ? null : rounded(sum(read('failures_per_s')) / finished, 5),
      latency_ms_p50_ok: rounded(median(read('latency_ms_p50_ok')), 1),
      latency_ms_p95_ok: rounded(median(read('latency_ms_p95_ok')), 1),
      latency_ms_p99_ok: rounded(median(read('latency_ms_p99_ok')), 1),
      cpu_share: Object.fromEntries(
        Object.entries(cpu).map(([name, values]) => [name, rounded(mean(inside.map(({ index }) => values[index])))]),
      ),
      cpu_ms_per_request: laws?.stages[at].cpuMsPerRequest ?? {},
      bound_rps: laws?.stages[at].boundRps ?? null,
    };
  });
}
