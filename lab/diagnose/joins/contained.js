/**
 * Calls that lie in one request of their service and in no other: that one made them, whatever is usual. What is left of a kind that requests
 * ask for is joined so, and what is joined already is not ambiguous.
 */
import { BY_ORDER, TOLERANCE_S } from './rules.js';

/** Of the calls of a kind, that have to lie in requests, where none was joined: what goes on by itself begins between them too. */
const WITHIN_SHARE = 0.9;
/** In no request, and in several. */
const [NONE, SEVERAL] = [-1, -2];

/**
 * @param {import('./spans.js').Spans} spans
 * @param {number[]} served  in the order of their beginnings
 * @param {number[]} made    in the order of their beginnings
 * @param {import('./by-order.js').Joins} joins  is changed
 */
export function joinContained(spans, served, made, joins) {
  const { parent, basis, ambiguous } = joins;
  const { kind } = spans;
  const within = requestsAround(spans, served, made);
  /** By their numbers. @type {{ calls: number, within: number, joined: number }[]} */
  const kinds = [];
  for (let index = 0; index < made.length; index += 1) {
    const call = made[index];
    kinds[kind[call]] ??= { calls: 0, within: 0, joined: 0 };
    const own = kinds[kind[call]];
    own.calls += 1;
    own.within += within[index] === NONE ? 0 : 1;
    own.joined += parent[call] >= 0 ? 1 : 0;
  }
  const isAsked = (/** @type {number} */ call) => {
    const own = kinds[kind[call]];
    return own.joined > 0 || own.within >= own.calls * WITHIN_SHARE;
  };
  for (let index = 0; index < made.length; index += 1) {
    const call = made[index];
    const request = within[index];
    if (request < 0) continue;
    if (parent[call] < 0 && isAsked(call)) [parent[call], basis[call]] = [request, BY_ORDER];
    if (parent[call] === request) ambiguous[call] = 0;
  }
}

/** @param {import('./spans.js').Spans} spans @param {number[]} served @param {number[]} made @returns {Int32Array} of each call the request that it lies in, NONE or SEVERAL */
function requestsAround({ began, over, worked, length_s: length }, served, made) {
  const found = new Int32Array(made.length).fill(NONE);
  /** Requests that had begun, without those that were over. @type {number[]} */
  const open = [];
  let next = 0;
  for (let place = 0; place < made.length; place += 1) {
    const call = made[place];
    for (; next < served.length && began[served[next]] <= began[call] + TOLERANCE_S; next += 1) open.push(served[next]);
    for (let index = open.length - 1; index >= 0 && found[place] !== SEVERAL; index -= 1) {
      const limit = Math.min(worked[open[index]], length) + TOLERANCE_S;
      if (limit < began[call]) {
        open[index] = open[open.length - 1];
        open.pop();
      } else if (limit >= over[call] && open[index] !== call) found[place] = found[place] === NONE ? open[index] : SEVERAL;
    }
  }
  return found;
}
