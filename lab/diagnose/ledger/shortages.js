/**
 * Times in which a service had nothing left of something, by readings taken once a second: of files that it may open, of CPU, of the
 * connections of its pool.
 *
 * @typedef {{ name: string, from: number, to: number }} Shortage  seconds since 1970
 *
 * @typedef {object} Shortages
 * @property {Shortage[]} files  its process had as many open as it may
 * @property {Shortage[]} cpu    it used up its quota of the time
 * @property {Shortage[]} queue  requests stood before a node's pool at each reading
 * @property {Shortage[]} pool   a node's pool gave out no connection, though requests waited: none that was out came back
 */
import { isHeldBack, limitBetween } from '../limits/cpu-limit.js';
import { SATURATED_SHARE } from '../limits/saturation.js';

/** Readings are taken once a second; of a node that was late to take its own, nobody can say what its pool did. */
const READING_S = 1;
const LATE_S = 2;
/** For which no connection of a pool came back: the same as for a standstill (lives.js), which this is of what is behind the pool. */
const HELD_S = 3;

/** @param {Pick<import('../read-raw.js').Raw, 'manifest' | 'containers' | 'nodes'>} raw @returns {Shortages} */
export function shortagesOf({ manifest, containers, nodes }) {
  const services = /** @type {{ name: string, cpu_quota_cores: number | null }[]} */ (manifest.services ?? []);
  const rowsOf = (/** @type {string} */ name) => containers.filter((row) => row.name === name);
  return {
    files: services.flatMap(({ name }) => fullFiles(name, rowsOf(name))),
    cpu: services.flatMap(({ name, cpu_quota_cores: quota }) => usedUp(name, quota, rowsOf(name))),
    queue: Object.entries(nodes).flatMap(([name, rows]) => spansOf(name, rows, hasQueue)),
    pool: Object.entries(nodes).flatMap(([name, rows]) => heldPools(name, rows)),
  };
}

/** @param {string} name @param {any[]} rows @returns {Shortage[]} */
const fullFiles = (name, rows) =>
  rows.flatMap(({ t, fds }) =>
    fds && fds.limit !== null && fds.open_files >= fds.limit * SATURATED_SHARE ? [{ name, from: t - READING_S, to: t }] : [],
  );

/** @param {string} name @param {number | null} quota @param {any[]} rows @returns {Shortage[]} */
const usedUp = (name, quota, rows) =>
  rows.slice(1).flatMap((row, index) => {
    const before = rows[index];
    return row.t > before.t && (isLimitUsed(quota, before, row) || isHeldBack(before, row)) ? [{ name, from: before.t, to: row.t }] : [];
  });

/** @param {number | null} planned @param {any} before @param {any} after */
function isLimitUsed(planned, before, after) {
  const limit = limitBetween(planned, before, after);
  return limit !== null && (after.cpu_s - before.cpu_s) / (after.t - before.t) >= limit * SATURATED_SHARE;
}

/** @param {string} name @param {any[]} rows of a node @returns {Shortage[]} */
const heldPools = (name, rows) => spansOf(name, rows, isHeld).filter(({ from, to }) => to - from >= HELD_S);

/**
 * @param {string} name @param {any[]} rows of a node
 * @param {(before: any, after: any) => boolean} is  so between two readings
 * @returns {Shortage[]} each without a break
 */
function spansOf(name, rows, is) {
  /** @type {Shortage[]} */
  const spans = [];
  for (const [index, row] of rows.slice(1).entries()) {
    if (!is(rows[index], row)) continue;
    const from = /** @type {number} */ (rows[index].t);
    const last = spans.at(-1);
    if (last?.to === from) last.to = row.t;
    else spans.push({ name, from, to: row.t });
  }
  return spans;
}

/** @param {any} _before @param {any} after */
const hasQueue = (_before, { pool }) => (pool?.waiting ?? 0) > 0;

/** Between two readings of a node that had time to take what came back. @param {any} before @param {any} after */
function isHeld(before, after) {
  if (!before.pool || !after.pool || after.event === 'start' || after.t - before.t > LATE_S) return false;
  if (after.busy_share >= SATURATED_SHARE) return false;
  return after.pool.checkouts === before.pool.checkouts && after.pool.in_use > 0 && after.pool.waiting > 0;
}
