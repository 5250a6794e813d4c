/**
 * Whom a service asked for requests that failed, and for those that went well: the joins of both, side by side. A bad call is one after which
 * requests fail, whatever its code: signs are taken by their lift, and the other way round too, since a request that fails early has another
 * last call than one that goes on, and each bad call that everybody survives would look like a cause.
 *
 * @typedef {import('./seen.js').Seen} Seen
 *
 * @typedef {object} Asked
 * @property {number} failed    share of the failed that have a call of the service joined to them, 0 to 1
 * @property {number | null} good  of the good; null where there are too few to compare with
 * @property {number} goods     so many good ones were looked at
 * @property {Bound[]} edges    bad calls, by callee, that go with the failed; the most frequent first
 * @property {Bound[]} beside   bad calls of the time that do not
 *
 * @typedef {object} Bound
 * @property {string} to
 * @property {string} sign
 * @property {number} failed    share of the failed that have such a call
 * @property {number | null} good  of the good
 * @property {number} back      of such calls in the time of the failures, the share that lies in a failed one
 * @property {number} calls     such calls in that time
 * @property {'join' | 'within'} by  how calls and requests were put together: one to one by the joins, or by lying within
 * @property {Map<number, number>} matched  failed call to its last such call
 */
import { Numbering } from '../joins/numbering.js';
import { once } from './once.js';
import { GOOD } from './seen.js';
import { grouped, leading, middle, share, some, upTo } from './spread.js';

/** Good ones to compare with: fewer say nothing of what is usual. */
export const GOOD_LEAST = 5;
/** More tell no more. */
const GOOD_MOST = 2000;
/**
 * Of the failed, of the good as a part of that, and back: on stacks with a known cause they were 60 to 100 %, 0 to 5 % and 60 to 100 %; of what
 * requests survive 5 to 83 %, as much, and 4 to 6 %.
 */
const BOUND_SHARE = 0.3;
const GOOD_PART = 1 / 3;
const BACK_LEAST = 0.25;
/** Where most of the bad calls lie in failed requests, more of the few good ones may have one by the errors of the joins. The lab's own choice. */
const BACK_MOST = 0.5;
const GOOD_PART_BACK = 1 / 2;
/** A kind of request asks a service if so many of its good ones do. */
const ASKS_LEAST = 0.1;

/**
 * @param {Seen} seen
 * @param {string} service
 * @param {number[]} failed  calls that it served
 * @param {number[]} good    to compare with
 * @param {(call: number) => boolean} isLost  of a call that it served, whatever its kind
 * @returns {Asked}
 */
export function askedOf(seen, service, failed, good, isLost) {
  const looked = some(good, GOOD_MOST);
  const goods = looked.length >= GOOD_LEAST ? looked : [];
  const whole = (/** @type {number[]} */ calls) => share(calls.filter(seen.isAsking).length, calls.length);
  const found = badCalls(seen, service, failed).map((calls) => {
    const [to, sign] = [seen.to[calls[0]], seen.sign[calls[0]]];
    const joined = joinedTo(seen, { to, sign, calls, failed, goods, isLost });
    const within = isBound(joined) ? null : lyingWithin(seen, { to, sign, calls, failed, goods });
    return { edge: within && isBound(within) ? within : joined, calls };
  });
  found.sort(({ edge: one }, { edge: other }) => other.failed - one.failed || other.calls - one.calls);
  return {
    ...{ failed: whole(failed), good: goods.length === 0 ? null : whole(goods), goods: goods.length },
    edges: found.filter(({ edge }) => isBound(edge)).map(({ edge, calls }) => withUnjoined(seen, edge, calls, failed)),
    beside: found.flatMap(({ edge }) => (isBound(edge) ? [] : [edge])),
  };
}

/**
 * @typedef {{ to: string, sign: string, calls: number[], failed: number[], goods: number[] }} Such  calls: of that sign, in the order of their
 *   beginnings
 */

/** @param {Seen} seen @param {Such & { isLost: (call: number) => boolean }} such @returns {Bound} */
function joinedTo(seen, { to, sign, calls, failed, goods, isLost }) {
  const isSuch = (/** @type {number} */ call) => seen.to[call] === to && seen.sign[call] === sign;
  const matched = lastOfEach(seen, failed, isSuch);
  return {
    ...{ to, sign, matched, calls: calls.length, by: 'join' },
    failed: share(matched.size, failed.length),
    good: goods.length === 0 ? null : goods.filter((call) => seen.childrenOf(call).some(isSuch)).length / goods.length,
    back: share(calls.filter((call) => isLost(seen.joins.parent[call])).length, calls.length),
  };
}

/**
 * Where many requests are in a service, the joins by order mix their calls up. Bad calls so rare that they hardly lie in a request by chance
 * tell by lying in it, one to one.
 * @param {Seen} seen @param {Such} such
 * @returns {Bound | null} null where chance tells as much
 */
function lyingWithin(seen, { to, sign, calls, failed, goods }) {
  const { began, over } = seen;
  const { from, to: until } = timeOf(seen, failed);
  const chance = (calls.length / Math.max(until - from, 1)) * middle(failed.map((call) => over[call] - began[call]));
  if (chance > CHANCE_MOST || calls.length < failed.length * WITHIN_SHARE) return null;
  const begins = calls.map((call) => began[call]);
  const lastIn = (/** @type {number} */ request, /** @type {(call: number) => boolean} */ isFree) => {
    for (let at = upTo(begins, over[request]) - 1; at >= 0 && begins[at] >= began[request]; at -= 1)
      if (over[calls[at]] <= over[request] && isFree(calls[at])) return calls[at];
    return null;
  };
  const used = new Set();
  const matched = new Map();
  for (const request of failed.toSorted((one, other) => over[one] - over[other])) {
    const call = lastIn(request, (one) => !used.has(one));
    if (call === null) continue;
    used.add(call);
    matched.set(request, call);
  }
  const part = share(matched.size, failed.length);
  if (part < WITHIN_SHARE) return null;
  const good = goods.length === 0 ? null : goods.filter((call) => lastIn(call, () => true) !== null).length / goods.length;
  return { to, sign, matched, calls: calls.length, by: 'within', failed: part, good, back: share(used.size, calls.length) };
}
/**
 * Of a bad call that goes with the failed, those that no request was given, and that lie in a failed one that has none: these cost it too.
 * @param {Seen} seen @param {Bound} edge @param {number[]} calls  such @param {number[]} failed @returns {Bound}
 */
