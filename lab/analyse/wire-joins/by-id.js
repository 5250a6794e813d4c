/**
 * Joins by the id or the trace id that both calls carry. One id may come several times: a proxy tried again, or a request made several
 * calls; then it is of the call that it lies in.
 */
import { BY_ID, TOLERANCE_S } from './rules.js';
import { isTurnedAway } from './turned-away.js';

/** From here on an edge is one that passes ids on: a call without one there is nobody's. */
const PASSES_ON_SHARE = 0.5;
/** Calls of one id that are looked through for the one that a call lies in. */
const LOOKED_AT_MOST = 64;

/**
 * @param {import('./spans.js').Spans} spans
 * @param {number[]} served  in the order of their beginnings
 * @param {number[]} made
 * @param {Omit<import('./join-calls.js').Joins, 'edges'>} joins  is changed
 * @returns {number[]} of those made, what order has to tell
 */
export function joinById(spans, served, made, joins) {
  const known = servedByMark(spans, served);
  /** Of each edge: calls, and those joined. @type {Map<number, { calls: number, joined: number }>} */
  const edges = new Map();
  for (const call of made) {
    // On a connection that was turned away no id could be passed.
    if (isTurnedAway(spans.calls[call])) continue;
    const edge = edges.get(spans.edge[call]) ?? { calls: 0, joined: 0 };
    edges.set(spans.edge[call], edge);
    edge.calls += 1;
    const { id, trace } = spans.calls[call];
    // The id first: a trace may have many requests.
    const found = (id && known.ids.get(id)) || (trace && known.traces.get(trace));
    const taken = found ? whichOf(spans, found, call) : null;
    if (!taken) continue;
    edge.joined += 1;
    joins.parent[call] = taken.parent;
    joins.basis[call] = BY_ID;
    joins.ambiguous[call] = taken.ambiguous ? 1 : 0;
  }
  const passesOn = (/** @type {number} */ call) => {
    if (isTurnedAway(spans.calls[call])) return false;
    const { calls, joined } = /** @type {{ calls: number, joined: number }} */ (edges.get(spans.edge[call]));
    return joined >= calls * PASSES_ON_SHARE;
  };
  // What was not recorded may have been its id.
  return made.filter((call) => joins.parent[call] < 0 && (spans.calls[call].hole === true || !passesOn(call)));
}

/** @param {import('./spans.js').Spans} spans @param {number[]} served */
function servedByMark({ calls }, served) {
  /** @type {Record<'ids' | 'traces', Map<string, number[]>>} */
  const known = { ids: new Map(), traces: new Map() };
  const add = (/** @type {Map<string, number[]>} */ marks, /** @type {string | undefined} */ mark, /** @type {number} */ call) => {
    if (!mark) return;
    const own = marks.get(mark);
    if (own) own.push(call);
    else marks.set(mark, [call]);
  };
  for (const call of served) {
    add(known.ids, calls[call].id, call);
    add(known.traces, calls[call].trace, call);
  }
  return known;
}

/** @param {import('./spans.js').Spans} spans @param {number[]} found @param {number} call @returns {{ parent: number, ambiguous: boolean } | null} null where all came after it */
function whichOf({ began, worked }, found, call) {
  const before = upTo(found, (other) => began[other] <= began[call] + TOLERANCE_S);
  const near = found.slice(Math.max(0, before - LOOKED_AT_MOST), before).filter((other) => other !== call);
  if (near.length === 0) return null;
  const around = near.filter((other) => worked[other] >= began[call] - TOLERANCE_S);
  return { parent: /** @type {number} */ ((around.length > 0 ? around : near).at(-1)), ambiguous: around.length > 1 };
}

/** How many of the first are so. @param {number[]} sorted @param {(value: number) => boolean} isSo */
function upTo(sorted, isSo) {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isSo(sorted[middle])) low = middle + 1;
    else high = middle;
  }
  return low;
}
