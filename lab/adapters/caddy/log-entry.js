/**
 * Reads lines of Caddy's logs in JSON: the access log (`handled request`), the error log of requests, and what the reverse proxy says of
 * each attempt where its level is DEBUG.
 */

import { jsonIn } from '../../base/values.js';
import { bareRecord } from '../complete-lines.js';
import { countsOf, messagesOf, seenIn, serviceAt, stampedLines } from '../hop-counts.js';
import { withoutContent } from '../log-content.js';
import { abortReasonOf, messageOf, requestRecordOf, requestsIn } from './requests.js';

/**
 * @typedef {'access' | 'error' | 'attempt' | 'abort' | 'health' | 'other'} Kind
 *   access: a request that has ended; error: why Caddy answered it with an error; attempt: one round trip to a service behind;
 *   abort: an answer that broke off; health: of the active health checks
 *
 * @typedef {object} Entry
 * @property {Kind} kind
 * @property {number} t             when it was written, seconds since 1970
 * @property {string} logger
 * @property {string} message
 * @property {string} id            of the request; empty where the line is about none, or it came without one
 * @property {string} client        address and port that the request came from; empty as above
 * @property {string} method
 * @property {number | null} status null: none was written
 * @property {number | null} duration_s
 * @property {number | null} size   of the answer's body, as far as it was sent
 * @property {number | null} promised  its length by its header
 * @property {string} upstream      as the configuration names it
 * @property {string} host          that a health check is about
 * @property {string} error
 * @property {boolean} own          written by the lab's own logger
 * @property {string} text
 */

/** The lab's logger writes its name under this key instead of `logger`, so that its lines are known among the service's. */
export const OWN_KEY = 'doubletake';

/** Fields beside those that any program may have. Caddy's names of hosts are those of its configuration. */
const OWN_FIELDS = new Set([OWN_KEY, 'upstream', 'remote_ip', 'remote_port', 'remote_addr']);

const ACCESS = /^http\.log\.access(?:\.|$)/;
const ERROR = /^http\.log\.error(?:\.|$)/;
const PROXY = 'http.handlers.reverse_proxy';
const HEALTH = `${PROXY}.health_checker.active`;

/**
 * @param {{ t: number, text: string }} stamped  t: when the engine took the line, seconds since 1970
 * @returns {Entry | null} null for what is no whole line of such a log
 */
export function readEntry({ t, text }) {
  const values = text.startsWith('{') ? jsonIn(text) : null;
  if (values === null || typeof values.msg !== 'string') return null;
  const own = typeof values[OWN_KEY] === 'string';
  const logger = textOf(own ? values[OWN_KEY] : values.logger);
  const request = values.request ?? {};
  return {
    kind: kindOf(logger, values.msg),
    // A time in another format than seconds is that of the engine, which is the same moment.
    t: numberOf(values.ts) ?? t,
    logger,
    message: values.msg,
    id: headerOf(request.headers, 'X-Request-Id'),
    client: request.remote_ip ? `${request.remote_ip}:${request.remote_port}` : textOf(request.remote_addr),
    method: textOf(request.method),
    status: numberOf(values.status) || null,
    duration_s: numberOf(values.duration),
    size: numberOf(values.size),
    promised: lengthOf(headerOf(values.resp_headers, 'Content-Length')),
    upstream: textOf(values.upstream),
    host: textOf(values.host),
    error: textOf(values.error),
    own,
    text,
  };
}

/** @param {string} line without the engine's time @returns {string} from which the same is read */
export const redact = (line) => withoutContent(line, (field) => OWN_FIELDS.has(field));

/** @param {string} logger @param {string} message @returns {Kind} */
function kindOf(logger, message) {
  if (ACCESS.test(logger) && message === 'handled request') return 'access';
  if (ERROR.test(logger)) return 'error';
  if (logger === HEALTH) return 'health';
  if (logger === PROXY && message === 'upstream roundtrip') return 'attempt';
  if (logger === PROXY && message === 'aborting with incomplete response') return 'abort';
  return 'other';
}

/** Go spells headers in one way; a request over HTTP/2 comes in small letters and is spelt so too. @type {(headers: any, name: string) => string} */
const headerOf = (headers, name) => textOf(headers?.[name]?.[0]);

/** @param {string} value @returns {number | null} */
const lengthOf = (value) => (/^\d+$/.test(value) ? Number(value) : null);

/** @param {unknown} value */
const textOf = (value) => (typeof value === 'string' ? value : '');

