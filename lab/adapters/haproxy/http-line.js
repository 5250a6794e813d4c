/**
 * Reads lines of HAProxy's HTTP log (`option httplog`: configuration manual, section 8.2.3), with or without the columns that the lab's
 * own format puts before them.
 */

/**
 * @typedef {object} HttpLine
 * @property {string} id            of the request, where the lab's column or a captured header has it; else empty
 * @property {string} address       of the server, where the lab's column has it; else empty
 * @property {number} received      seconds since 1970
 * @property {number} ended
 * @property {string} frontend
 * @property {string} backend
 * @property {string | null} server null: the request reached none, or HAProxy answered it itself
 * @property {{ request: number | null, queue: number | null, connect: number | null, response: number | null, active: number }} timers_ms
 *   null: the phase was never reached (the log has -1)
 * @property {boolean} early        logged before the end (`option logasap`)
 * @property {number | null} status null: none was sent
 * @property {string} state         termination state, four characters
 * @property {{ process: number, frontend: number, backend: number, server: number }} connections  when it was logged
 * @property {number} retries
 * @property {boolean} redispatched to another server, so that the retries do not belong to the one that is named
 * @property {{ server: number, backend: number }} queued  requests that were before it in the queues
 * @property {string[]} captured    headers of the request and of the answer
 * @property {string} request       its first line; cut short where the log's line was too long
 * @property {string} text          the line
 */

/** Of the lab's own columns; a change of their meaning takes a new word. */
export const OWN_MARK = 'doubletake1';

/**
 * What may stand before the message: nothing (`format raw`), a priority (`format short`), or that with time, host, program and process
 * (`format rfc3164`). Nothing that a client can write stands here.
 */
const BEFORE = /^(?:<\d{1,3}>)?(?:[^"[]{0,120}\bhaproxy\[\d+\]: )?/;

const OWN_COLUMNS = new RegExp(`^${OWN_MARK} id=(\\S*) to=(\\S+) end=(\\d+) `);

const COLUMNS = new RegExp(
  [
    /^(?<client>\S+):(?<port>\d+) \[(?<date>[^\]]+)\] (?<frontend>\S+) (?<backend>[^\s/]+)\/(?<server>\S+) /,
    /(?<request>-?\d+)\/(?<queue>-?\d+)\/(?<connect>-?\d+)\/(?<response>-?\d+)\/(?<early>\+?)(?<active>\d+) /,
    /(?<status>-?\d+) \+?(?<bytes>\d+) \S+ \S+ (?<state>[CSPLRIDUKcs-][RQCHDLT-][A-Z-][A-Z-]) /,
    /(?<actconn>\d+)\/(?<feconn>\d+)\/(?<beconn>\d+)\/(?<srvconn>\d+)\/(?<redispatched>\+?)(?<retries>\d+) /,
    /(?<serverQueue>\d+)\/(?<backendQueue>\d+)(?<rest> .*)?$/,
  ]
    .map(({ source }) => source)
    .join(''),
);

/** Braces inside a captured header are written as `#7B` and `#7D` (section 8.6), so the first that closes is the list's own. */
const CAPTURED = /^ \{([^}]*)\}/;

/** Ids that the lab's wrapper around a k6 script sends: user and count; `w` before those of the warm-up. */
export const K6_ID = /^w?\d+-\d+$/;

const DATE = /^(\d\d)\/(\w{3})\/(\d{4}):(\d\d):(\d\d):(\d\d)(?:\.(\d{3}))?$/;
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** Time zones differ by quarters of an hour. */
const ZONE_STEP_S = 900;

/** @param {string} text  @returns {string} the message without what the log's format puts before it */
export const messageOf = (text) => text.replace(BEFORE, '');

/**
 * @param {{ t: number, text: string }} stamped  t: when the engine took the line, seconds since 1970
 * @returns {HttpLine | null} null for what is no whole line of this format
 */
export function readHttpLine({ t, text }) {
  const message = messageOf(text);
  const own = OWN_COLUMNS.exec(message);
  const columns = COLUMNS.exec(own ? message.slice(own[0].length) : message)?.groups;
  if (!columns) return null;
  const activeMs = Number(columns.active);
  const times = own ? timesByEnd(Number(own[3]), activeMs) : timesByDate(columns.date, activeMs, t);
  if (!times) return null;
  const { captured, request } = readRest(columns.rest ?? '');
  return {
    id: own ? unset(own[1]) : (captured.find((header) => K6_ID.test(header)) ?? ''),
    address: own && !own[2].startsWith('-') ? own[2].replace(/:\d+$/, '') : '',
    ...times,
    // A tilde marks a connection with TLS.
    frontend: columns.frontend.replace(/~$/, ''),
    backend: columns.backend,
    server: columns.server.startsWith('<') ? null : columns.server,
    timers_ms: {
      request: reached(columns.request),
      queue: reached(columns.queue),
      connect: reached(columns.connect),
      response: reached(columns.response),
      active: activeMs,
    },
    early: columns.early === '+',
    status: Number(columns.status) > 0 ? Number(columns.status) : null,
    state: columns.state,
    connections: {
      process: Number(columns.actconn),
      frontend: Number(columns.feconn),
      backend: Number(columns.beconn),
      server: Number(columns.srvconn),
    },
    retries: Number(columns.retries),
    redispatched: columns.redispatched === '+',
    queued: { server: Number(columns.serverQueue), backend: Number(columns.backendQueue) },
    captured,
    request,
    text,
  };
}

/** @param {string} timer */
const reached = (timer) => (Number(timer) < 0 ? null : Number(timer));

/** HAProxy writes a hyphen for what is not there. @param {string} value */
const unset = (value) => (value === '-' ? '' : value);

/** @type {(endMs: number, activeMs: number) => { received: number, ended: number }} */
const timesByEnd = (endMs, activeMs) => ({ received: (endMs - activeMs) / 1000, ended: endMs / 1000 });

/**
 * The log's date has no time zone: it is that of the container. The engine's time of the same line tells which, because a line is written
 * when its request ends.
 * @type {(date: string, activeMs: number, stampedAt: number) => { received: number, ended: number } | null}
 */
function timesByDate(date, activeMs, stampedAt) {
  const found = DATE.exec(date);
  const month = MONTHS.indexOf(found?.[2] ?? '');
  if (!found || month < 0) return null;
  const [, day, , year, hour, minute, second, ms = '0'] = found;
  const asUtc = Date.UTC(Number(year), month, Number(day), Number(hour), Number(minute), Number(second), Number(ms)) / 1000;
  const zone = Math.round((asUtc + activeMs / 1000 - stampedAt) / ZONE_STEP_S) * ZONE_STEP_S;
  const received = asUtc - zone;
  return { received, ended: received + activeMs / 1000 };
}

/** @param {string} rest  captured headers and the request's first line */
function readRest(rest) {
  /** @type {string[]} */
  const captured = [];
  let left = rest;
  // Those of the request, then those of the answer; each list is left out where nothing is captured.
  for (let list = 0; list < 2; list += 1) {
    const found = CAPTURED.exec(left);
    if (!found) break;
    captured.push(...found[1].split('|'));
    left = left.slice(found[0].length);
  }
  // A quote inside the request is written as `#22`; the one that closes is missing where the line was cut.
  return { captured, request: /^ "([^"]*)/.exec(left)?.[1] ?? '' };
}
