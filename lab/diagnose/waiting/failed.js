/**
 * Which requests of the load failed, and how each ended: by kinds, which are followed apart, since their causes differ.
 *
 * @typedef {import('./seen.js').Seen} Seen
 *
 * @typedef {object} FailedKind
 * @property {string} service   that was asked: the entry, or one of its containers
 * @property {string} sign      how it ended (seen.js)
 * @property {boolean} atOnce   answered before anything can have been waited for
 * @property {string} kind      verb and template; empty where several are taken together
 * @property {number[]} calls
 *
 * @typedef {object} Requests   of the load
 * @property {FailedKind[]} kinds   the most frequent first
 * @property {Set<number>} failed
 * @property {number[]} good
 */
import { GENERATOR_NAME } from '../../base/paths.js';
import { grouped, spread } from './spread.js';

/** Nothing that waits for a full pool, a time-out or a slow callee is over so soon. The lab's own choice. */
export const AT_ONCE_S = 0.05;
/** Of one URL, so that it is followed by itself; the rest of a kind of end is followed together. */
const APART_LEAST = 20;
/** A request that was open when users went away has failed if it stood longer than good ones do, and than this. */
const STOOD_LEAST_S = 1;
const SLOWEST_SHARE = 0.99;
/** Users go away together: within so long of the load's end. */
const END_S = 0.5;

/**
 * @param {Seen} seen
 * @param {Set<string> | null} failedIds  of requests that failed by the generator's own record; null where it has none
 * @returns {Requests}
 */
export function failedOf(seen, failedIds) {
  const { load, began, over, sign } = seen;
  const asked = seen.madeBy(GENERATOR_NAME).filter((call) => began[call] >= load.from && began[call] <= load.to);
  const [good, bad] = [/** @type {number[]} */ ([]), /** @type {number[]} */ ([])];
  for (const call of asked) (isFailed(seen, call, failedIds) ? bad : good).push(call);
  const slowest = spread(
    good.map((call) => over[call] - began[call]),
    SLOWEST_SHARE,
  );
  const enough = Math.max(STOOD_LEAST_S, Number.isNaN(slowest) ? 0 : slowest);
  const wasSentAway = (/** @type {number} */ call) =>
    !failedIds?.has(seen.calls[call].id ?? '') &&
    (sign[call] === 'open' || (sign[call] === 'given-up' && over[call] >= load.to - END_S)) &&
    over[call] - began[call] < enough;
  const failed = bad.filter((call) => !wasSentAway(call));
  return { kinds: kindsOf(seen, failed), failed: new Set(failed), good };
}

/** What the generator took for good was good, whatever its status. @param {Seen} seen @param {number} call @param {Set<string> | null} failedIds */
function isFailed({ calls, isAttempt }, call, failedIds) {
  const { id, bad, end } = calls[call];
  if (isAttempt(call) || end !== 'answered') return true;
  return failedIds !== null && id !== undefined ? failedIds.has(id) : bad;
}

/** @param {Seen} seen @param {number[]} failed @returns {FailedKind[]} */
function kindsOf({ to, sign, kind, began, over }, failed) {
  /** @type {Map<string, FailedKind>} */
  const ends = new Map();
  for (const call of failed) {
    const atOnce = over[call] - began[call] < AT_ONCE_S;
    const key = JSON.stringify([to[call], sign[call], atOnce]);
    const own = ends.get(key) ?? { service: to[call], sign: sign[call], atOnce, kind: '', calls: [] };
    ends.set(key, own);
    own.calls.push(call);
  }
  return [...tailsWithRest(ends)].flatMap((end) => apart(end, kind)).toSorted((one, other) => other.calls.length - one.calls.length);
}

/** Few that came later or sooner than the others of their end are of the same kind. @param {Map<string, FailedKind>} ends @returns {FailedKind[]} */
function tailsWithRest(ends) {
  return [...grouped([...ends.values()], ({ service, sign }) => JSON.stringify([service, sign])).values()].flatMap((parts) => {
    const [most, ...others] = parts.toSorted((one, other) => other.calls.length - one.calls.length);
    const tails = others.filter(({ calls }) => calls.length < APART_LEAST);
    const calls = [most, ...tails].flatMap((part) => part.calls).sort((one, other) => one - other);
    return [{ ...most, calls }, ...others.filter((part) => !tails.includes(part))];
  });
}

/** @param {FailedKind} end @param {string[]} kind @returns {FailedKind[]} URLs that failed often by themselves, and the rest */
function apart(end, kind) {
  const urls = grouped(end.calls, (call) => kind[call]);
  const often = [...urls].filter(([url, calls]) => url !== '' && calls.length >= APART_LEAST);
  if (urls.size === 1) return [{ ...end, kind: kind[end.calls[0]] }];
  const rest = end.calls.filter((call) => !often.some(([url]) => url === kind[call]));
  return [...often.map(([url, calls]) => ({ ...end, kind: url, calls })), ...(rest.length > 0 ? [{ ...end, calls: rest }] : [])];
}