function withUnjoined({ began, over, joins }, edge, calls, failed) {
  const free = calls.filter((call) => joins.parent[call] < 0);
  if (free.length === 0) return edge;
  const matched = new Map(edge.matched);
  const begins = free.map((call) => began[call]);
  const used = new Set();
  for (const request of failed.toSorted((one, other) => over[one] - over[other])) {
    if (matched.has(request)) continue;
    for (let at = upTo(begins, over[request]) - 1; at >= 0 && begins[at] >= began[request]; at -= 1) {
      if (used.has(at) || over[free[at]] > over[request]) continue;
      used.add(at);
      matched.set(request, free[at]);
      break;
    }
  }
  return { ...edge, matched };
}

/** So many of the failed need one of their own. */
const WITHIN_SHARE = 0.8;
/** Bad calls that would lie in a failed request by chance. The lab's own choice. */
const CHANCE_MOST = 0.25;

/** @param {Bound} bound */
const isBound = ({ failed, good, back }) =>
  failed >= BOUND_SHARE && back >= BACK_LEAST && (good ?? 0) <= failed * (back >= BACK_MOST ? GOOD_PART_BACK : GOOD_PART);

/** In the time of the failures, by callee and sign: first what came first. @param {Seen} seen @param {string} service @param {number[]} failed @returns {number[][]} each as they began */
function badCalls(seen, service, failed) {
  const { began, over } = seen;
  const { from, to } = timeOf(seen, failed);
  const { all, groups } = badMadeBy(seen, service);
  const begun = leading(all, (call) => began[call] <= to);
  return groups
    .map((places) => places.filter((place) => place < begun && over[all[place]] >= from))
    .filter((places) => places.length > 0)
    .toSorted(([one], [other]) => one - other)
    .map((places) => places.map((place) => all[place]));
}

/** As they began; groups: their places, by callee and sign. */
const badMadeBy = once(({ madeBy, to, sign }, service) => {
  const all = madeBy(service).filter((call) => sign[call] !== GOOD);
  const numbers = new Numbering();
  return { all, groups: [...grouped([...all.keys()], (place) => numbers.of(to[all[place]], sign[all[place]])).values()] };
});

/** @param {Pick<Seen, 'began' | 'over'>} seen @param {number[]} calls @returns {{ from: number, to: number }} */
export function timeOf({ began, over }, calls) {
  let [from, to] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const call of calls) [from, to] = [Math.min(from, began[call]), Math.max(to, over[call])];
  return { from, to };
}

/** @param {Seen} seen @param {number[]} failed @param {(child: number) => boolean} isSuch @returns {Map<number, number>} of those that have such a call, the last */
function lastOfEach({ childrenOf, over }, failed, isSuch) {
  /** @type {Map<number, number>} */
  const last = new Map();
  for (const call of failed) {
    let found = NONE;
    for (const child of childrenOf(call)) if (isSuch(child) && (found === NONE || over[child] >= over[found])) found = child;
    if (found !== NONE) last.set(call, found);
  }
  return last;
}
const NONE = -1;

/**
 * Which callees a kind of request asks at all, by those that were alone in the service and by its good ones: a call was joined to them. Of a
 * callee that none asked alone, a call that could be another's says nothing.
 * @type {(seen: Seen, service: string) => (kind: string, to: string) => number | null} share of them; null where too few went well
 */
export const usageOf = once((seen, service) => {
  const { servedBy, kind, sign } = seen;
  const kinds = grouped(
    servedBy(service).filter((call) => sign[call] === GOOD),
    (call) => kind[call],
  );
  /** @type {Map<string, Map<string, number>>} */
  const known = new Map();
  for (const [name, calls] of kinds) {
    const alone = new Map(seen.calleesOf(service).map((to) => [to, seen.joins.askedAlone(calls[0], to)]));
    if (calls.length < GOOD_LEAST && [...alone.values()].every((part) => part === null)) continue;
    const looked = some(calls, GOOD_MOST);
    const isSure = (/** @type {number} */ child) => alone.get(seen.to[child]) !== 0 || seen.joins.ambiguous[child] === 0;
    const asked = new Map();
    for (const call of looked)
      for (const to of new Set(
        seen
          .childrenOf(call)
          .filter(isSure)
          .map((child) => seen.to[child]),
      ))
        asked.set(to, (asked.get(to) ?? 0) + 1 / looked.length);
    for (const [to, part] of alone) asked.set(to, Math.max(asked.get(to) ?? 0, part ?? 0));
    known.set(name, asked);
  }
  return (/** @type {string} */ name, /** @type {string} */ to) => (known.has(name) ? (known.get(name)?.get(to) ?? 0) : null);
});

/**
 * @param {ReturnType<typeof usageOf>} usage
 * @param {Iterable<string>} kinds
 * @param {string} to
 * @returns {boolean} whether one of them asks it, or that is not known
 */
export const asks = (usage, kinds, to) => [...kinds].some((kind) => (usage(kind, to) ?? 1) >= ASKS_LEAST);
