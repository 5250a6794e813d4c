/**
 * The load stage by stage: a ramp has no steady state, so its figures are read in pieces.
 */
import { mean, median, rounded, sum } from './numbers.js';

/**
 * @param {import('../../k6/shapes.js').Shape} shape
 * @param {import('../define/result.js').TimelineRow[]} timeline
 * @param {Record<string, (number | null)[]>} cpu shares on the timeline's seconds
 * @returns {import('../define/result.js').Stage[]} only stages that the load reached
 */
export function stagesOf(shape, timeline, cpu) {
  let from = 0;
  return shape.stages.flatMap(({ duration_s: duration, target, held }) => {
    const [from_s, to_s] = [from, from + duration];
    from = to_s;
    const inside = timeline.map((row, index) => ({ row, index })).filter(({ row }) => row.t_s > from_s && row.t_s <= to_s);
    if (inside.length === 0) return [];
    const read = (/** @type {keyof import('../define/result.js').TimelineRow} */ key) =>
      inside.map(({ row }) => /** @type {number | null} */ (row[key]));
    const finished = sum(read('throughput_rps'));
    return [
      {
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
      },
    ];
  });
}
