/**
 * What became of each request, as metrics of the lab's own: k6's built-in ones count the warm-up too and do not tell
 * one failure from another in its one-second record.
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
const STATUSES = [400, 404, 408, 409, 429, 499, 500, 502, 503, 504];

/** What k6's error text says, for codes that cover several things. First match wins. @type {[string, RegExp][]} */
const ERROR_KINDS = [
  ['server_closed_idle', /server closed idle connection/],
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
/** "dial: unknown errno" with a text that says no more: k6's own machine is out of descriptors or ports. */
const CODE_UNKNOWN_ERRNO = 1213;
const KINDS = [...ERROR_KINDS.map(([kind]) => kind), 'generator_exhausted', 'other'];

const counter = (/** @type {string} */ name) => new Counter(name);
const countersOf = (/** @type {string} */ prefix, /** @type {(string | number)[]} */ keys) =>
  Object.fromEntries([...keys, 'other'].map((key) => [key, counter(`${prefix}${key}`)]));

const started = counter('lab_started');
const finished = counter('lab_finished');
const ok = counter('lab_ok');
const failed = counter('lab_failed');
const byStatus = countersOf('lab_failed_status_', STATUSES);
const byCode = countersOf('lab_failed_code_', ERROR_CODES);
const byKind = Object.fromEntries(KINDS.map((kind) => [kind, counter(`lab_failed_kind_${kind}`)]));
const nodes = (__ENV.NODES || '').split(',').filter(Boolean);
const byNode = countersOf('lab_node_', nodes.map(metricName));

const latencyAll = new Trend('lab_latency_all', true);
const latencyOk = new Trend('lab_latency_ok', true);

/** Each user says an error text once: 2,000 users in trouble must not write 100,000 lines. */
const said = new Set();

function metricName(/** @type {string} */ text) {
  return text.replace(/[^A-Za-z0-9_]/g, '_');
}

/** To be called before the request is sent. */
export function countStart() {
  started.add(1);
}

/**
 * @param {import('k6/http').RefinedResponse<undefined>} response
 * @param {(status: number) => boolean} isGood which statuses are good answers
 */
export function countOutcome(response, isGood) {
  const { duration } = response.timings;
  finished.add(1);
  latencyAll.add(duration);
  const node = response.headers['X-Node'];
  if (node) (byNode[metricName(node)] || byNode.other).add(1);
  if (isGood(response.status)) {
    ok.add(1);
    latencyOk.add(duration);
    return;
  }
  failed.add(1);
  if (response.status > 0) (byStatus[response.status] || byStatus.other).add(1);
  else countTransportFailure(response);
}

function countTransportFailure(/** @type {import('k6/http').RefinedResponse<undefined>} */ response) {
  const kind = kindOf(response);
  (byCode[response.error_code] || byCode.other).add(1);
  byKind[kind].add(1);
  const key = `${response.error_code} ${kind}`;
  if (said.has(key)) return;
  said.add(key);
  console.error(JSON.stringify({ t: Date.now() / 1000, code: response.error_code, kind, error: response.error }));
}

function kindOf(/** @type {import('k6/http').RefinedResponse<undefined>} */ { error, error_code: code }) {
  const found = ERROR_KINDS.find(([, pattern]) => pattern.test(error));
  if (found) return found[0];
  return code === CODE_UNKNOWN_ERRNO ? 'generator_exhausted' : 'other';
}
