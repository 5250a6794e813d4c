/**
 * What Nginx recorded, in neutral words. A user's own writes to its container's output: requests in the lab's format where that was laid over
 * its configuration, in the common form else, and its error log between them. One of the shipped systems writes both logs, in the lab's format,
 * into files of the record, and was asked for its totals (stub_status) and the configuration that it ran.
 *
 * @typedef {import('../contract.js').HopRecord} HopRecord
 * @typedef {import('../contract.js').Files} Files
 * @typedef {import('../contract.js').About} About
 * @typedef {import('./access-line.js').AccessLine} AccessLine
 * @typedef {{ t: number, accepted: number, handled: number, requests: number }} Totals
 *
 * @typedef {object} Recorded
 * @property {AccessLine[]} lines
 * @property {import('./messages.js').ErrorLine[]} errors
 * @property {Totals[]} totals   asked one after the other
 * @property {string} conf       as `nginx -T` prints it
 */
import { parseLines } from '../../options/json-lines.js';
import { bareRecord } from '../bare-record.js';
import { stampedLines } from '../log-lines.js';
import { countAccess } from '../opaque/access-log.js';
import { groupByConnection, sightingOf } from './access-line.js';
import { benchesOf } from './benches.js';
import { configuration, OWN_MARK } from './config.js';
import { FILES, slotsIn } from './inside.js';
import { parseErrorLog, readMessage } from './messages.js';

const PREFIX = `${OWN_MARK} `;
/** What the log says of a request is the client's to choose; a line that is cut or that is not the lab's is none. */
const NUMBERS = ['t', 'status', 'request_s', 'connection'];

/** It begins to close idle clients when 1/16 of its slots are free (ngx_drain_connections). */
const TABLE_SHARE = 15 / 16;
const FIRST_BAD_STATUS = 400;
const CLIENT_CLOSED = 499;
/** Nginx's own. https://nginx.org/en/docs/http/ngx_http_upstream_module.html#fail_timeout */
const BENCHED_S = 10;

/** A long log is read once, however often it is asked for. @type {WeakMap<Files, AccessLine[]>} */
const linesIn = new WeakMap();

/** Of the access log that is a file of the record. @param {Files} files @returns {AccessLine[]} none of a user's own */
function shippedLines(files) {
  const lines = linesIn.get(files) ?? parseLines(files.file(FILES.access), FILES.access);
  linesIn.set(files, lines);
  return lines;
}

/** @param {Files} files @returns {string[] | null} ids of requests for which it asked several services; null where the load's window decides what is read */
export const askedAgain = (files) =>
  files.isShipped ? shippedLines(files).flatMap(({ id, upstream }) => (upstream.includes(', ') ? [id] : [])) : null;

/**
 * @param {Files} files
 * @param {About} about
 * @returns {HopRecord}
 */
export function read(files, about) {
  const { log, file } = files;
  const { service, level, window } = about;
  const conf = file(configuration.name);
  if (files.isShipped) {
    const totals = parseLines(file(FILES.totals), FILES.totals);
    const lines = shippedLines(files);
    // Its health check opens a port and asks nothing, and its totals have a port of their own.
    return { ...recordOf({ lines, errors: parseErrorLog(file(FILES.error)), totals, conf }, about), only_load: true };
  }
  if (level === 0 || log === '')
    return {
      ...bareRecord(about, 'nginx'),
      uncovered: [
        level === 0
          ? `the log of ${service} was not read: what it did with a request is not known`
          : `${service} wrote nothing to its output: what it did with a request is not known`,
      ],
    };
  const stamped = stampedLines(log);
  const own = stamped.flatMap(({ text }) => readOwn(text));
  const errors = stamped.flatMap(({ t, text }) => parseErrorLog(text).map((line) => ({ ...line, t: inUtc(line.t, t) })));
  if (own.length > 0) return { ...recordOf({ lines: own, errors, totals: [], conf }, about), counters: {} };
  const counted = countAccess(log, window);
  const messages = errors.flatMap(readMessage).filter(({ t }) => t >= Math.floor(window.from) && t <= window.to + 1);
  return {
    ...bareRecord(about, 'nginx'),
    coverage: { requests: counted ? 'partial' : 'none', reasons: 'partial', limits: 'none' },
    uncovered: [
      `Nginx logs no ids by itself: which request ${service} lost cannot be said ("watch: 2" would)`,
      'by default Nginx hides its warnings, that of a full connection table among them',
    ],
    ...(counted
      ? { source: 'access log', received: counted.received, answered_ok: counted.answered_ok, answered_error: counted.answered_error }
      : {}),
    log_source: 'error log',
    messages,
  };
}

