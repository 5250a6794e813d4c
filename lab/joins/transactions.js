/**
 * What lies in one transaction of a connection belongs to one request, where it lies within it: a pooler serves each statement by itself.
 *
 * @typedef {import('./spans.js').Spans} Spans
 * @typedef {{ before: Map<number, number>, after: Map<number, number>, first: Map<number, number> }} Neighbours  of a call on its connection;
 *   first: of its transaction
 */
import { BY_ORDER, TOLERANCE_S } from './rules.js';

/** @param {Spans} spans @param {number[]} made  in the order of their beginnings @returns {Neighbours} of calls that a transaction connects */
export function neighboursOf({ calls }, made) {
  /** @type {Neighbours} */
  const neighbours = { before: new Map(), after: new Map(), first: new Map() };
  /** @type {Map<number, number>} */
  const last = new Map();
  for (const call of made) {
    const { connection } = calls[call];
    const before = last.get(connection);
    last.set(connection, call);
    if (before === undefined || !isInTransaction(calls[before])) continue;
    neighbours.before.set(call, before);
    neighbours.after.set(before, call);
    neighbours.first.set(call, neighbours.first.get(before) ?? before);
  }
  return neighbours;
}

/** @param {import('../wire/record.js').WireCall} call */
const isInTransaction = ({ state }) => state === 'transaction' || state === 'failed-transaction';

/**
 * @param {Spans} spans @param {Neighbours} neighbours @param {import('./by-order.js').Joins} joins  is changed
 * @param {number} call @param {number} request  that it was joined to
 * @returns {number} the first call of the transaction
 */
export function joinTransaction(spans, neighbours, joins, call, request) {
  const { parent, basis, ambiguous } = joins;
  const isIts = (/** @type {number | undefined} */ other) =>
    other !== undefined &&
    parent[other] < 0 &&
    spans.began[other] >= spans.began[request] - TOLERANCE_S &&
    spans.ended[other] <= spans.worked[request] + TOLERANCE_S;
  let first = call;
  for (const side of [neighbours.after, neighbours.before]) {
    for (let other = side.get(call); isIts(other); other = side.get(/** @type {number} */ (other))) {
      const own = /** @type {number} */ (other);
      [parent[own], basis[own], ambiguous[own]] = [request, BY_ORDER, ambiguous[call]];
      if (spans.began[own] < spans.began[first]) first = own;
    }
  }
  return first;
}
