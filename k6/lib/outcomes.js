/**
 * What became of each request, as metrics of the lab's own: k6's built-in ones count the warm-up too and do not tell
 * one failure from another in its one-second record. Each failed request is written down by its id besides.
 *
 * k6 declares metrics at start, so the kinds of failure are a list; what is not on it counts as `other` and is still
 * told apart in the log.
 */
import { Counter, Trend } from 'k6/metrics';

/**
 * k6's error codes (https://grafana.com/docs/k6/latest/javascript-api/error-codes/) that a load on HTTP can meet.
 * A failure without an HTTP status is counted under its code; 1000 covers whatever k6 has no code for, such as EOF.
 */
const ERROR_CODES = [1000, 1010, 1020, 1050, 1100, 1101, 1110, 1111, 1200, 1201, 1202, 1210, 1211, 1212, 1213, 1220, 1221, 1300, 1310];
const STATUSES = [400, 401, 403, 404, 405, 408, 409, 413, 422, 429, 499, 500, 501, 502, 503, 504];

/** What k6's error text says, for codes that cover several things. First match wins. @type {[string, RegExp][]} */
const ERROR_KINDS = [
  ['server_closed_idle', /server closed idle connection/],
  ['invalid_answer', /malformed (HTTP|MIME)/],
  ['eof', /EOF/],
  ['reset', /connection reset/],
  ['broken_pipe', /broken pipe/],
  ['refused', /connection refused/],
  ['no_descriptors', /too many open files/],
  ['no_ports', /cannot assign requested address/],
  ['unreachable', /no route to host|network is unreachable/],
  ['lookup', /lookup|no such host/],
  ['dial_timeout', /dial.*timeout/],
  ['timeout', /timeout|deadline exceeded/],
  ['cut_at_end', /context canceled/],
];
/** A time-out that came with the end of the load and its grace, and not after the user's own patience. */
const UNANSWERED = 'unanswered';
/** "dial: unknown errno" with a text that says no more: k6's own machine is out of descriptors or ports. */
const CODE_UNKNOWN_ERRNO = 1213;
const KINDS = [...ERROR_KINDS.map(([kind]) => kind), UNANSWERED, 'generator_exhausted', 'other'];

/** A line of k6's log costs more than what is in it; a user gathers this many failures for one, or waits this long. */
const GATHERED_MOST = 16;
const GATHERED_MS = 5000;
/** Near the load's end a user may not come back to write what it gathered: this long before it, and the time that it thinks. */
const LAST_MS = GATHERED_MS;

const counter = (/** @type {string} */ name) => new Counter(name);
const countersOf = (/** @type {string} */ prefix, /** @type {(string | number)[]} */ keys) =>
  Object.fromEntries([...keys, 'other'].map((key) => [key, counter(`${prefix}${key}`)]));

/** Where not every request of k6's is one that counts; else both follow from k6's own count (lab/measure/k6-record.js). */
const finished = counter('lab_finished');
const ok = counter('lab_ok');
const failed = counter('lab_failed');
const unanswered = counter('lab_unanswered');
const byStatus = countersOf('lab_failed_status_', STATUSES);
const byCode = countersOf('lab_failed_code_', ERROR_CODES);
const byKind = Object.fromEntries(KINDS.map((kind) => [kind, counter(`lab_failed_kind_${kind}`)]));

/** What the user waited, from wanting to send (in open loads from the intended moment) to the last byte. */
const latencyAll = new Trend('lab_latency_all', true);
const latencyOk = new Trend('lab_latency_ok', true);

/** Each user says an error text once: 2,000 users in trouble must not write 100,000 lines. */
const said = new Set();
/** Failures of this user that are not yet in the log: id, end, milliseconds waited, status, code, kind. @type {[string, number, number, number, number, string][]} */
let gathered = [];
let gatheredSince = 0;

/**
 * @typedef {object} Sent
 * @property {string} id
 * @property {number} sentAt        milliseconds since 1970
 * @property {number} lateMs        that k6 does not time: after its intended moment, or in hops before the last
 * @property {boolean} endsWithLoad its time-out is the end of the load and its grace
 * @property {number} loadEndsAt    milliseconds since 1970; 0 where nobody knows whether the user comes back: failures are written at once
 * @property {number} thinkMs       that the user may take before it comes back
 */

