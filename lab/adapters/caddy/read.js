/**
 * What Caddy recorded, in neutral words: its access log, its errors, its health checks, and the metrics that were sampled.
 */
import { countsOf, messagesOf, NOT_COUNTED, seenIn } from '../hop-counts.js';
import { stampedLines } from '../log-lines.js';
import { abortReasonOf } from './go-errors.js';
import { checkMessages, gaugeMessages } from './health.js';
import { readEntry } from './log-entry.js';
import { limitsOf } from './metrics.js';
import { messageOf, requestsIn, sightingOf } from './requests.js';

/**
 * @typedef {import('../contract.js').Message} Message
 * @typedef {import('../contract.js').Sighting} Sighting
 * @typedef {import('./log-entry.js').Entry} Entry
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
  const sightings = seenIn(
    requests.map((request) => sightingOf(request, about)),
    about.window,
  );
  const others = [...otherMessages(all, files.samples, about.names), ...unjoined.map(abortMessage)];
  const limits = limitsOf(files.samples);
  const hasAccess = entries.some(({ kind }) => kind === 'access');
  return {
    service: about.service,
    tier: about.tier,
    product: 'caddy',
    ...coverageOf({ watched, hasAccess, requests, sightings, unjoined, limited: limits.length > 0 }),
    source: hasAccess ? 'access log' : 'error log',
    ...(hasAccess ? countsOf(sightings) : NOT_COUNTED),
    sightings,
    messages: messagesOf(sightings, others, about.window),
    counters: {},
    limits,
  };
}

/** @type {(entries: Entry[], samples: import('./metrics.js').MetricsSample[], names: Map<string, string>) => Message[]} */
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
 * @property {Sighting[]} sightings  of the window
 * @property {Entry[]} unjoined
 * @property {boolean} limited
 */

/** @param {Found} found @returns {Pick<import('../contract.js').HopRecord, 'coverage' | 'uncovered'>} */
function coverageOf({ watched, hasAccess, requests, sightings, unjoined, limited }) {
  const withoutId = sightings.filter(({ id }) => id === '').length;
  const silent = requests.some(({ end }) => end.kind === 'access' && end.status === null);
  const gaps = /** @type {[boolean, string][]} */ ([
    [
      !hasAccess,
      'Caddy wrote no access log in JSON: only requests that it answered with an error of its own are on record; add "log" to each site, or allow the lab to lay its own configuration over (watch: 2).',
    ],
    [
      withoutId > 0,
      `${withoutId} of the ${sightings.length} requests in Caddy’s log came without X-Request-Id: they cannot be joined to k6’s.`,
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
