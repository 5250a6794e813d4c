/**
 * What lies in one transaction of a connection belongs to one request, where it lies within it: a pooler serves each statement by itself.
 *
 * @typedef {import('./spans.js').Spans} Spans
 * @typedef {{ before: Int32Array, after: Int32Array, first: Int32Array }} Neighbours  of a call on its connection, -1 of none; first: of its
 *   transaction
 */
import { BY_ORDER, TOLERANCE_S } from './rules.js';

/**
 * @param {Spans} spans
 * @param {number[][]} made  by containers, each in the order of their beginnings
 * @returns {Neighbours} of calls that a transaction connects
 */
export function neighboursOf({ calls, connection: connectionOf }, made) {
  const row = () => new Int32Array(calls.length).fill(-1);
  const neighbours = { before: row(), after: row(), first: row() };
  /** Of each connection, by its id. @type {number[]} */
  const last = [];
  for (const own of made)
    for (let place = 0; place < own.length; place += 1) {
      const call = own[place];
      const connection = connectionOf[call];
      const before = last[connection];
      last[connection] = call;
      if (before === undefined || !isInTransaction(calls[before])) continue;
      neighbours.before[call] = before;
      neighbours.after[before] = call;
      neighbours.first[call] = neighbours.first[before] < 0 ? before : neighbours.first[before];
    }
  return neighbours;
}

/** @param {import('../../wire/record.js').WireCall} call */
const isInTransaction = ({ state }) => state === 'transaction' || state === 'failed-transaction';

/**
 * @param {Spans} spans @param {Neighbours} neighbours @param {import('./by-order.js').Joins} joins  is changed
 * @param {number} call @param {number} request  that it was joined to
 * @returns {number} the first call of the transaction
 */
export function joinTransaction(spans, neighbours, joins, call, request) {
  // As most calls are: by themselves.
  if (neighbours.after[call] < 0 && neighbours.before[call] < 0) return call;
  const { parent, basis, ambiguous } = joins;
  const isIts = (/** @type {number} */ other) =>
    other >= 0 &&
    parent[other] < 0 &&
    spans.began[other] >= spans.began[request] - TOLERANCE_S &&
    spans.ended[other] <= spans.worked[request] + TOLERANCE_S;
  let first = call;
  for (const side of [neighbours.after, neighbours.before]) {
    for (let own = side[call]; isIts(own); own = side[own]) {
      [parent[own], basis[own], ambiguous[own]] = [request, BY_ORDER, ambiguous[call]];
      if (spans.began[own] < spans.began[first]) first = own;
    }
  }
  return first;
}
