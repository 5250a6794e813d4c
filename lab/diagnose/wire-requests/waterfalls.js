/**
 * Single requests, hop by hop: the slowest of the good ones, and some of each way in which others were lost.
 *
 * @typedef {import('./trees.js').Trees} Trees
 * @typedef {import('../../record/result.js').WireWaterfall} WireWaterfall
 */

import { rounded } from '../../stats/numbers.js';
import { BY_ID } from '../joins/rules.js';

const SLOWEST = 5;
const LOST_OF_A_KIND = 5;
const KINDS_MOST = 8;
const ROWS_MOST = 40;
const MILLI = 1000;

/** @param {Trees} trees @param {{ from: number }} window @returns {WireWaterfall[]} the slowest first, then the lost by how often they were lost so */
export function waterfallsOf(trees, { from }) {
  const { calls, requests, isFailed, took_ms: took } = trees;
  const good = requests.filter((request) => !isFailed(request));
  const slowest = largest(good, SLOWEST, (request) => took(request) ?? 0);
  /** @type {Map<string, number[]>} */
  const kinds = new Map();
  for (const request of requests.filter(isFailed)) {
    const kind = kindOf(calls[request]);
    const group = kinds.get(kind);
    if (group) group.push(request);
    else kinds.set(kind, [request]);
  }
  const lost = [...kinds.values()].toSorted((one, other) => other.length - one.length).slice(0, KINDS_MOST);
  const draw = (/** @type {'slowest' | 'lost'} */ why, /** @type {number} */ request, /** @type {number} */ ofKind) =>
    waterfallOf(trees, request, { why, of_kind: ofKind, from });
  return [
    ...slowest.map((request) => draw('slowest', request, good.length)),
    ...lost.flatMap((group) => spread(group, LOST_OF_A_KIND).map((request) => draw('lost', request, group.length))),
  ];
}

/** @param {import('../../wire/record.js').WireCall} call */
const kindOf = ({ end, by, status, code }) => [end, by, status, code].join(' ');

/** The largest first; of those that are alike, the first. @param {number[]} all @param {number} most @param {(one: number) => number} sizeOf */
function largest(all, most, sizeOf) {
  /** @type {number[]} */
  const found = [];
  for (const one of all) {
    const size = sizeOf(one);
    let at = found.length;
    while (at > 0 && sizeOf(found[at - 1]) < size) at -= 1;
    if (at < most) found.splice(at, 0, one);
    if (found.length > most) found.pop();
  }
  return found;
}

/** So many, from the first to the last. @template Item @param {Item[]} items @param {number} most @returns {Item[]} */
const spread = (items, most) =>
  items.length <= most ? items : Array.from({ length: most }, (_, index) => items[Math.round((index * (items.length - 1)) / (most - 1))]);

/** @param {Trees} trees @param {number} request @param {{ why: 'slowest' | 'lost', of_kind: number, from: number }} about @returns {WireWaterfall} */
function waterfallOf(trees, request, { why, of_kind, from }) {
  const { calls, below, took_ms: took } = trees;
  const nodes = below(request);
  const { id, began_at: began } = calls[request];
  return {
    ...{ why, of_kind, id: id ?? null },
    at_s: rounded(began - from, 3) ?? 0,
    took_ms: rounded(took(request), 3),
    rows: nodes.slice(0, ROWS_MOST).map((node) => rowOf(trees, node, began)),
    more: Math.max(0, nodes.length - ROWS_MOST),
  };
}

/** @param {Trees} trees @param {import('./trees.js').Node} node @param {number} began @returns {WireWaterfall['rows'][number]} */
function rowOf({ calls, edgeOf, endOf, took_ms: took, joins }, { call, depth }, began) {
  const { verb, template, status, code, by, began_at: at } = calls[call];
  return {
    ...edgeOf(call),
    ...{ depth, verb, template, status, code, end: endOf(call), by },
    offset_ms: rounded((at - began) * MILLI, 3) ?? 0,
    took_ms: rounded(took(call), 3),
    joined: depth === 0 ? null : joins.basis[call] === BY_ID ? 'id' : 'order',
    ambiguous: joins.ambiguous[call] === 1,
  };
}
