/**
 * Reads MongoDB's log, a JSON object a line (4.4 and newer).
 */
import { bareAddress } from '../hop-counts.js';
import { isDuring, wholeLines } from '../whole-lines.js';
import { LOG_IDS, STOPS } from './log-ids.js';

/** MongoDB's own default of `slowms`: below it nothing is logged for taking long. */
export const SLOW_MS = 100;
/** Of the lab's own connections. */
export const OWN_NAME = 'doubletake';
/** Of databases that only the server and its replicas write to. */
const INTERNAL = /^(local|admin|config)\./;

/**
 * @typedef {object} Entry    a line of the log, of what the record keeps of it (redact.js)
 * @property {string} s       severity: F, E, W, I or D1 to D5
 * @property {number} id
 * @property {string} msg     fixed words: what varies stands in attr
 * @property {{ durationMillis?: number, planSummary?: string, ns?: string, appName?: string, signal?: number, remote?: string, connectionCount?: number }} [attr]
 */

/**
 * @param {string} line without the engine's time
 * @returns {Entry | null} null for what is no line of MongoDB's: an image's entrypoint and its scripts print others
 */
export function entryIn(line) {
  if (!line.startsWith('{')) return null;
  try {
    const entry = JSON.parse(line);
    return typeof entry?.id === 'number' && typeof entry.msg === 'string' && typeof entry.s === 'string' ? entry : null;
  } catch {
    return null;
  }
}

/**
 * @typedef {object} Said
 * @property {import('../contract.js').Message[]} messages
 * @property {boolean} heard        a line was MongoDB's own
 * @property {{ t: number, used: number }[]} full  how many connections it had when it refused one more
 */

/**
 * @param {string} log
 * @param {Pick<import('../contract.js').About, 'window' | 'names'>} about
 * @returns {Said}
 */
export function readLog(log, { window, names }) {
  /** @type {Said} */
  const said = { messages: [], heard: false, full: [] };
  for (const { t, text } of wholeLines(log)) {
    const entry = entryIn(text);
    if (entry === null) continue;
    said.heard = true;
    if (!isDuring(t, window)) continue;
    const { id, attr: { remote, connectionCount } = {} } = entry;
    // It counts the one that it refuses.
    if (id === LOG_IDS.refused && connectionCount) said.full.push({ t, used: connectionCount - 1 });
    // The lab asks from outside the system, a health check from inside the container.
    if (id === LOG_IDS.refused && remote !== undefined && !names.has(bareAddress(remote))) continue;
    const meaning = meaningOf(entry);
    if (meaning) said.messages.push({ ...meaning, t });
  }
  return said;
}

/** @param {Entry} entry @returns {Pick<import('../contract.js').Message, 'signal' | 'text'> | null} */
function meaningOf({ s: severity, id, msg, attr = {} }) {
  if (id === LOG_IDS.refused) return { signal: 'connections-exhausted', text: msg };
  if (id === LOG_IDS.slow) return isOfUsers(attr) ? { signal: 'slow', text: slowText(attr) } : null;
  if (id === LOG_IDS.signal) return STOPS.includes(attr.signal ?? 0) ? { signal: 'shut-down', text: `${msg} ${attr.signal}` } : null;
  // It says so at its start alone: within the load it was gone before.
  if (id === LOG_IDS.starting) return { signal: 'shut-down', text: msg };
  // After a fatal error it ends itself.
  if (severity === 'F') return { signal: 'shut-down', text: msg };
  return severity === 'E' ? { signal: 'server-error', text: msg } : null;
}

/** @param {NonNullable<Entry['attr']>} attr */
const isOfUsers = ({ durationMillis = 0, ns = '', appName }) => durationMillis >= SLOW_MS && !INTERNAL.test(ns) && appName !== OWN_NAME;

/** @param {NonNullable<Entry['attr']>} attr */
const slowText = ({ durationMillis, planSummary }) => `Slow query: ${durationMillis} ms${planSummary ? `, ${planSummary}` : ''}`;
