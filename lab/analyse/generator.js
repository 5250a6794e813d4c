/**
 * What the load generator counted: the requests of the load, by outcome.
 */
import { scenarios } from '../define/scenarios.js';
import { countOf } from '../measure/k6-record.js';
import { sum } from './numbers.js';

const STATUS = 'lab_failed_status_';
const CODE = 'lab_failed_code_';
const KIND = 'lab_failed_kind_';
const NODE = 'lab_node_';

/**
 * @typedef {object} GeneratorCounts
 * @property {string} name            of who made the load
 * @property {number} started
 * @property {number} finished
 * @property {number} ok
 * @property {number} failed
 * @property {number} unfinished      cut off when the load ended
 * @property {Record<string, number>} status  failures by HTTP status
 * @property {Record<string, number>} code    failures without a status, by k6's error code
 * @property {Record<string, number>} kind    the same by k6's error text
 * @property {Record<string, number>} node    answers by the node that gave them
 * @property {{ all: import('../define/result.js').Percentiles, ok: import('../define/result.js').Percentiles }} latencyMs
 * @property {number | null} okMeanMs
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
  const started = count('lab_started');
  const finished = count('lab_finished');
  return {
    name: 'k6',
    started,
    finished,
    ok: count('lab_ok'),
    failed: count('lab_failed'),
    unfinished: Math.max(0, started - finished),
    status: group(STATUS),
    code: group(CODE),
    kind: group(KIND),
    node: group(NODE),
    latencyMs: { all: percentiles('lab_latency_all'), ok: percentiles('lab_latency_ok') },
    okMeanMs: values('lab_latency_ok').avg ?? null,
    created: written ? count(written.created) : 0,
    deleted: written?.deleted ? count(written.deleted) : 0,
  };
}

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
    started: finished,
    finished,
    ok,
    failed: finished - ok,
    unfinished: 0,
    status: {},
    code: {},
    kind: {},
    node: {},
    latencyMs: { all: none, ok: none },
    okMeanMs: null,
    created: ok,
    deleted: 0,
  };
}

/**
 * Failures of one kind, second by second. What the summary counts beyond the one-second record fell into the time after the
 * record's last line.
 * @param {import('../measure/k6-record.js').Snapshot[]} snapshots
 * @param {string} kind
 * @param {number} total of the summary
 * @returns {{ from: number, to: number, count: number }[]} seconds since 1970; seconds without any are left out
 */
export function failuresByTime(snapshots, kind, total) {
  const seconds = snapshots.map((snapshot, index) => ({
    from: snapshots[index - 1]?.t ?? snapshot.t - 1,
    to: snapshot.t,
    count: countOf(snapshot, `${KIND}${kind}`),
  }));
  const end = snapshots.at(-1)?.t ?? 0;
  const rest = { from: end, to: end + 1, count: total - sum(seconds.map(({ count }) => count)) };
  return [...seconds, rest].filter(({ count }) => count > 0);
}