/** Zones differ by quarters of an hour (https://www.iana.org/time-zones). */
const ZONE_STEP_S = 900;

/**
 * The error log is in the container's own zone (`TZ`, /etc/localtime), and does not say which; the engine took the line at once.
 * @param {number} told   by the line, read as UTC
 * @param {number} taken  by the engine
 */
const inUtc = (told, taken) => told + Math.round((taken - told) / ZONE_STEP_S) * ZONE_STEP_S;

/** @param {string} text @returns {AccessLine[]} */
function readOwn(text) {
  if (!text.startsWith(PREFIX)) return [];
  try {
    const line = JSON.parse(text.slice(PREFIX.length));
    return NUMBERS.every((name) => typeof line[name] === 'number') ? [line] : [];
  } catch {
    return [];
  }
}

/**
 * @param {Recorded} recorded
 * @param {Pick<About, 'service' | 'tier' | 'names' | 'window'>} about
 * @returns {HopRecord}
 */
function recordOf({ lines, errors, totals, conf }, { service, tier, names, window }) {
  const everything = errors.flatMap(readMessage);
  // The error log has whole seconds.
  const messages = everything.filter(({ t }) => t >= Math.floor(window.from));
  const ofLoad = lines.filter(({ t }) => t > window.from);
  const byConnection = groupByConnection(messages);
  const sightings = ofLoad.map((line) => sightingOf(line, { service, names, byConnection }));
  const requests = requestsOf(totals, window);
  const slots = slotsIn(conf);
  const benchedS = Number(/fail_timeout=(\d+)/.exec(conf)?.[1] ?? BENCHED_S);
  return {
    service,
    tier,
    product: 'nginx',
    coverage: { requests: 'full', reasons: 'full', limits: slots === null ? 'none' : 'full' },
    uncovered: [],
    source: requests === null ? 'access log' : 'stub_status, access log',
    received_source: requests === null ? 'access log' : 'stub_status',
    log_source: 'error log',
    received: requests ?? ofLoad.length,
    answered_ok: sightings.filter(({ status, outcome }) => Number(status) < FIRST_BAD_STATUS && outcome === 'answered').length,
    answered_error: ofLoad.filter(({ status }) => status >= FIRST_BAD_STATUS && status !== CLIENT_CLOSED).length,
    aborted: ofLoad.filter(({ status }) => status === CLIENT_CLOSED).length,
    sightings,
    messages,
    counters_source: 'stub_status',
    counters: { 'table-full-new': totals.map(({ t, accepted, handled }) => ({ t, value: accepted - handled })) },
    limits: slots === null ? [] : [{ resource: 'connection slots', size: slots, used: [], full: slots * TABLE_SHARE }],
    benches: benchesOf(everything, lines, { names, benchedS }),
    benched_s: benchedS,
  };
}

/** By its own count in the load. @param {Totals[]} totals @param {{ from: number }} window @returns {number | null} null without totals from before and after */
function requestsOf(totals, { from }) {
  const [before, after] = [totals.filter(({ t }) => t <= from).at(-1), totals.at(-1)];
  if (!before || !after || after.t <= before.t) return null;
  // Asking for the totals is a request of its own.
  return after.requests - before.requests - totals.filter(({ t }) => t > before.t).length;
}
