/**
 * Of answers that a service gave by itself: its checks of others, its local ports, a limit, a mistake.
 *
 * @typedef {import('./step.js').Step} Step
 * @typedef {import('./step.js').Why} Why
 */
import { ascending } from '../../stats/quantile.js';
import { Numbering } from '../joins/numbering.js';
import { asks, usageOf } from './asked.js';
import { once } from './once.js';
import { GOOD } from './seen.js';
import { equalTime, Going, grouped, leading, share, upTo } from './spread.js';
import { isAsSoonAsGood, isOwn } from './step.js';
import { counted, ended, percent, seconds } from './text.js';
import { isTurnedAway } from './why-gone.js';

/** Proxies take a callee out after so many checks at the least; one may be lost. */
const CHECKS_LEAST = 2;
/** A check that failed so long ago may still count. The lab's own choice: twice the longest interval that is usual (10 s). */
const CHECKED_S = 20;
/** Of calls that are made for no request, some lie in one by chance, and are joined with it by order. */
const JOINED_MOST = 0.5;
const PORTS_SHARE = 0.9;
/** A port that was used stays taken so long: Linux's TIME_WAIT. */
const TIME_WAIT_S = 60;
/** Of local ports, unless told otherwise: ip_local_port_range is 32768 to 60999. */
const PORTS = 28_232;

/** Calls that no request asked for went wrong, and then the service answered without asking. @param {Step} step @returns {Why | null} */
export function checksFailed(step) {
  const { seen, service, time } = step;
  if (!isOwn(step)) return null;
  const bad = unaskedKinds(seen, service)
    .map((calls) =>
      calls.filter((call) => seen.sign[call] !== GOOD && seen.over[call] >= time.from - CHECKED_S && seen.over[call] <= time.to),
    )
    .filter((calls) => calls.length >= CHECKS_LEAST);
  if (bad.length === 0 || !isAllOut(step, bad)) return null;
  return {
    mechanism: 'checks-failed',
    title: `took ${[...new Set(bad.map(([call]) => seen.to[call]))].sort().join(', ')} out after its own checks of them had failed`,
    basis: 'timed',
    evidence: bad.map((calls) => {
      const after = equalTime(calls.map((call) => seen.over[call] - seen.began[call]));
      const [call] = calls;
      return `${service} checked ${seen.to[call]} by itself (${seen.kind[call]}): ${counted(calls.length)} checks were ${ended(seen.sign[call])}${after === null ? '' : `, each after ${seconds(after)}`}.`;
    }),
  };
}

/**
 * Nobody was asked any more of whom it asks for such requests: who still is can answer, and another limit turned these away.
 * @param {Step} step @param {number[][]} bad  its checks that failed, by kind
 */
function isAllOut({ seen, service, failed }, bad) {
  const checks = grouped(bad.flat(), (call) => seen.to[call]);
  const checked = new Set(unaskedKinds(seen, service).flat());
  const [usage, kinds] = [usageOf(seen, service), new Set(failed.map((call) => seen.kind[call]))];
  const isRequest = (/** @type {number} */ call) => !checked.has(call) && seen.began[call] >= seen.load.warmupFrom;
  const asked = seen
    .calleesOf(service)
    .filter((to) => asks(usage, kinds, to))
    .map((to) => ({ to, calls: seen.onEdge(service, to).filter(isRequest) }));
  const usual = asked.filter(({ calls }) => calls.length > 0);
  const isOut = (/** @type {number} */ at) =>
    usual.every(({ to, calls }) => {
      const last = checks.get(to)?.findLast((call) => seen.over[call] <= at);
      return last !== undefined && begunBetween(seen, calls, seen.over[last], at) === 0;
    });
  return share(failed.filter((call) => isOut(seen.over[call])).length, failed.length) > OUT_SHARE;
}
/** Of the failed. */
const OUT_SHARE = 0.5;

/** @param {Step['seen']} seen @param {number[]} calls  as they began @param {number} from @param {number} to */
const begunBetween = ({ began }, calls, from, to) =>
  leading(calls, (call) => began[call] <= to) - leading(calls, (call) => began[call] <= from);

/** Calls of a service, by kind, that no request asked for. */
const unaskedKinds = once((seen, service) => {
  const served = new Going(seen.servedBy(service), seen.began, seen.over);
  const own = seen.madeBy(service).filter((call) => !seen.isAttempt(call));
  const numbers = new Numbering();
  return [...grouped(own, (call) => numbers.of(seen.to[call], seen.kind[call])).values()]
    .filter((calls) => share(calls.filter((call) => seen.joins.parent[call] >= 0).length, calls.length) <= JOINED_MOST)
    .filter((calls) => calls.some((call) => served.at(seen.began[call]) === 0));
});