/** @param {unknown} value @returns {number | null} */
const numberOf = (value) => (typeof value === 'number' && Number.isFinite(value) ? value : null);

/*
 * Which services behind Caddy left out and took in again: by its active health checks, which write a line for each check that fails and one
 * for each return, else by the gauge that it keeps of every upstream.
 */

/** @typedef {import('../contract.js').Message} Message */

const UP = 'host is up';
/** What a failed check writes (modules/caddyhttp/reverseproxy/healthchecks.go, doActiveHealthCheck). */
const DOWN = new Set([
  'HTTP request failed',
  'unexpected status code',
  'status code out of tolerances',
  'failed to read response body',
  'response body failed expectations',
]);

/**
 * @param {Entry[]} entries  of health checks, in the order of time
 * @param {Map<string, string>} names
 * @returns {Message[]} one for each change
 */
function checkMessages(entries, names) {
  /** @type {Set<string>} */
  const down = new Set();
  return entries.flatMap((entry) => {
    const to = serviceAt(entry.host, names);
    if (entry.message === UP && down.delete(entry.host)) return [messageOf(entry, 'reinstated', to)];
    if (!DOWN.has(entry.message) || down.has(entry.host)) return [];
    down.add(entry.host);
    return [messageOf(entry, 'ejected', to)];
  });
}

/**
 * @param {MetricsSample[]} samples
 * @param {Map<string, string>} names
 * @returns {Message[]} Caddy brings the gauge up to date every ten seconds, so each is up to that late
 */
function gaugeMessages(samples, names) {
  return samples.slice(1).flatMap(({ t, healthy }, index) =>
    Object.entries(healthy).flatMap(([upstream, now]) => {
      const before = samples[index].healthy[upstream];
      if (before === undefined || before === now) return [];
      const signal = /** @type {import('../contract.js').Signal} */ (now === 1 ? 'reinstated' : 'ejected');
      const text = `caddy_reverse_proxy_upstreams_healthy{upstream="${upstream}"} ${now}`;
      return [{ signal, t, text, to: serviceAt(upstream, names) }];
    }),
  );
}

/*
 * Reads what Caddy's handler `metrics` answers, in Prometheus' text format: its file descriptors, which are the one thing that it can run
 * out of by itself, and which upstreams it takes for healthy.
 */

/**
 * @typedef {object} Metrics
 * @property {number | null} openFiles
 * @property {number | null} mostFiles
 * @property {Record<string, number>} healthy  by the upstream as the configuration names it: 1 or 0
 *
 * @typedef {Metrics & { t: number }} MetricsSample
 */

const HEALTHY = /^caddy_reverse_proxy_upstreams_healthy\{[^}]*\bupstream="([^"]*)"[^}]*\} (\S+)$/;

/** @param {string} text @returns {Metrics | null} null where it is none */
export function readMetrics(text) {
  const openFiles = metricIn(text, 'process_open_fds');
  const mostFiles = metricIn(text, 'process_max_fds');
  /** @type {Record<string, number>} */
  const healthy = {};
  for (const line of text.split('\n')) {
    const found = HEALTHY.exec(line.trim());
    if (found) healthy[found[1]] = Number(found[2]);
  }
  return openFiles === null && Object.keys(healthy).length === 0 ? null : { openFiles, mostFiles, healthy };
}

/** @type {(text: string, name: string) => number | null} */
function metricIn(text, name) {
  const found = new RegExp(`^${name} (\\S+)$`, 'm').exec(text);
  return found ? Number(found[1]) : null;
}

/** @param {MetricsSample[]} samples @returns {import('../contract.js').Limit[]} */
function limitsOf(samples) {
  const size = samples.find(({ mostFiles }) => mostFiles !== null)?.mostFiles;
  if (!size) return [];
  const used = samples.flatMap(({ t, openFiles }) => (openFiles === null ? [] : [{ t, used: openFiles }]));
  return [{ resource: 'file descriptors', size, used }];
}

/*
 * What Caddy recorded, in neutral words: its access log, its errors, its health checks, and the metrics that were sampled.
 */

/**
 * @typedef {import('../contract.js').RequestRecord} RequestRecord
 */

/** Messages about no request. Go's server writes those of its own through the logger `http.stdlib`. @type {[RegExp, import('../contract.js').Signal][]} */
const OTHERS = [
  [/^http: Accept error: .*too many open files/, 'proxy_internal_error'],
  [/^shutting down/, 'shut-down'],
];

