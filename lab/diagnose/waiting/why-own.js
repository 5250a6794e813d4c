/**
 * Of answers that a service gave by itself: its local ports, a pool, a limit, a mistake.
 *
 * @typedef {import('./step.js').Step} Step
 * @typedef {import('./step.js').Why} Why
 */

/** @template {keyof Step} Fact @template {keyof Step['readings']} [Read=never] @typedef {import('./step.js').Of<Fact, Read>} Of */

import { ascending, upTo } from '../../stats/numbers.js';
import { isByTurns, unreadBytes } from '../../wire/turns.js';
import { some } from '../joins/rules.js';
import { GOOD_LEAST, once } from './asked.js';
import { average, Going, share, stateAt, within } from './spread.js';
import { isAsSoonAsGood, isOwn, slownessOf, tookText } from './step.js';
import { counted, ended, endedText, few, percent, seconds, things } from './text.js';
import { otherAnswer } from './why-earlier.js';
import { askedBy, onward } from './why-full.js';
import { isTurnedAway } from './why-gone.js';

const PORTS_SHARE = 0.9;
/** A port that was used stays taken so long: Linux's TIME_WAIT. */
const TIME_WAIT_S = 60;
/** Of local ports, unless told otherwise: ip_local_port_range is 32768 to 60999. */
const PORTS = 28_232;

/** @param {Of<'asked' | 'moments' | 'seen' | 'service' | 'time', 'ports'>} step @returns {Why | null} */
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
      `${service} asked somebody for ${percent(asked.failed)} of the failed requests${asked.good === null ? '' : `, and for ${percent(asked.good)} of the good ones`}.`,
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
 * @param {Of<'failed' | 'seen' | 'service'>} step
 */
export function isBlind({ seen, service, failed }) {
  const { from, until } = unreadOf(seen, service);
  const hidden = failed.filter((call) => upTo(from, seen.over[call]) > upTo(until, seen.began[call]));
  const isUnseen = seen.wire.networks.some(({ unseen, members = [] }) => unseen !== '' && members.includes(service));
  return isUnseen || hidden.length >= HIDDEN_SHARE * failed.length;
}
/**
 * Whether most of the failed asked somebody whose answers are not read: one of them may have been the error.
 * @param {Of<'failed' | 'seen'>} step
 */
const isReportedByTurns = ({ seen, failed }) =>
  failed.filter((call) => seen.childrenOf(call).some((child) => isTurn(seen, child))).length >= HIDDEN_SHARE * failed.length;

/** @param {Step['seen']} seen @param {number} call */
const isTurn = ({ lineOf }, call) => isByTurns(lineOf(call)?.connection ?? { protocol: '', calls: 0 });

/** Of the failed. The lab's own choice: the rest, which ended alike, asked nobody else. */
const HIDDEN_SHARE = 0.5;