/**
 * What the client counts of a good answer itself, because each call of a function costs as much as a metric; and `writeWaiting`, where
 * `failures.waiting` says so.
 */
export const good = { latencyAll, latencyOk };
/** Whether this user has failures that are not yet written down. */
export const failures = { waiting: false };

/**
 * A request of a user's own script, good or not.
 * @param {import('k6/http').RefinedResponse<undefined>} response
 * @param {Sent & { isGood: (status: number) => boolean }} sent
 * @returns {number} milliseconds that the user waited
 */
export function countOutcome(response, sent) {
  const { status } = response;
  finished.add(1);
  if (!sent.isGood(status)) return countFailure(response, sent, status);
  const waited = waitedMs(response.timings, sent.sentAt) + sent.lateMs;
  ok.add(1);
  latencyAll.add(waited);
  latencyOk.add(waited);
  if (failures.waiting) writeWaiting(sent);
  return waited;
}

/** @param {Sent} sent */
export const writeWaiting = (sent) => writeInTime(Date.now(), sent);

/**
 * @param {import('k6/http').RefinedResponse<undefined>} response
 * @param {Sent} sent
 * @param {number} status
 * @returns {number} milliseconds that the user waited
 */
export function countFailure(response, sent, status) {
  const now = Date.now();
  // k6 takes no time of a connection that was never made, nor of an attempt that its transport made again by itself.
  const waited = (status > 0 ? waitedMs(response.timings, sent.sentAt) : now - sent.sentAt) + sent.lateMs;
  failed.add(1);
  latencyAll.add(waited);
  let kind = 'status';
  if (status > 0) (byStatus[status] || byStatus.other).add(1);
  else kind = countTransportFailure(response, sent);
  if (gathered.length === 0) gatheredSince = now;
  failures.waiting = true;
  gathered.push([sent.id, now, Math.round(waited), status, response.error_code, kind]);
  writeInTime(now, sent);
  return waited;
}

/**
 * From wanting to send to the last byte. Where k6 dials and then takes another connection that came free, it counts the time
 * between twice; by the clock, of whole milliseconds, it cannot have been longer than until now.
 * @param {{ blocked: number, duration: number }} timings
 * @param {number} sentAt milliseconds since 1970
 */
export const waitedMs = ({ blocked, duration }, sentAt) => Math.min(blocked + duration, Date.now() - sentAt + 1);

/** Writes what the user gathered, once it is enough, or old, or the user may not come back. @param {number} now @param {Sent} sent */
function writeInTime(now, { loadEndsAt, thinkMs }) {
  const isLast = now > loadEndsAt - LAST_MS - thinkMs;
  if (!isLast && gathered.length < GATHERED_MOST && now - gatheredSince < GATHERED_MS) return;
  console.error(JSON.stringify({ failed: gathered }));
  gathered = [];
  failures.waiting = false;
}

/** @type {(response: import('k6/http').RefinedResponse<undefined>, sent: Sent) => string} */
function countTransportFailure(response, { endsWithLoad }) {
  const told = kindOf(response);
  const kind = told === 'timeout' && endsWithLoad ? UNANSWERED : told;
  if (kind === UNANSWERED) unanswered.add(1);
  (byCode[response.error_code] || byCode.other).add(1);
  byKind[kind].add(1);
  const key = `${response.error_code} ${kind}`;
  if (!said.has(key)) {
    said.add(key);
    console.error(JSON.stringify({ t: Date.now() / 1000, code: response.error_code, kind, error: response.error }));
  }
  return kind;
}

function kindOf(/** @type {import('k6/http').RefinedResponse<undefined>} */ { error, error_code: code }) {
  const found = ERROR_KINDS.find(([, pattern]) => pattern.test(error));
  if (found) return found[0];
  return code === CODE_UNKNOWN_ERRNO ? 'generator_exhausted' : 'other';
}
