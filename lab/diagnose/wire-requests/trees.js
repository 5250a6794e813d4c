/**
 * What each request of the load asked for, from the generator down.
 *
 * @typedef {import('../../wire/record.js').WireCall} WireCall
 *
 * @typedef {object} Trees       indices are those of the calls that are joined, and beyond them
 * @property {WireCall[]} calls  those for which no connection began are beyond the joined
 * @property {number[]} requests   of the load, in the order of their beginnings
 * @property {(request: number) => boolean} isFailed
 * @property {(call: number, visit: (call: number, depth: number) => void) => void} eachBelow  the request itself and all that was asked for it, as
 *   it began, each under what asked for it
 * @property {(call: number) => Node[]} below  the same as a list
 * @property {Children} children  what was asked for each
 * @property {(call: number) => { from: string, to: string, protocol: string }} edgeOf  the same one of all calls of an edge
 * @property {(call: number) => import('../../record/result.js').WireHop['end']} endOf
 * @property {(call: number) => number | null} took_ms  null where its end was not seen
 * @property {import('../joins/join-calls.js').Joins} joins
 *
 * @typedef {{ call: number, depth: number }} Node
 */
import { GENERATOR_NAME } from '../../base/paths.js';
import { Children } from '../joins/children.js';
import { Flags } from '../joins/flags.js';
import { those } from '../joins/in-order.js';
import { Numbering } from '../joins/numbering.js';
import { BY_ORDER } from '../joins/rules.js';
import { isTurnedAway, turnedAwayBy } from '../joins/turned-away.js';
import { lookedForInVain } from './no-host.js';

const NOBODY = { from: '', to: '', protocol: '' };
/** Services one behind another. */
export const DEPTH_MOST = 32;
const MILLI = 1000;

/**
 * @param {import('../joins/joined.js').Joined} joined
 * @param {{ from: number, to: number }} window
 * @param {Set<string> | null} failedIds  of requests that failed by the generator's own record; null where it has none
 * @returns {Trees}
 */
export function treesOf(joined, window, failedIds) {
  const { lineOf, lineAt, began, order } = joined;
  const inVain = lookedForInVain(joined, () =>
    failedAlone(joined.calls, joined.joins.parent).map((index) => ({ index, at: lineOf(index)?.to ?? '' })),
  );
  const calls = inVain.length === 0 ? joined.calls : [...joined.calls, ...inVain.map(({ call }) => call)];
  const joins = withInVain(joined.joins, inVain);
  const edges = edgesOn(joined.lines);
  const edgeOf = (/** @type {number} */ call) => {
    if (call < joined.calls.length) return lineAt[call] < 0 ? NOBODY : edges[lineAt[call]];
    const { from, to } = inVain[call - joined.calls.length];
    return { from, to, protocol: '' };
  };
  const isRequest = (/** @type {number} */ call) => {
    if (began[call] < window.from || began[call] > window.to || lineOf(call)?.from !== GENERATOR_NAME) return false;
    const { role = 'call' } = calls[call];
    return role === 'call' || role === 'wait';
  };
  const byBeginning = (/** @type {number} */ one, /** @type {number} */ other) =>
    calls[one].began_at - calls[other].began_at || one - other;
  const children = inVain.length === 0 ? joined.children : new Children(joins.parent, Int32Array.from(calls.keys()).sort(byBeginning));
  const endOf = (/** @type {number} */ call) => {
    if (call >= joined.calls.length) return 'no-host';
    const line = lineOf(call);
    return (isTurnedAway(calls[call]) && line && turnedAwayBy(line.connection)) || calls[call].end;
  };
  const requests = Array.from(those(order, isRequest));
  const failed = new Flags(calls.length);
  for (const request of requests) if (isFailed(calls[request], failedIds)) failed.add(request);
  return {
    ...{ calls, edgeOf, endOf, joins, requests, children },
    isFailed: (request) => failed.has(request),
    eachBelow: (call, visit) => walk(call, children, visit),
    below(call) {
      /** @type {Node[]} */
      const nodes = [];
      walk(call, children, (one, depth) => nodes.push({ call: one, depth }));
      return nodes;
    },
    took_ms: (call) => {
      const { began_at: began, ended_at: ended } = calls[call];
      return ended === null ? null : Math.max(0, ended - began) * MILLI;
    },
  };
}

/** Of each line; those of one edge have the same. @param {import('../joins/joined.js').Line[]} lines @returns {ReturnType<Trees['edgeOf']>[]} */
function edgesOn(lines) {
  /** @type {ReturnType<Trees['edgeOf']>[]} */
  const edges = [];
  const [pairs, numbers] = [new Numbering(), new Numbering()];
  return lines.map(({ from, to, connection: { protocol } }) => {
    const number = numbers.of(pairs.of(from, to), protocol);
    edges[number] ??= { from, to, protocol };
    return edges[number];
  });
}

/** Calls that were not answered well by whom they asked, and none that was made for them was not. @param {WireCall[]} calls @param {Int32Array} parent */
function failedAlone(calls, parent) {
  const isBad = (/** @type {WireCall} */ { end, by, bad }) => (end === 'answered' ? bad : by === 'server');
  const told = new Set(parent.filter((_, index) => isBad(calls[index]) || calls[index].end === 'given-up'));
  return [...calls.keys()].filter((index) => !told.has(index) && (calls[index].role ?? 'call') === 'call' && isBad(calls[index]));
}

/** @param {import('../joins/join-calls.js').Joins} joins @param {import('./no-host.js').InVain[]} inVain @returns {import('../joins/join-calls.js').Joins} */
function withInVain(joins, inVain) {
  const { parent, basis, ambiguous } = joins;
  if (inVain.length === 0) return joins;
  return {
    ...joins,
    parent: Int32Array.from([...parent, ...inVain.map((one) => one.parent)]),
    basis: Uint8Array.from([...basis, ...inVain.map(() => BY_ORDER)]),
    ambiguous: Uint8Array.from([...ambiguous, ...inVain.map(() => 1)]),
  };
}

/** What the generator took for good was good, whatever its status. @param {WireCall} call @param {Set<string> | null} failedIds */
function isFailed({ id, bad, end }, failedIds) {
  if (end !== 'answered') return true;
  return failedIds !== null && id !== undefined ? failedIds.has(id) : bad;
}

/** @param {number} root @param {Children} children @param {(call: number, depth: number) => void} visit */
function walk(root, children, visit) {
  const go = (/** @type {number} */ call, /** @type {number} */ depth) => {
    visit(call, depth);
    if (depth >= DEPTH_MOST) return;
    // Two services that ask each other might make a ring of one id; each has one parent, so that it leads back to where it began.
    for (let place = 0; place < children.countOf(call); place += 1)
      if (children.at(call, place) !== root) go(children.at(call, place), depth + 1);
  };
  go(root, 0);
}
