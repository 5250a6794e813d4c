/**
 * The record of the wire without the requests that are left out: whole trees of calls go, and connections on which nothing is left.
 */

import { GENERATOR_NAME } from '../../base/paths.js';
import { some } from '../../diagnose/joins/grouped.js';
import { joinedOf } from '../../diagnose/joins/joined.js';
import { wireTreesOf } from '../../diagnose/wire-requests/requests.js';
import { WIRE } from './files.js';

/** A request that could not connect carries no id, and is found by its time: of those that may be it, so many before it and after it. */
const NEAREST = 2;

/**
 * @param {import('./thin.js').Whole} whole
 * @param {{ kept: Set<string>, isDropped: (id: string) => boolean, share: number }} of  share: of the requests that are kept
 * @returns {string} the lines of the record that are left
 */
export function thinWire({ files, raw, window }, { kept, isDropped, share }) {
  const wire = /** @type {import('../../wire/record.js').WireRecord} */ (raw.wire);
  const joined = joinedOf(wire);
  const trees = wireTreesOf(raw, window, joined);
  const named = new Set(wire.calls.flatMap(({ id }) => id ?? []));
  const moments = raw.failures.filter(({ id }) => kept.has(id) && !named.has(id)).flatMap(({ t, waited_s: waited }) => [t - waited, t]);
  const ofGenerator = [...trees.calls.keys()].filter((call) => joined.lineOf(call)?.from === GENERATOR_NAME);
  const nameless = ofGenerator.filter((call) => trees.calls[call].id === undefined);
  const near = nearest(nameless, (call) => [trees.calls[call].began_at, joined.over[call] ?? Number.NaN], moments);
  const own = new Set(nameless);
  const isGone = (/** @type {number} */ call) => {
    const { id } = trees.calls[call];
    return id === undefined ? own.has(call) && !near.has(call) : isDropped(id);
  };
  /** @type {Set<number>} */
  const gone = new Set();
  // Those of the warm-up too, which are no requests of the load, and what services sent on with an id.
  for (const call of trees.calls.keys()) if (!gone.has(call) && isGone(call)) trees.eachBelow(call, (below) => gone.add(below));
  for (const call of unrequested(trees, joined, share)) gone.add(call);
  /** Calls of each connection that are left; none of one that carried some. @type {Map<number, number>} */
  const left = new Map();
  for (const [call, { connection }] of trees.calls.entries()) left.set(connection, (left.get(connection) ?? 0) + (gone.has(call) ? 0 : 1));
  const told = wire.calls.reduce(
    (less, { connection }, call) => (gone.has(call) ? less.set(connection, (less.get(connection) ?? 0) + 1) : less),
    new Map(),
  );
  const empty = new Set(unusedGone(joined, { isUsed: (id) => left.has(id), moments, share }));
  return linesLeft(files[WIRE], {
    isCall: (number) => !gone.has(number),
    isConnection: (id) => left.get(id) !== 0 && !empty.has(id),
    less: (id) => told.get(id) ?? 0,
  });
}

/**
 * Of calls that no request of the load asked for, such as those of another client, as small a share goes on: of each edge and question some.
 * @param {import('../../diagnose/wire-requests/trees.js').Trees} trees
 * @param {import('../../diagnose/joins/joined.js').Joined} joined
 * @param {number} share
 * @returns {number[]} those that go
 */
function unrequested(trees, { order, lineOf, question, joins: { parent } }, share) {
  /** @type {Set<number>} */
  const below = new Set();
  /** @type {Map<string, number[]>} */
  const roots = new Map();
  for (const request of trees.requests) trees.eachBelow(request, (call) => below.add(call));
  for (const call of order) {
    const line = lineOf(call);
    if (below.has(call) || parent[call] >= 0 || !line || line.from === GENERATOR_NAME) continue;
    const kind = `${line.from} ${line.to} ${question[call]}`;
    const calls = roots.get(kind) ?? [];
    roots.set(kind, calls);
    calls.push(call);
  }
  /** @type {number[]} */
  const gone = [];
  for (const calls of roots.values()) {
    const left = new Set(some(calls, fewOf(calls.length, share)));
    for (const root of calls) if (!left.has(root)) trees.eachBelow(root, (call) => gone.push(call));
  }
  return gone;
}
/**
 * @template T
 * @param {T[]} all
 * @param {(one: T) => number[]} timesOf  seconds since 1970
 * @param {number[]} moments
 * @returns {Set<T>} those that are next to any of the moments
 */
function nearest(all, timesOf, moments) {
  /** @type {Set<T>} */
  const found = new Set();
  const timed = all.flatMap((one) => timesOf(one).flatMap((t) => (Number.isFinite(t) ? [{ one, t }] : []))).sort((a, b) => a.t - b.t);
  for (const moment of moments) {
    const after = timed.findIndex(({ t }) => t >= moment);
    const at = after < 0 ? timed.length : after;
    for (const { one } of timed.slice(Math.max(0, at - NEAREST), at + NEAREST)) found.add(one);
  }
  return found;
}

/**
 * Connections on which nothing was ever asked: those that began or ended next to a failure that is kept stay, and of each edge some.
 * @param {import('../../diagnose/joins/joined.js').Joined} joined
 * @param {{ isUsed: (id: number) => boolean, moments: number[], share: number }} of
 * @returns {number[]} ids of those that go
 */
function unusedGone({ lines }, { isUsed, moments, share }) {
  /** @type {Map<string, number[]>} */
  const edges = new Map();
  const unused = lines.filter(({ connection }) => !isUsed(connection.id));
  const near = nearest(unused, ({ connection }) => [connection.opened_at, connection.ended_at ?? Number.NaN], moments);
  for (const line of unused) {
    if (near.has(line)) continue;
    const { connection, from, to } = line;
    const { id, outcome } = connection;
    const edge = `${from} ${to} ${outcome}`;
    const ids = edges.get(edge) ?? [];
    edges.set(edge, ids);
    ids.push(id);
  }
  return [...edges.values()].flatMap((ids) => {
    const left = new Set(some(ids, fewOf(ids.length, share)));
    return ids.filter((id) => !left.has(id));
  });
}
/** Of each kind. */
const [FEW_LEAST, FEW_MOST] = [40, 200];

/** @param {number} all @param {number} share */
const fewOf = (all, share) => Math.min(FEW_MOST, Math.max(FEW_LEAST, Math.ceil(all * share)));

/** Of a connection's row (lab/wire/rows.js): its id, and how many calls it carried. */
const [ID_AT, CALLS_AT] = [1, 21];

/**
 * @param {string} text
 * @param {{ isCall: (number: number) => boolean, isConnection: (id: number) => boolean, less: (id: number) => number }} is  less: calls that
 *   went, of a connection
 * @returns {string}
 */
function linesLeft(text, { isCall, isConnection, less }) {
  let calls = 0;
  return text
    .split('\n')
    .flatMap((line) => {
      if (line.startsWith('["call",')) return isCall(calls++) ? [line] : [];
      if (!line.startsWith('["connection",')) return [line];
      const row = JSON.parse(line);
      if (!isConnection(row[ID_AT])) return [];
      row[CALLS_AT] = Math.max(0, row[CALLS_AT] - less(row[ID_AT]));
      return [JSON.stringify(row)];
    })
    .join('\n');
}
