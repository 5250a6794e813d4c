/**
 * Which calls of a service belong to which call that it served: by an id where both carry it, else one to one by order (by-order.js).
 * Only what a request waits for is joined: heartbeats, set-ups of connections that went well, blocking reads and what goes on without requests
 * never are.
 *
 * @typedef {import('./spans.js').Spans} Spans
 *
 * @typedef {object} Joins       indices are those of the calls (joined.js)
 * @property {Int32Array} parent    the call that it was made for; -1: none is known
 * @property {Uint8Array} basis     BY_ID or BY_ORDER where it has a parent
 * @property {Uint8Array} ambiguous 1: another assignment would fit as well
 * @property {JoinedEdge[]} edges   of services that serve calls themselves, the busiest first
 *
 * @typedef {object} JoinedEdge
 * @property {string} from
 * @property {string} to
 * @property {number} calls
 * @property {number} by_id
 * @property {number} by_order
 * @property {number} ambiguous  of those that were joined
 */

import { besideOf } from './beside.js';
import { joinById } from './by-id.js';
import { joinByOrder } from './by-order.js';
import { BY_ID, BY_ORDER } from './rules.js';

/**
 * @param {Spans} spans
 * @param {{ steps: number }} [work]  counts what was looked at, for tests
 * @returns {Joins}
 */
export function joinCalls(spans, work = { steps: 0 }) {
  const size = spans.calls.length;
  const joins = { parent: new Int32Array(size).fill(-1), basis: new Uint8Array(size), ambiguous: new Uint8Array(size) };
  for (const { served, made } of spans.services()) {
    if (served.length === 0 || made.length === 0) continue;
    const { left, isPassedOn } = joinById(spans, served, made, joins);
    const beside = besideOf(spans, served, left);
    joinByOrder(
      spans,
      served,
      left.filter((call) => !beside.has(spans.kind[call])),
      joins,
      { work, isPassedOn },
    );
  }
  return { ...joins, edges: edgesOf(spans, joins) };
}

/** @param {Spans} spans @param {Omit<Joins, 'edges'>} joins @returns {JoinedEdge[]} */
function edgesOf(spans, { parent, basis, ambiguous }) {
  /** @type {Map<number, JoinedEdge>} */
  const edges = new Map();
  for (const { served, made } of spans.services()) {
    if (served.length === 0) continue;
    for (const call of made) {
      const number = spans.edge[call];
      const edge = edges.get(number) ?? { ...spans.edges[number], calls: 0, by_id: 0, by_order: 0, ambiguous: 0 };
      edges.set(number, edge);
      edge.calls += 1;
      if (parent[call] < 0) continue;
      edge.by_id += basis[call] === BY_ID ? 1 : 0;
      edge.by_order += basis[call] === BY_ORDER ? 1 : 0;
      edge.ambiguous += ambiguous[call];
    }
  }
  return [...edges.values()].toSorted((one, other) => other.calls - one.calls);
}
