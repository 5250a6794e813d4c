/**
 * What the load generator counted: the requests of the load, by outcome.
 */
import { scenarios } from '../catalog/scenarios.js';
import { countOf } from '../record/k6-record.js';
import { sum } from '../stats/numbers.js';

const STATUS = 'lab_failed_status_';
const CODE = 'lab_failed_code_';
const KIND = 'lab_failed_kind_';

/**
 * @typedef {object} GeneratorCounts
 * @property {string} name            of who made the load
 * @property {number} finished
 * @property {number} ok
 * @property {number} failed
 * @property {number} unanswered      failed because they were open when the load and its grace ended
 * @property {number} droppedArrivals  of an open load, that found no user to begin them
 * @property {Record<string, number>} status  failures by HTTP status
 * @property {Record<string, number>} code    failures without a status, by k6's error code
 * @property {Record<string, number>} kind    the same by k6's error text
 * @property {{ all: import('../record/result.js').Percentiles, ok: import('../record/result.js').Percentiles }} latencyMs
 * @property {{ all: import('../record/result.js').Percentiles, ok: import('../record/result.js').Percentiles } | null} durationMs  k6's own
 *   http_req_duration, which leaves out connecting: as sources publish it; null without a summary
 * @property {number} created         good answers that each left a document behind
 * @property {number} deleted         good answers that each took one away
 */

/**
 * k6's summary has every value; a run that was killed has its one-second record alone, whose counts add up as well but
 * whose percentiles do not.
 * @param {import('./read-raw.js').Raw} raw
 * @returns {GeneratorCounts}
 */
export function generatorCounts({ manifest, summary, snapshots, program }) {
  if (program) return programCounts(program);
  const written = scenarios[manifest.scenario]?.written;
  const values = (/** @type {string} */ metric) => summary?.metrics[metric]?.values ?? {};
  const names = summary ? Object.keys(summary.metrics) : [...new Set(snapshots.flatMap((snapshot) => Object.keys(snapshot.metrics)))];
  const count = (/** @type {string} */ metric) =>
    summary ? (values(metric).count ?? 0) : sum(snapshots.map((snapshot) => countOf(snapshot, metric)));
  const group = (/** @type {string} */ prefix) =>
    Object.fromEntries(
      names
        .filter((name) => name.startsWith(prefix))
        .map((name) => /** @type {[string, number]} */ ([name.slice(prefix.length), count(name)]))
        .filter(([, value]) => value > 0),
    );
  const percentiles = (/** @type {string} */ metric) => ({
    p50: values(metric).med ?? null,
    p95: values(metric)['p(95)'] ?? null,
    p99: values(metric)['p(99)'] ?? null,
    max: values(metric).max ?? null,
  });
  return {
    name: 'k6',
    finished: count('lab_finished'),
    ok: count('lab_ok'),
    failed: count('lab_failed'),
    unanswered: count('lab_unanswered'),
    droppedArrivals: droppedIn(manifest, count),
    status: group(STATUS),
    code: group(CODE),
    kind: group(KIND),
    latencyMs: { all: percentiles('lab_latency_all'), ok: percentiles('lab_latency_ok') },
    durationMs: summary
      ? { all: percentiles('http_req_duration{scenario:load}'), ok: percentiles('http_req_duration{scenario:load,expected_response:true}') }
      : null,
    created: written ? count(written.created) : 0,
    deleted: written?.deleted ? count(written.deleted) : 0,
  };
}

/**
 * k6 counts by one name arrivals that found no user and iterations that a script's other scenarios had no time for.
 * @param {{ shape: import('../../k6/lib/shapes.js').Shape }} manifest @param {(metric: string) => number} count
 */
const droppedIn = ({ shape: { arriving } }, count) =>
  sum((arriving?.map((scenario) => `dropped_iterations{scenario:${scenario}}`) ?? ['dropped_iterations']).map(count));

/**
 * A program makes its load inside the system and times nothing by itself: what it set out to do, and what it says that it did.
 * @param {{ program: string, writers: { inserts: number, exit_code: number }[] }} record
 * @returns {GeneratorCounts}
 */
function programCounts({ program, writers }) {
  const finished = sum(writers.map(({ inserts }) => inserts));
  const ok = sum(writers.filter(({ exit_code: code }) => code === 0).map(({ inserts }) => inserts));
  const none = { p50: null, p95: null, p99: null, max: null };
  return {
    name: program,
    finished,
    ok,
    failed: finished - ok,
    unanswered: 0,
    droppedArrivals: 0,
    status: {},
    code: {},
    kind: {},
    latencyMs: { all: none, ok: none },
    durationMs: null,
    created: ok,
    deleted: 0,
  };
}
