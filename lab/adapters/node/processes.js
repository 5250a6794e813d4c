/**
 * The records of a service's processes, as the preload wrote them: each process, thread or container has its own.
 *
 * @typedef {object} Process
 * @property {any[]} rows      what it said of itself, once a second
 * @property {import('../contract.js').Sighting[]} sightings
 * @property {number} lost     requests of which it says that it made a line, and the line is not there
 * @property {number} ofLoad   requests with an id of the generator's
 */
import { pulseOf } from '../pulse.js';
import { parseRequestLog } from '../request-log.js';

const EVERY_ID = { has: () => true };

/**
 * @param {(name: string) => string} file
 * @param {{ service: string, names: Map<string, string> }} about  names: address to service
 * @returns {Process[]} of this container, in the order in which they began
 */
export function processesIn(file, { service, names }) {
  const found = [];
  for (let number = 1; ; number += 1) {
    const rows = rowsIn(file(`process-${number}.ndjson`));
    if (rows.length === 0) return found;
    const owners = (rows[0].addresses ?? []).flatMap((/** @type {string} */ address) => names.get(address) ?? []);
    // An address that nobody has is of a container that was started again.
    if (owners.length > 0 && !owners.includes(service)) continue;
    found.push(processOf(rows, file(`process-${number}-requests.log`), service));
  }
}

/** @type {(rows: any[], log: string, service: string) => Process} */
function processOf(rows, log, service) {
  const { attempts: byId, received: ofLoad } = parseRequestLog(log, service, EVERY_ID);
  const sightings = [...byId].flatMap(([id, attempts]) =>
    attempts.map(({ node, ...attempt }) => ({ service: node, id, ...attempt, asked: [], own: [] })),
  );
  return { rows, sightings, ofLoad, lost: Math.max(0, (rows.at(-1)?.logged ?? 0) - sightings.length) };
}

/** A process that was killed may have left half a line. @param {string} text @returns {any[]} */
const rowsIn = (text) =>
  text
    .slice(0, text.lastIndexOf('\n') + 1)
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => pulseOf(JSON.parse(line)));

/**
 * All processes as one: a row for each second in which one of them wrote, with the counters of all, and the loop of the busiest.
 * @param {Process[]} processes
 * @returns {any[]} in the form of a single one
 */
export function joinedRows(processes) {
  const written = processes
    .flatMap(({ rows }, index) => rows.map((row, at) => ({ row, index, isLast: at === rows.length - 1 })))
    .toSorted((one, other) => one.row.t - other.row.t);
  /** What each process told last. @type {Map<number, { row: any, isLast: boolean }>} */
  const latest = new Map();
  /** @type {any[]} */
  const joined = [];
  for (const [at, { row, index, isLast }] of written.entries()) {
    latest.set(index, { row, isLast });
    const next = written[at + 1]?.row;
    if (next && Math.floor(next.t) === Math.floor(row.t)) continue;
    const fresh = [...latest.values()].filter((told) => Math.floor(told.row.t) === Math.floor(row.t)).map((told) => told.row);
    joined.push(sumOf([...latest.values()], fresh, row.t, joined.length === 0));
  }
  return joined;
}

/** @type {(all: { row: any, isLast: boolean }[], fresh: any[], t: number, isFirst: boolean) => any} */
function sumOf(all, fresh, t, isFirst) {
  const rows = all.map(({ row }) => row);
  const added = (/** @type {any[]} */ of, /** @type {(row: any) => number | undefined} */ read) =>
    of.reduce((sum, row) => sum + (read(row) ?? 0), 0);
  const most = (/** @type {(row: any) => number | undefined} */ read) => Math.max(...fresh.map((row) => read(row) ?? 0));
  // What an ended process has counted stays counted; what it had open it has no more.
  const alive = all.filter(({ row, isLast }) => !isLast || fresh.includes(row)).map(({ row }) => row);
  return {
    t,
    event: isFirst ? 'start' : 'tick',
    ...(isFirst ? { versions: rows[0].versions } : {}),
    received: added(rows, (row) => row.received),
    answered: addedKeys(rows.map((row) => row.answered)),
    aborted: added(rows, (row) => row.aborted),
    in_flight: added(alive, (row) => row.in_flight),
    errors: {},
    ok_ms: addedKeys(rows.map((row) => row.ok_ms)),
    connections: added(alive, (row) => row.connections),
    late_ms: {
      mean: most((row) => row.late_ms?.mean),
      p99: most((row) => row.late_ms?.p99),
      max: most((row) => row.late_ms?.max),
    },
    busy_share: most((row) => row.busy_share),
    pool: null,
    rss_bytes: added(alive, (row) => row.rss_bytes),
  };
}

/** @param {Record<string, number>[]} parts */
function addedKeys(parts) {
  /** @type {Record<string, number>} */
  const total = {};
  for (const part of parts) for (const [key, value] of Object.entries(part)) total[key] = (total[key] ?? 0) + value;
  return total;
}