/** When its connections were open on which something could not be read. */
const unreadOf = once((seen, service) => {
  const unread = seen
    .calleesOf(service)
    .flatMap((to) => seen.lines(service, to))
    .filter(({ connection }) => unreadBytes(connection) > 0);
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

/** At once, while no call for it went wrong. @param {Of<'asked' | 'failed' | 'good' | 'good_s' | 'seen' | 'service' | 'sign' | 'time' | 'took_s'>} step @returns {Why | null} */
export function ownAnswer(step) {
  const { service, asked, failed, sign, seen } = step;
  if ((!isOwn(step) && !isAsSoonAsGood(step)) || isBlind(step) || isReportedByTurns(step)) return null;
  const isAlone = seen.madeBy(service).length === 0;
  const beside = asked.beside.filter(({ calls }) => calls >= failed.length / 2).slice(0, 2);
  const other = otherAnswer(step);
  const after = other === null ? '' : `, after ${other.than} answers of ${other.to} than for good ones`;
  return {
    mechanism: isTurnedAway(step) ? 'turned-away' : 'own-error',
    // A counter that is above a limit is no other answer.
    title: isTurnedAway(step) ? `turned requests away with ${sign}` : `${ended(sign)} by itself${after}`,
    basis: isAlone || asked.good !== null ? 'counted' : 'inferred',
    evidence: [
      endedText(step),
      ...(isAlone || (asked.failed === 0 && asked.good === 0)
        ? [isAlone ? `${service} asks nobody.` : `${service} asks nobody for such requests.`]
        : percent(asked.failed) === percent(asked.good ?? -1)
          ? []
          : [
              `${service} asked somebody for ${percent(asked.failed)} of these${asked.good === null ? '' : `, and for ${percent(asked.good)} of the good ones`}; no call that went badly goes with them.`,
            ]),
      ...(other === null ? [] : [other.evidence]),
      ...(isTurnedAway(step) ? atWork(step) : []),
      ...beside.map(
        (one) =>
          `${counted(one.calls)} calls to ${one.to} were ${ended(one.sign)} beside them: ${percent(one.failed)} of the failed${one.good === null ? '' : ` and ${percent(one.good)} of the good`} have one, and ${percent(one.back)} of them lie in a failed request.`,
      ),
    ],
  };
}

/** How much it had to do of what it takes such requests for: one that is full is busy. @param {Of<'failed' | 'good' | 'seen' | 'service'>} step @returns {string[]} */
function atWork({ seen, service, failed, good }) {
  const callees = askedBy(seen, service, new Set(failed.map((call) => seen.kind[call])));
  if (callees.length === 0 || good.length < GOOD_LEAST) return [];
  const open = callees.map((to) => new Going(seen.onEdge(service, to), seen.began, seen.over));
  const meanAt = (/** @type {number[]} */ calls) =>
    average(some(calls, LOOKED_AT_MOST).map((call) => open.reduce((sum, going) => sum + going.at(seen.began[call] - CLOCK_S), 0)));
  return [
    `When these came it had ${few(meanAt(failed))} calls open to ${callees.join(' and ')}, when good ones came ${few(meanAt(good))}.`,
  ];
}

/** @param {Of<'asked' | 'failed' | 'moments' | 'service' | 'sign' | 'took_s', 'queued'>} step @returns {Why} of requests that it closed or reset, and asked nobody for */
export const brokenOff = ({ service, asked, failed, sign, took_s: took, readings, moments }) => {
  const queue = readings.queued(service, moments);
  return {
    mechanism: 'broken-off',
    basis: 'counted',
    evidence: [
      `${counted(failed.length)} requests in ${service} were ${ended(sign)}, after ${seconds(took)} at the median.`,
      `${service} asked somebody for ${percent(asked.failed)} of them, and for ${percent(asked.good ?? 0)} of the good ones.`,
      ...(queue && queue.most > 0 ? [`Up to ${counted(queue.most)} connections waited to be accepted.`] : []),
    ],
  };
};

/*
 * Had it no connection left to give? A pool that makes nobody wait fails a request at once, without asking anybody.
 */

/** Of the failed, and of the good as a part of that. The lab's own choices. */
const FULL_SHARE = 0.9;
const GOOD_PART = 1 / 3;
/** Of the share of good ones that have a call: joins by order give some by chance. */
const SENT_PART = 0.5;
/** One connection is no pool, and its being busy says little. */
const POOL_LEAST = 2;
/** Of the connections that were in use: most are held, and nothing is asked on them. */
const HELD_SHARE = 0.5;
const LOOKED_AT_MOST = 200;
/** So long before it fails it looks for a connection; as fine as the record's times are. */
const CLOCK_S = 1e-6;

const OWN_LIMIT = 'a limit of its own on requests at a time looks the same, unless a line of its log says which it was';

/** @param {Of<'asked' | 'calm' | 'failed' | 'good' | 'good_s' | 'moments' | 'path' | 'seen' | 'service' | 'sign' | 'took_s'>} step @returns {Why | null} */
export function poolExhausted(step) {
  const { seen, service, asked, failed } = step;
  if ((!isOwn(step) && !isAsSoonAsGood(step)) || asked.good === null || asked.failed > asked.good * SENT_PART || isBlind(step)) return null;
  const callees = askedBy(seen, service, new Set(failed.map((call) => seen.kind[call]))).filter((to) => !step.path.includes(to));
  return callees.map((to) => exhausted(step, to)).find((why) => why !== null) ?? null;
}

/** @param {Of<'asked' | 'calm' | 'failed' | 'good' | 'moments' | 'seen' | 'service' | 'sign'>} step @param {string} to @returns {Why | null} */
function exhausted(step, to) {
  const { seen, service, failed, good, sign } = step;
  const total = mostOpen(seen, service, to);
  if (total < POOL_LEAST) return null;
  const at = usedAt(step, to, failed);
  const isFull = (/** @type {Used} */ { open, used }) => open >= total && used >= open;
  const part = share(at.filter(isFull).length, at.length);
  const goodPart = share(usedAt(step, to, good).filter(isFull).length, Math.min(good.length, LOOKED_AT_MOST));
  if (part < FULL_SHARE || goodPart > part * GOOD_PART) return null;
  const full = at.filter(isFull);
  const mean = (/** @type {(used: Used) => number} */ of) => full.reduce((sum, one) => sum + of(one), 0) / full.length;
  const held = mean((one) => one.held);
  const isHeld = held >= HELD_SHARE * mean(({ used }) => used);
  const slow = slownessOf(step, to);
  const further = onward(to, slow);
  return {
    mechanism: isHeld ? 'pool-held' : 'pool-full',
    title: `${ended(sign)} at once while ${isHeld ? `it held its ${things(total, 'connection')} to ${to} and asked nothing on most of them` : `all its ${things(total, 'connection')} to ${to} were in use`}`,
    basis: isHeld ? 'counted' : 'inferred',
    place: { service, edge: { from: service, to } },
    evidence: [
      `All ${things(total, 'connection')} of ${service} to ${to} were in use when ${percent(part)} of the ${counted(failed.length)} failed requests came, and when ${percent(goodPart)} of the good ones did; it never had more.`,
      ...(isHeld ? [`${few(held)} of them were in a transaction in which nothing was asked.`] : [tookText(to, slow)]),
      `${service} asked somebody for ${percent(step.asked.failed)} of the failed requests, and for ${percent(step.asked.good ?? 0)} of the good ones.`,
    ],
    // Whoever turns requests away by a number of its own does so when it is busy too.
    ...(isHeld ? {} : { ...further, doubts: [OWN_LIMIT, ...(further.doubts ?? [])] }),
  };
}

/**
 * @typedef {{ open: number, used: number, held: number }} Used  connections of the edge when a request came
 * @param {Of<'seen' | 'service'>} step @param {string} to @param {number[]} calls @returns {Used[]}
 */
function usedAt({ seen, service }, to, calls) {
  const at = some(calls, LOOKED_AT_MOST)
    .map((call) => seen.began[call] - CLOCK_S)
    .sort((one, other) => one - other);
  const found = at.map(() => ({ open: 0, used: 0, held: 0 }));
  for (const line of linesOf(seen, service, to))
    for (const index of within(line, at)) {
      const state = stateAt(seen, line, at[index]);
      if (state === null) continue;
      found[index].open += 1;
      if (state !== 'idle') found[index].used += 1;
      if (state === 'held') found[index].held += 1;
    }
  return found;
}

/** Of the load and its warm-up, as far as anything was asked on them. */
const linesOf = once((seen, from, to) =>
  seen
    .lines(from, to)
    .filter(
      ({ calls, connection: { transport, ended_at: ended } }) =>
        transport === 'tcp' && calls.length > 0 && (ended ?? seen.until) >= seen.load.warmupFrom,
    ),
);

/** At a time. */
const mostOpen = once((seen, from, to) => {
  const changes = linesOf(seen, from, to)
    .flatMap(({ connection: { opened_at: opened, ended_at: over } }) => [
      { at: opened, by: 1 },
      ...(over === null ? [] : [{ at: over, by: -1 }]),
    ])
    .toSorted((one, other) => one.at - other.at || one.by - other.by);
  let [open, most] = [0, 0];
  for (const { by } of changes) {
    open += by;
    most = Math.max(most, open);
  }
  return most;
});