/**
 * @param {import('../contract.js').Files} files
 * @param {import('../contract.js').About} about
 * @returns {import('../contract.js').HopRecord}
 */
export function read(files, about) {
  const all = stampedLines(files.log)
    .flatMap((stamped) => readEntry(stamped) ?? [])
    .sort((one, other) => one.t - other.t);
  // The service's own loggers go on beside the lab's; each request must count once.
  const watched = all.some(({ own }) => own);
  const entries = watched ? all.filter(({ own }) => own) : all;
  const { requests, unjoined } = requestsIn(entries);
  const requestRecords = seenIn(
    requests.map((request) => requestRecordOf(request, about)),
    about.window,
  );
  const others = [...otherMessages(all, files.samples, about.names), ...unjoined.map(abortMessage)];
  const limits = limitsOf(files.samples);
  const hasAccess = entries.some(({ kind }) => kind === 'access');
  return {
    ...bareRecord(about, 'caddy'),
    ...coverageOf({ watched, hasAccess, requests, requestRecords, unjoined, limited: limits.length > 0 }),
    source: hasAccess ? 'access log' : 'error log',
    ...(hasAccess && countsOf(requestRecords)),
    requestRecords,
    messages: messagesOf(requestRecords, others, about.window),
    limits,
  };
}

/** @type {(entries: Entry[], samples: MetricsSample[], names: Map<string, string>) => Message[]} */
function otherMessages(entries, samples, names) {
  const checks = entries.filter(({ kind }) => kind === 'health');
  const said = entries
    .filter(({ kind }) => kind === 'other')
    .flatMap((entry) => {
      const signal = OTHERS.find(([pattern]) => pattern.test(entry.message))?.[1];
      return signal === undefined ? [] : [messageOf(entry, signal)];
    });
  // The checks tell the moment; without them the gauge tells of what was left out for failed requests.
  return [...said, ...(checks.length > 0 ? checkMessages(checks, names) : gaugeMessages(samples, names))];
}

/** @param {Entry} abort @returns {Message} */
const abortMessage = (abort) => messageOf(abort, abortReasonOf(abort.error).signal);

/**
 * @typedef {object} Found
 * @property {boolean} watched    the lab's own logger wrote
 * @property {boolean} hasAccess
 * @property {import('./requests.js').Request[]} requests
 * @property {RequestRecord[]} requestRecords  of the window
 * @property {Entry[]} unjoined
 * @property {boolean} limited
 */

/** @param {Found} found @returns {Pick<import('../contract.js').HopRecord, 'coverage' | 'uncovered'>} */
function coverageOf({ watched, hasAccess, requests, requestRecords, unjoined, limited }) {
  const withoutId = requestRecords.filter(({ id }) => id === '').length;
  const silent = requests.some(({ end }) => end.kind === 'access' && end.status === null);
  const gaps = /** @type {[boolean, string][]} */ ([
    [
      !hasAccess,
      'Caddy wrote no access log in JSON: only requests that it answered with an error of its own are on record; add "log" to each site, or allow the lab to lay its own configuration over (watch: 2).',
    ],
    [
      withoutId > 0,
      `${withoutId} of the ${requestRecords.length} requests in Caddy’s log came without X-Request-Id: they cannot be joined to k6’s.`,
    ],
    [!watched, 'Caddy’s log does not name the service behind that answered, or the attempts that it repeated (watch: 2).'],
    [
      silent && !watched,
      'Caddy logs the status 0 for a client that left before the answer, and for a request that no route took; they are taken for clients that left.',
    ],
    [
      unjoined.length > 0,
      `Caddy did not say of which request an answer broke off, ${unjoined.length === 1 ? 'once' : `${unjoined.length} times`}: those requests may look whole.`,
    ],
    [!limited, 'How many file descriptors Caddy had in use is not watched (watch: 2).'],
    [true, 'Caddy has no limit for connections of its own: what it cannot take waits in the kernel and leaves no line in its log.'],
  ]);
  return {
    coverage: {
      requests: hasAccess && withoutId === 0 ? 'full' : requests.length > 0 ? 'partial' : 'none',
      reasons: watched && unjoined.length === 0 ? 'full' : requests.length > 0 ? 'partial' : 'none',
      limits: limited ? 'full' : 'none',
    },
    uncovered: gaps.filter(([applies]) => applies).map(([, sentence]) => sentence),
  };
}