/** @param {Step} step @returns {Why | null} */
export function noPorts({ seen, service, readings, moments, time, asked }) {
  const read = readings.ports(service, moments);
  const closed = seen.calleesOf(service).map((to) => ({ to, count: closedByItself(seen, service, to, time) }));
  const [most] = closed.toSorted((one, other) => other.count - one.count);
  const used = Math.max(read?.used ?? 0, most?.count ?? 0);
  if (!most || used < PORTS_SHARE * (read?.range ?? PORTS) || asked.failed > (asked.good ?? 1) / 2) return null;
  return {
    mechanism: 'no-ports',
    title: `had no local port left for connections to ${most.to}`,
    basis: 'counted',
    place: { service, edge: { from: service, to: most.to } },
    evidence: [
      `${service} had closed ${counted(most.count)} connections to ${most.to} by itself within ${TIME_WAIT_S} s; each keeps its local port that long.`,
      read
        ? `${counted(read.used)} of ${counted(read.range)} local ports were taken.`
        : `By default there are ${counted(PORTS)} local ports.`,
      `${percent(asked.failed)} of the failed requests have a call of ${service}${asked.good === null ? '' : `, of the good ${percent(asked.good)}`}.`,
    ],
  };
}

/** The most within the time that a port stays taken. @param {Step['seen']} seen @param {string} from @param {string} to @param {{ to: number }} time */
function closedByItself(seen, from, to, time) {
  const ends = closings(seen, from, to);
  let [most, first] = [0, 0];
  for (let last = 0; last < ends.length && ends[last] <= time.to; last += 1) {
    while (ends[first] < ends[last] - TIME_WAIT_S) first += 1;
    most = Math.max(most, last - first + 1);
  }
  return most;
}

/**
 * Whether it asked somebody for most of the failed, and what came of it is not on record: it could not be read, or passed a network that was not
 * recorded.
 * @param {Step} step
 */
export function isBlind({ seen, service, failed }) {
  const { from, until } = unreadOf(seen, service);
  const hidden = failed.filter((call) => upTo(from, seen.over[call]) > upTo(until, seen.began[call]));
  const isUnseen = seen.wire.networks.some(({ unseen, members = [] }) => unseen !== '' && members.includes(service));
  return isUnseen || hidden.length >= HIDDEN_SHARE * failed.length;
}
/** Of the failed. The lab's own choice: the rest, which ended alike, asked nobody else. */
const HIDDEN_SHARE = 0.5;

/** When its connections were open on which something could not be read. */
const unreadOf = once((seen, service) => {
  const unread = seen
    .calleesOf(service)
    .flatMap((to) => seen.lines(service, to))
    .filter(({ connection: { hidden_bytes: hidden, unknown_bytes: unknown } }) => hidden + unknown > 0);
  return {
    from: ascending(unread.map(({ connection }) => connection.opened_at)),
    until: ascending(unread.map(({ connection }) => connection.ended_at ?? Number.POSITIVE_INFINITY)),
  };
});

/** When it closed connections by itself. */
const closings = once(({ lines }, from, to) =>
  ascending(
    lines(from, to).flatMap(({ connection: { by, ended_at: at, accepted_at: accepted } }) =>
      by === 'client' && accepted !== null && at !== null ? [at] : [],
    ),
  ),
);

/** At once, while no call for it went wrong. @param {Step} step @returns {Why | null} */
export function ownAnswer(step) {
  const { service, asked, failed, sign, took_s: took, seen } = step;
  if ((!isOwn(step) && !isAsSoonAsGood(step)) || isBlind(step)) return null;
  const isAlone = seen.madeBy(service).length === 0;
  const beside = asked.beside.filter(({ calls }) => calls >= failed.length / 2).slice(0, 2);
  return {
    mechanism: isTurnedAway(step) ? 'turned-away' : 'own-error',
    title: isTurnedAway(step) ? `turned requests away with ${sign}` : `${ended(sign)} by itself`,
    basis: isAlone || asked.good !== null ? 'counted' : 'inferred',
    evidence: [
      `${service} ${ended(sign)} ${counted(failed.length)} times, ${seconds(took)} after it was asked at the median.`,
      ...(isAlone
        ? [`${service} asks nobody.`]
        : [
            `${percent(asked.failed)} of these have a call of ${service}${asked.good === null ? '' : `, of the good ${percent(asked.good)}`}, and no bad call goes with them.`,
          ]),
      ...beside.map(
        (one) =>
          `${counted(one.calls)} calls to ${one.to} were ${ended(one.sign)} beside them: ${percent(one.failed)} of the failed${one.good === null ? '' : ` and ${percent(one.good)} of the good`} have one, and ${percent(one.back)} of them lie in a failed request.`,
      ),
    ],
  };
}

/** @param {Step} step @returns {Why} of requests that it closed or reset, and asked nobody for */
export const brokenOff = ({ service, asked, failed, sign, took_s: took, readings, moments }) => {
  const queue = readings.queued(service, moments);
  return {
    mechanism: 'broken-off',
    basis: 'counted',
    evidence: [
      `${counted(failed.length)} requests in ${service} were ${ended(sign)}, after ${seconds(took)} at the median.`,
      `${percent(asked.failed)} of them have a call of ${service}, of the good ${percent(asked.good ?? 0)}.`,
      ...(queue && queue.most > 0 ? [`Up to ${counted(queue.most)} connections waited to be accepted.`] : []),
    ],
  };
};
