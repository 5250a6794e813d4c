/**
 * What Nginx recorded, in neutral words: its access log in the lab's format, its error log, its totals (stub_status) and the
 * configuration that it ran.
 *
 * @typedef {import('../contract.js').HopRecord} HopRecord
 * @typedef {import('./access-line.js').AccessLine} AccessLine
 * @typedef {{ t: number, accepted: number, handled: number, requests: number }} Totals
 *
 * @typedef {object} Recorded
 * @property {AccessLine[]} lines
 * @property {import('./messages.js').ErrorLine[]} errors
 * @property {Totals[]} totals   asked one after the other
 * @property {string} conf       as `nginx -T` prints it
 */
import { groupByConnection, sightingOf } from './access-line.js';
import { benchesOf } from './benches.js';
import { readMessage } from './messages.js';

const FIRST_BAD_STATUS = 400;
const CLIENT_CLOSED = 499;
/** Nginx's own. https://nginx.org/en/docs/http/ngx_http_upstream_module.html#fail_timeout */
const BENCHED_S = 10;

/**
 * @param {Recorded} recorded
 * @param {Pick<import('../contract.js').About, 'service' | 'tier' | 'names' | 'window'>} about
 * @returns {HopRecord}
 */
export function recordOf({ lines, errors, totals, conf }, { service, tier, names, window }) {
  const everything = errors.flatMap(readMessage);
  // The error log has whole seconds.
  const messages = everything.filter(({ t }) => t >= Math.floor(window.from));
  const ofLoad = lines.filter(({ t }) => t > window.from);
  const byConnection = groupByConnection(messages);
  const sightings = ofLoad.map((line) => sightingOf(line, { service, names, byConnection }));
  const requests = requestsOf(totals, window);
  const slots = slotsOf(conf);
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
    counters: { 'table-full-new': totals.map(({ t, accepted, handled }) => ({ t, value: accepted - handled })) },
    limits: slots === null ? [] : [{ resource: 'connection slots', size: slots, used: [] }],
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

/** Of its connection table, all workers together. @param {string} conf @returns {number | null} */
export function slotsOf(conf) {
  const connections = /^\s*worker_connections\s+(\d+);/m.exec(conf)?.[1];
  const workers = /^\s*worker_processes\s+(\d+);/m.exec(conf)?.[1] ?? '1';
  return connections === undefined ? null : Number(connections) * Number(workers);
}
