/**
 * The requests of the load by what they asked for: how many, how they went, what each asked behind the entry.
 *
 * @typedef {import('./trees.js').Trees} Trees
 * @typedef {import('../../record/result.js').WireUrl} WireUrl
 */

import { rounded } from '../../stats/numbers.js';
import { quantilesOf } from '../../stats/quantile.js';
import { Numbering } from '../joins/numbering.js';

/** More than a reader takes in; the rest is one row. */
const URLS_MOST = 30;
const EDGES_MOST = 20;
/** Of all that are not named. */
const REST = -1;

/** @typedef {{ from: string, to: string, depth: number, calls: number, calm: number, time_ms: number, ambiguous: number }} EdgeSums */
/** @typedef {{ verb: string, template: string, count: number, calm: number, failed: number, times: number[], edges: Map<number, EdgeSums> }} Sums  edges: by their numbers */

/** @param {Trees} trees @returns {WireUrl[]} the most frequent first */
export function urlsOf(trees) {
  const { calls, requests, isFailed } = trees;
  const failing = new Set(requests.filter(isFailed).map((request) => secondOf(calls[request])));
  const kinds = new Numbering();
  const kindOf = (/** @type {number} */ request) => kinds.of(calls[request].verb, calls[request].template);
  const kindsOf = requests.map(kindOf);
  /** @type {Map<number, number>} */
  const counts = new Map();
  for (const kind of kindsOf) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  const named = new Set(
    [...counts]
      .toSorted(([, one], [, other]) => other - one)
      .slice(0, URLS_MOST)
      .map(([kind]) => kind),
  );
  /** @type {Map<number, Sums>} */
  const urls = new Map();
  const numbers = new Numbering();
  for (const [index, request] of requests.entries()) {
    const kind = named.has(kindsOf[index]) ? kindsOf[index] : REST;
    const { verb, template } = kind === REST ? { verb: '', template: '' } : calls[request];
    const sums = urls.get(kind) ?? { verb, template, count: 0, calm: 0, failed: 0, times: [], edges: new Map() };
    urls.set(kind, sums);
    add(sums, trees, request, { isCalm: !failing.has(secondOf(calls[request])), numbers });
  }
  return [...urls.values()].map((sums) => urlOf(sums, failing.size > 0)).toSorted(byVolume);
}

/** @param {WireUrl} one @param {WireUrl} other */
const byVolume = (one, other) => Number(one.verb === '') - Number(other.verb === '') || other.count - one.count;

/** @param {import('../../wire/record.js').WireCall} call */
const secondOf = ({ began_at: at }) => Math.floor(at);

/** @param {Sums} sums  is changed @param {Trees} trees @param {number} request @param {{ isCalm: boolean, numbers: Numbering }} about  numbers: of edges */
function add(sums, { eachBelow, edgeOf, took_ms: took, isFailed, calls, joins }, request, { isCalm, numbers }) {
  sums.count += 1;
  sums.calm += isCalm ? 1 : 0;
  sums.failed += isFailed(request) ? 1 : 0;
  const whole = took(request);
  if (calls[request].end === 'answered' && whole !== null) sums.times.push(whole);
  eachBelow(request, (call, depth) => {
    if (depth === 0) return;
    const { from, to } = edgeOf(call);
    const number = numbers.of(from, to);
    let edge = sums.edges.get(number);
    if (edge === undefined) {
      edge = { from, to, depth, calls: 0, calm: 0, time_ms: 0, ambiguous: 0 };
      sums.edges.set(number, edge);
    }
    edge.calls += 1;
    edge.calm += isCalm ? 1 : 0;
    edge.time_ms += took(call) ?? 0;
    edge.ambiguous += joins.ambiguous[call];
  });
}

/** @param {Sums} sums @param {boolean} hasFailing @returns {WireUrl} */
function urlOf({ verb, template, count, calm, failed, times, edges }, hasFailing) {
  const [p50, p95] = quantilesOf(times, [0.5, 0.95]);
  return {
    ...{ verb, template, count, failed },
    time_ms: { p50: rounded(p50, 3), p95: rounded(p95, 3) },
    edges: [...edges.values()]
      .toSorted((one, other) => other.calls - one.calls)
      .slice(0, EDGES_MOST)
      .toSorted((one, other) => one.depth - other.depth)
      .map((edge) => ({
        ...{ from: edge.from, to: edge.to },
        calls_per_request: rounded(edge.calls / count, 3) ?? 0,
        calls_per_request_calm: hasFailing && calm > 0 ? rounded(edge.calm / calm, 3) : null,
        time_ms_per_request: rounded(edge.time_ms / count, 3) ?? 0,
        ambiguous_share: rounded(edge.ambiguous / edge.calls, 4) ?? 0,
      })),
  };
}
