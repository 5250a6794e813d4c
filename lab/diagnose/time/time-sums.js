/**
 * What nodes and balancer say of their time, summed over the good answers of each second.
 */
import { sum } from '../../stats/numbers.js';
import { nodesThatUsersReach } from '../queue.js';
import { secondOf } from './seconds.js';

const FIRST_BAD_STATUS = 400;

/** Sums over good answers, in milliseconds. @typedef {{ n: number, request: number, upstream: number, connect: number }} BalancerSums */
/** @typedef {{ n: number, handler: number, pool: number, roundTrips: number, database: number }} NodeSums */

/**
 * @param {import('../read-raw.js').Raw} raw
 * @param {import('./window.js').Window} window
 * @param {boolean} [isTimed]  a request is one write and one read, so that the database's own time for it is known; else its round trips stand for it
 * @returns {Map<number, NodeSums>}
 */
export function nodeSums(raw, window, isTimed = true) {
  const databaseMs = databaseTimes(raw.database, window);
  /** @type {Map<number, NodeSums>} */
  const bySecond = new Map();
  for (const rows of Object.values(nodesThatUsersReach(raw))) {
    for (const [index, row] of rows.slice(1).entries()) {
      const before = rows[index];
      if (row.event === 'start' || row.ok_ms.count <= before.ok_ms.count) continue;
      const t_s = secondOf(row.t, window);
      const n = row.ok_ms.count - before.ok_ms.count;
      const sums = bySecond.get(t_s) ?? { n: 0, handler: 0, pool: 0, roundTrips: 0, database: 0 };
      sums.n += n;
      sums.handler += row.ok_ms.handler - before.ok_ms.handler;
      sums.pool += row.ok_ms.pool - before.ok_ms.pool;
      sums.roundTrips += row.ok_ms.database - before.ok_ms.database;
      // Where a queue takes the writes, nobody waits for the database.
      const worked = isTimed ? n * (databaseMs.get(t_s) ?? databaseMs.get(t_s - 1) ?? 0) : row.ok_ms.database - before.ok_ms.database;
      sums.database += raw.queued ? 0 : worked;
      bySecond.set(t_s, sums);
    }
  }
  return bySecond;
}

/**
 * Milliseconds that the database itself worked for one request: one write and one read. Of several, by the operations that each did.
 * @param {any[]} rows @param {import('./window.js').Window} window @returns {Map<number, number>}
 */
function databaseTimes(rows, window) {
  const names = [...new Set(rows.map(({ name }) => name))];
  if (names.length > 1) return databaseTimes(summedBySecond(names.map((name) => rows.filter((row) => row.name === name))), window);
  const answered = rows.filter((row) => row.worked);
  const meanOf = (/** @type {any} */ now, /** @type {any} */ before) =>
    now.count > before.count ? (now.us - before.us) / (now.count - before.count) / 1000 : null;
  return new Map(
    answered.slice(1).flatMap((row, index) => {
      const before = answered[index].worked;
      const [write, read] = [meanOf(row.worked.writes, before.writes), meanOf(row.worked.reads, before.reads)];
      return write === null && read === null
        ? []
        : [/** @type {[number, number]} */ ([secondOf(row.t, window), (write ?? 0) + (read ?? 0)])];
    }),
  );
}

/**
 * Several databases as one: their work and operations, of the seconds in which all of them answered.
 * @param {any[][]} each  rows, of each database
 */
function summedBySecond(each) {
  const [first, ...others] = each.map((rows) => new Map(rows.filter((row) => row.worked).map((row) => [Math.round(row.t), row])));
  return [...(first ?? [])].flatMap(([second, row]) => {
    const rows = [row, ...others.map((other) => other.get(second))];
    if (rows.includes(undefined)) return [];
    const total = (/** @type {'writes' | 'reads'} */ kind) => ({
      us: sum(rows.map(({ worked }) => worked[kind].us)),
      count: sum(rows.map(({ worked }) => worked[kind].count)),
    });
    return [{ t: row.t, worked: { writes: total('writes'), reads: total('reads') } }];
  });
}

/** @param {import('../../adapters/contract.js').Sighting[]} sightings @param {import('./window.js').Window} window @returns {Map<number, BalancerSums>} */
export function balancerSums(sightings, window) {
  /** @type {Map<number, BalancerSums>} */
  const bySecond = new Map();
  for (const { status, ended, took_ms: took } of sightings) {
    if (took === undefined || ended === null || status === null || status >= FIRST_BAD_STATUS) continue;
    const t_s = Math.ceil(ended - window.from);
    const sums = bySecond.get(t_s) ?? { n: 0, request: 0, upstream: 0, connect: 0 };
    sums.n += 1;
    sums.request += took.whole;
    sums.upstream += took.behind;
    sums.connect += took.connect;
    bySecond.set(t_s, sums);
  }
  return bySecond;
}

/**
 * @template {Record<string, number>} Sums
 * @param {(Sums | undefined)[]} rows
 * @returns {Sums | null}
 */
export function addUp(rows) {
  const found = /** @type {Sums[]} */ (rows.filter(Boolean));
  if (found.length === 0) return null;
  return /** @type {Sums} */ (Object.fromEntries(Object.keys(found[0]).map((key) => [key, sum(found.map((row) => row[key]))])));
}
