/**
 * Calls that lie in one request of their service and in no other: that one made them, whatever is usual. What is left of a kind that requests
 * ask for is joined so, and what is joined already is not ambiguous.
 */
import { BY_ORDER, TOLERANCE_S } from './rules.js';

/**
 * @param {import('./spans.js').Spans} spans
 * @param {number[]} served  in the order of their beginnings
 * @param {number[]} made    in the order of their beginnings
 * @param {import('./by-order.js').Joins} joins  is changed
 */
export function joinContained(spans, served, made, joins) {
  const { parent, basis, ambiguous } = joins;
  const { began, kind, over, worked, length_s: length } = spans;
  const asked = new Set(made.filter((call) => parent[call] >= 0).map((call) => kind[call]));
  const limitOf = (/** @type {number} */ request) => Math.min(worked[request], length) + TOLERANCE_S;
  /** Requests that had begun, without those that were over. @type {number[]} */
  const open = [];
  let next = 0;
  for (const call of made) {
    for (; next < served.length && began[served[next]] <= began[call] + TOLERANCE_S; next += 1) open.push(served[next]);
    let [found, others] = [-1, 0];
    for (let index = open.length - 1; index >= 0 && others === 0; index -= 1) {
      const limit = limitOf(open[index]);
      if (limit < began[call]) {
        open[index] = open[open.length - 1];
        open.pop();
      } else if (limit >= over[call] && open[index] !== call) {
        if (found >= 0) others += 1;
        else found = open[index];
      }
    }
    if (found < 0 || others > 0) continue;
    if (parent[call] < 0 && asked.has(kind[call])) [parent[call], basis[call]] = [found, BY_ORDER];
    if (parent[call] === found) ambiguous[call] = 0;
  }
}
