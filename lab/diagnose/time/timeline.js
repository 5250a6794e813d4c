/**
 * The run second by second, from the start of the load; negative seconds are the warm-up.
 */
import { aggregateOf, countOf } from '../../record/k6-record.js';
import { secondOf, secondsOf } from './seconds.js';

/** Of a long warm-up the last seconds: all of one that lasts 90 s would take most of every chart. The record keeps the rest. */
const WARMUP_SHOWN_S = 10;

/**
 * @param {import('../read-raw.js').Raw} raw
 * @param {import('./window.js').Window} window
 * @returns {import('../../record/result.js').TimelineRow[]}
 */
export function timelineOf({ snapshots, program }, window) {
  const first = Math.max(Math.round(window.warmupFrom - window.from), -WARMUP_SHOWN_S);
  // Nothing is known of what a program did in a second, but of what its store used in it.
  const placed = secondsOf(snapshots, window);
  const last = program ? secondOf(window.to, window) : Math.max(...placed.filter((_, index) => isActive(snapshots[index])), 0);
  /** @type {Map<number, import('../../record/result.js').TimelineRow>} */
  const rows = new Map();
  for (const [index, snapshot] of snapshots.entries()) {
    const t_s = placed[index];
    if (t_s < first || t_s > last) continue;
    const seconds = Math.max(0.5, snapshot.t - (snapshots[index - 1]?.t ?? snapshot.t - 1));
    rows.set(t_s, t_s <= 0 ? warmupRow(snapshot, t_s, seconds) : loadRow(snapshot, t_s, seconds));
  }
  const empty = (/** @type {number} */ t_s) => ({ ...emptyRow, t_s, warmup: t_s <= 0 });
  return Array.from({ length: last - first + 1 }, (_, index) => rows.get(first + index) ?? empty(first + index));
}

const emptyRow = {
  t_s: 0,
  warmup: false,
  vus: null,
  throughput_rps: null,
  goodput_rps: null,
  failures_per_s: null,
  latency_ms_p50: null,
  latency_ms_p95: null,
  latency_ms_p99: null,
  latency_ms_p50_ok: null,
  latency_ms_p95_ok: null,
  latency_ms_p99_ok: null,
};

/** @param {import('../../record/k6-record.js').Snapshot} snapshot */
const isActive = (snapshot) => countOf(snapshot, 'lab_finished') > 0 || countOf(snapshot, 'http_reqs') > 0;

/** @type {(snapshot: import('../../record/k6-record.js').Snapshot, t_s: number, seconds: number) => import('../../record/result.js').TimelineRow} */
function loadRow(snapshot, t_s, seconds) {
  const latency = (/** @type {string} */ metric, /** @type {string} */ aggregate) => aggregateOf(snapshot, metric, aggregate);
  const finished = countOf(snapshot, 'lab_finished');
  return {
    t_s,
    warmup: false,
    // k6's record says 0 users in a second in which it took no reading.
    vus: aggregateOf(snapshot, 'vus', 'value') || (finished > 0 ? null : 0),
    throughput_rps: finished / seconds,
    goodput_rps: countOf(snapshot, 'lab_ok') / seconds,
    failures_per_s: countOf(snapshot, 'lab_failed') / seconds,
    latency_ms_p50: latency('lab_latency_all', 'med'),
    latency_ms_p95: latency('lab_latency_all', 'p(95)'),
    latency_ms_p99: latency('lab_latency_all', 'p(99)'),
    latency_ms_p50_ok: latency('lab_latency_ok', 'med'),
    latency_ms_p95_ok: latency('lab_latency_ok', 'p(95)'),
    latency_ms_p99_ok: latency('lab_latency_ok', 'p(99)'),
  };
}

/** The warm-up has k6's built-in metrics alone. @type {(snapshot: import('../../record/k6-record.js').Snapshot, t_s: number, seconds: number) => import('../../record/result.js').TimelineRow} */
function warmupRow(snapshot, t_s, seconds) {
  return {
    ...emptyRow,
    t_s,
    warmup: true,
    vus: aggregateOf(snapshot, 'vus', 'value'),
    throughput_rps: countOf(snapshot, 'http_reqs') / seconds,
    latency_ms_p50: aggregateOf(snapshot, 'http_req_duration', 'med'),
    latency_ms_p95: aggregateOf(snapshot, 'http_req_duration', 'p(95)'),
    latency_ms_p99: aggregateOf(snapshot, 'http_req_duration', 'p(99)'),
  };
}
