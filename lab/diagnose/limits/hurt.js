/**
 * The seconds of a load that hurt: requests failed in them, or good answers took far longer than in the calm of the same run. A bottleneck
 * is looked for in these, for a trouble may be shorter than a stage.
 *
 * @typedef {object} Hurt          indexes are places on the timeline
 * @property {number[]} failing    seconds in which requests failed
 * @property {number[]} slow       seconds in which good answers took long, or none came, some in a row
 * @property {number} silent       of these, seconds in which none came
 * @property {number} failures     in all of them
 * @property {number} finished     of the load
 * @property {number | null} calmMs  median of good answers in the calm; null where there were none
 */

import { median, present, sum } from '../../stats/numbers.js';
import { quantile } from '../../stats/quantile.js';
import { SUSTAINED_S } from './saturations.js';

/** A tenth of a run's seconds are as quick: the very quickest is chance. The lab's choice. */
const CALM_SHARE = 0.1;
/** Of the calm, from which on an answer took long: calm seconds differ by half, and a queue makes it many times as long. The lab's choice. */
export const SLOW_TIMES = 3;

/** Good answers a second, of half of the run's seconds: of fewer, a second without one is chance. The lab's choice. */
const RATE_LEAST = 3;

/** @typedef {import('../../record/result.js').TimelineRow} TimelineRow */

/**
 * @param {TimelineRow[]} timeline
 * @returns {Hurt}
 */
export function hurtOf(timeline) {
  const load = [...timeline.keys()].filter((index) => timeline[index].t_s > 0);
  const of = (/** @type {'latency_ms_p50_ok' | 'latency_ms_p95_ok'} */ key) => {
    const calm = calmOf(load.map((index) => timeline[index][key]));
    return { calm, isSlow: (/** @type {number} */ index) => calm !== null && (timeline[index][key] ?? 0) >= calm * SLOW_TIMES };
  };
  const [typical, tail] = [of('latency_ms_p50_ok'), of('latency_ms_p95_ok')];
  const silent = silentIn(timeline, load);
  const slow = sustained(load.filter((index) => typical.isSlow(index) || tail.isSlow(index) || silent.has(index)));
  return {
    failing: load.filter((index) => (timeline[index].failures_per_s ?? 0) > 0),
    slow,
    silent: slow.filter((index) => silent.has(index)).length,
    failures: sum(load.map((index) => timeline[index].failures_per_s)),
    finished: sum(load.map((index) => timeline[index].throughput_rps)),
    calmMs: typical.calm,
  };
}

/**
 * Seconds between answers in which none came: what waits has no latency yet.
 * @type {(timeline: TimelineRow[], load: number[]) => Set<number>}
 */
function silentIn(timeline, load) {
  const good = (/** @type {number} */ index) => timeline[index].goodput_rps;
  const answered = load.filter((index) => (good(index) ?? 0) > 0);
  if ((median(load.map(good)) ?? 0) < RATE_LEAST) return new Set();
  return new Set(load.filter((index) => good(index) === 0 && index > answered[0] && index < /** @type {number} */ (answered.at(-1))));
}

/** @param {(number | null)[]} values */
const calmOf = (values) =>
  quantile(
    present(values).sort((one, other) => one - other),
    CALM_SHARE,
  );

/**
 * @param {number[]} indexes in their order
 * @param {(index: number) => boolean} [counts]  those that do not keep a row together, and are no part of its length
 * @returns {number[]} those that count and are some in a row
 */
export function sustained(indexes, counts = () => true) {
  const runs = /** @type {number[][]} */ ([]);
  for (const index of indexes) {
    const last = runs.at(-1);
    if (last?.at(-1) === index - 1) last.push(index);
    else runs.push([index]);
  }
  return runs
    .map((run) => run.filter(counts))
    .filter(({ length }) => length >= SUSTAINED_S)
    .flat();
}
