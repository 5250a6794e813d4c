/**
 * What HAProxy recorded, in neutral words: its HTTP log, its messages about servers and limits, and the counters that were sampled.
 */
import { countsOf, hasRisen, messagesOf, NOT_COUNTED, seenIn, serviceAt } from '../hop-counts.js';
import { DROPPED_LINES, stampedLines } from '../log-lines.js';
import { readHttpLine } from './http-line.js';
import { readStateLines } from './state-lines.js';
import { countersOf, limitsOf } from './stats.js';
import { outcomeOf, placeOf, reasonOf } from './termination.js';

/**
 * @typedef {import('../contract.js').About} About
 * @typedef {import('../contract.js').Asked} Asked
 * @typedef {import('../contract.js').Sighting} Sighting
 * @typedef {import('./http-line.js').HttpLine} HttpLine
 */

/** The first bad status; with one, the termination state names the error. */
const FIRST_BAD_STATUS = 400;

/**
 * @param {import('../contract.js').Files} files
 * @param {About} about
 * @returns {import('../contract.js').HopRecord}
 */
export function read(files, about) {
  const all = stampedLines(files.log).map((stamped) => ({ stamped, line: readHttpLine(stamped) }));
  const lines = all.flatMap(({ line }) => (line ? [line] : []));
  const serviceOf = namer(lines, about.names);
  const sightings = seenIn(
    lines.map((line) => sightingOf(line, about.service, serviceOf)),
    about.window,
  );
  const others = readStateLines(
    all
      .filter(({ line }) => line === null)
      .map(({ stamped }) => stamped)
      // Of a shipped service its own log comes after what the engine kept.
      .toSorted((one, other) => one.t - other.t),
    serviceOf,
  );
  const counters = countersOf(files.samples);
  const limits = limitsOf(files.samples);
  return {
    service: about.service,
    tier: about.tier,
    product: 'haproxy',
    ...coverageOf({ lines, sightings, dropped: hasRisen(counters[DROPPED_LINES] ?? []), limited: limits.length > 0 }),
    source: 'HTTP log',
    ...(lines.length === 0 ? NOT_COUNTED : countsOf(sightings)),
    sightings,
    messages: messagesOf(sightings, others, about.window),
    counters,
    limits,
    closes_unlogged: true,
  };
}

/**
 * Names a server's service: by the address that the lab's columns have, else by the server's own name.
 * @param {HttpLine[]} lines
 * @param {Map<string, string>} names
 * @returns {(server: string) => string} takes `backend/server`
 */
function namer(lines, names) {
  const addresses = new Map(lines.filter(({ address }) => address !== '').map((line) => [`${line.backend}/${line.server}`, line.address]));
  return (server) => serviceAt(addresses.get(server) ?? server.slice(server.indexOf('/') + 1), names);
}

/** @type {(line: HttpLine, service: string, serviceOf: (server: string) => string) => Sighting} */
function sightingOf(line, service, serviceOf) {
  const reason = reasonOf(line);
  const server = line.server === null ? null : serviceOf(`${line.backend}/${line.server}`);
  const message = reason && {
    signal: reason.signal,
    t: line.ended,
    text: line.text,
    ...(server === null ? {} : { to: server }),
  };
  const state = line.state.slice(0, 2);
  return {
    service,
    id: line.id,
    received: line.received,
    ended: line.ended,
    outcome: outcomeOf(line),
    status: line.status,
    error: state !== '--' && (line.status === null || line.status >= FIRST_BAD_STATUS) ? state : '',
    place: placeOf(line),
    asked: askedOf(line, server, reason?.ofAttempt ? message : null),
    own: message && !reason?.ofAttempt ? [message] : [],
    ...tookOf(line),
  };
}

/**
 * The server has it from the beginning of the connection on: what comes before is the wait for the whole request, and in the queue.
 * @param {HttpLine} line
 * @returns {Pick<Sighting, 'took_ms'>} nothing where no server answered
 */
function tookOf({ timers_ms: { request, queue, connect, response, active } }) {
  if (response === null) return {};
  return { took_ms: { whole: active, behind: active - (request ?? 0) - (queue ?? 0), connect: connect ?? 0 } };
}

/**
 * The attempts: those that were repeated, of which the log has only the number, and the last. A repeated one failed to connect, unless the
 * configuration repeats for other reasons (`retry-on`).
 * @type {(line: HttpLine, server: string | null, message: import('../contract.js').Message | null) => Asked[]}
 */
function askedOf(line, server, message) {
  const earlier = line.redispatched ? line.backend : (server ?? line.backend);
  const repeated = Array.from({ length: line.retries }, () => ({ to: earlier, status: null, connected: false, message: null }));
  // Who ended in the queue or before it was sent to no server, though one may have been chosen.
  if (server === null || 'RQT'.includes(line.state[1])) return repeated;
  const answered = line.timers_ms.response !== null && !line.state.startsWith('PH');
  return [...repeated, { to: server, status: answered ? line.status : null, connected: line.timers_ms.connect !== null, message }];
}

/**
 * @param {{ lines: HttpLine[], sightings: Sighting[], dropped: boolean, limited: boolean }} found
 * @returns {Pick<import('../contract.js').HopRecord, 'coverage' | 'uncovered'>}
 */
function coverageOf({ lines, sightings, dropped, limited }) {
  const withoutId = sightings.filter(({ id }) => id === '').length;
  const retried = lines.some(({ retries }) => retries > 0);
  const early = lines.some((line) => line.early);
  const gaps = /** @type {[boolean, string][]} */ ([
    [
      lines.length === 0,
      'HAProxy’s output has no line of its default HTTP log; add "log stdout format raw local0" and "option httplog", or allow the lab to lay its own configuration over (watch: 2).',
    ],
    [
      withoutId > 0 && withoutId === sightings.length,
      'HAProxy’s log has no request id: its lines cannot be joined to k6’s; add "capture request header X-Request-Id len 64", or allow the lab to lay its own configuration over (watch: 2).',
    ],
    [withoutId > 0 && withoutId < sightings.length, `${withoutId} of HAProxy’s ${sightings.length} lines have no request id.`],
    [dropped, 'HAProxy could not write all of its log lines: some requests are missing.'],
    [early, 'HAProxy logs before a request ends ("option logasap"): answers that broke off later look whole.'],
    [retried, 'HAProxy counts the repeated attempts of a request, and does not say why or, after a redispatch, where each failed.'],
    [!limited, 'How full HAProxy’s connections and queues were is not watched (watch: 2).'],
    [
      true,
      'A client that HAProxy does not accept, because its connections are all taken, waits in the kernel and leaves no line in its log.',
    ],
    // `abort_keep_alive` in http_wait_for_response() (src/http_ana.c), so that the client sends its request again.
    [
      true,
      'Where a server breaks off before it answers, HAProxy closes the connection of a client that had asked before, without an answer or a line in its log.',
    ],
  ]);
  const isWhole = lines.length > 0 && withoutId === 0 && !dropped;
  return {
    coverage: {
      requests: lines.length === 0 ? 'none' : isWhole ? 'full' : 'partial',
      reasons: lines.length === 0 ? 'none' : retried || dropped || early ? 'partial' : 'full',
      limits: limited ? 'full' : 'none',
    },
    uncovered: gaps.filter(([applies]) => applies).map(([, sentence]) => sentence),
  };
}
