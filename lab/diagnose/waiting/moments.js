/**
 * Where requests waited: at moments within the lives of those that failed, how many requests of their kinds were in the service, and for how
 * many of its calls it waited on each edge. The rest stood in the service itself.
 *
 * @typedef {import('./seen.js').Seen} Seen
 *
 * @typedef {object} Waiting
 * @property {number[]} moments  seconds since 1970
 * @property {number} standing   mean number of requests in the service, of the failed ones' kinds
 * @property {number} own        of them, those that wait for no callee
 * @property {WaitedFor[]} callees  the most waited for first
 *
 * @typedef {{ to: string, mean: number, low: number, high: number }} WaitedFor  calls going on; low, high: between which it lies in 80 % of
 *   the moments
 */
import { asks, usageOf } from './asked.js';
import { average, before, some, spread } from './spread.js';

/** Of the failed, and of the life of each. */
const LOOKED_AT_MOST = 200;
const PARTS = [0.2, 0.5, 0.8];
const [LOW, HIGH] = [0.1, 0.9];
/** Of the requests in the service, those of the failed ones' kinds. */
const ALONE_SHARE = 0.9;
/** Calls, of the failed, and of their pace as much while none failed. The lab's own choices. */
const MADE_SHARE = 0.5;
const CALM_PART = 1 / 3;
const OUTSIDE_LEAST_S = 1;

/** @param {Seen} seen @param {number[]} calls @returns {number[]} within their lives, in the order of time */
export const momentsOf = ({ began, over }, calls) =>
  some(calls, LOOKED_AT_MOST)
    .flatMap((call) => PARTS.map((part) => began[call] + (over[call] - began[call]) * part))
    .sort((one, other) => one - other);

/**
 * @param {Seen} seen
 * @param {string} service
 * @param {number[]} failed  calls that it served
 * @returns {Waiting}
 */
export function waitingIn(seen, service, failed) {
  const moments = momentsOf(seen, failed);
  const usage = usageOf(seen, service);
  const kinds = new Set(failed.map((call) => seen.kind[call]));
  const isTheirs = (/** @type {number} */ call) => kinds.has(seen.kind[call]) || seen.isAttempt(call);
  const standing = average(countsAt(seen, seen.servedBy(service), seen.over, moments, isTheirs));
  const isWaitedFor = isOfTheirs(seen, isTheirs);
  const isAlone = () => standing >= ALONE_SHARE * average(countsAt(seen, seen.servedBy(service), seen.over, moments));
  const callees = seen.calleesOf(service).map((to) => {
    const all = seen.onEdge(service, to);
    // Good ones may do without it: what they ask for is in a cache. Where no others are there, its calls are made for these.
    const calls =
      asks(usage, kinds, to) || (isAlone() && isMadeForThem(seen, all.filter(isWaitedFor), { moments, count: failed.length })) ? all : [];
    const counts = countsAt(seen, calls, seen.waited, moments, isWaitedFor);
    return { to, mean: average(counts), low: spread(counts, LOW), high: spread(counts, HIGH) };
  });
  const all = callees.filter(({ mean }) => mean > 0).toSorted((one, other) => other.mean - one.mean);
  return { moments, standing, own: Math.max(0, standing - all.reduce((sum, { mean }) => sum + mean, 0)), callees: all };
}

/**
 * As many as the failed, and hardly any while none failed: what a service asks for its own sake goes on at a pace of its own. A call that goes on when
 * its request is over is joined to none.
 * @param {Seen} seen @param {number[]} calls @param {{ moments: number[], count: number }} about
 */
function isMadeForThem({ began, load }, calls, { moments, count }) {
  const [from, to] = [moments[0], moments[moments.length - 1]];
  const during = calls.filter((call) => began[call] >= from && began[call] <= to).length;
  const outside_s = Math.max(0, from - load.warmupFrom) + Math.max(0, load.to - to);
  if (during < MADE_SHARE * count || outside_s < OUTSIDE_LEAST_S) return false;
  return (calls.length - during) / outside_s <= (CALM_PART * during) / Math.max(to - from, OUTSIDE_LEAST_S);
}

/** Calls that are not known to be made for requests of other kinds. What went on before any load waits for nobody's sake. @param {Seen} seen @param {(call: number) => boolean} isTheirs @returns {(call: number) => boolean} */
const isOfTheirs =
  ({ joins, began, load }, isTheirs) =>
  (call) =>
    began[call] >= load.warmupFrom && (joins.parent[call] < 0 || isTheirs(joins.parent[call]));

/**
 * @param {Seen} seen
 * @param {number[]} calls    as they began
 * @param {Float64Array} over
 * @param {number[]} moments  in the order of time
 * @param {(call: number) => boolean} [isCounted]
 * @returns {number[]} how many went on at each
 */
export function countsAt({ began }, calls, over, moments, isCounted = () => true) {
  const changes = new Int32Array(moments.length + 1);
  const [first, last] = [moments[0], moments[moments.length - 1]];
  // As calls begin one after the other, so do the moments after that.
  let next = 0;
  for (let place = 0; place < calls.length; place += 1) {
    const call = calls[place];
    if (!(began[call] <= last)) break;
    if (over[call] <= first) continue;
    while (moments[next] < began[call]) next += 1;
    // Most calls are over before the next moment.
    if (over[call] <= moments[next] || !isCounted(call)) continue;
    changes[next] += 1;
    changes[before(moments, over[call])] -= 1;
  }
  let going = 0;
  return moments.map((_, index) => {
    going += changes[index];
    return going;
  });
}
