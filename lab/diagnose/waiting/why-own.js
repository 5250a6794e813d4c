/**
 * Of answers that a service gave by itself: its checks of others, its local ports, a limit, a mistake.
 *
 * @typedef {import('./step.js').Step} Step
 * @typedef {import('./step.js').Why} Why
 */

/** @template {keyof Step} Fact @template {keyof Step['readings']} [Read=never] @typedef {import('./step.js').Of<Fact, Read>} Of */

import { grouped } from '../../base/values.js';
import { ascending, upTo } from '../../stats/numbers.js';
import { isByTurns, unreadBytes } from '../../wire/turns.js';
import { some } from '../joins/rules.js';
import { Numbering } from '../joins/spans.js';
import { asks, GOOD_LEAST, once, usageOf } from './asked.js';
import { GOOD } from './seen.js';
import { average, equalTime, Going, leading, share, stateAt, within } from './spread.js';
import { isAsSoonAsGood, isOwn, slownessOf, tookText } from './step.js';
import { counted, ended, endedText, few, lookedUp, percent, seconds, things } from './text.js';
import { otherAnswer } from './why-earlier.js';
import { askedBy, onward } from './why-full.js';
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

/** Calls that no request asked for went wrong, and then the service answered without asking. @param {Of<'failed' | 'good' | 'seen' | 'service' | 'sign' | 'time' | 'took_s'>} step @returns {Why | null} */
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
 * @param {Of<'failed' | 'good' | 'seen' | 'service'>} step @param {number[][]} bad  its checks that failed, by kind
 */
function isAllOut({ seen, service, failed, good }, bad) {
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
  const partOf = (/** @type {number[]} */ calls) => share(calls.filter((call) => isOut(seen.over[call])).length, calls.length);
  const part = partOf(failed);
  // Who asks nobody for them takes nobody out.
  return usual.length > 0 && part > OUT_SHARE && (good.length < GOOD_LEAST || partOf(good) <= part * GOOD_PART);
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
      ...(queue && queue.most > 0 ? [`Up to ${things(queue.most, 'connection')} waited to be accepted.`] : []),
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

/*
 * Did it answer without asking because its last try had failed? Who keeps in mind that a callee turned it away, or did not answer, asks it
 * again only after a while: a pooler that could not log in, a proxy that takes a server out, a breaker in a program.
 */

/** Of the failed, and of the good as a part of that. The lab's own choice. */
const AFTER_SHARE = 0.9;
/** Of the failed, and of the good as a part of that, where others ask on. The lab's own choices. */
const SOME_SHARE = 0.5;
const RARE_PART = 0.05;
/** Longer nobody keeps from trying again: what breakers, poolers and proxies take unless told otherwise is 10 to 60 s. */
const TRIED_S = 60;
/** Whoever works through what came together may ask once more before it takes note. The lab's own choice. */
const SAME_MOMENT_S = 0.01;

/** @typedef {Of<'asked' | 'failed' | 'good' | 'path' | 'seen' | 'service' | 'sign' | 'took_s'>} Tried */

/** @param {Tried} step @returns {Why | null} */
export function triedBefore(step) {
  const { seen, service, failed, good } = step;
  if (!isOwn(step) || isBlind(step)) return null;
  const [usage, kinds] = [usageOf(seen, service), new Set(failed.map((call) => seen.kind[call]))];
  const asked = seen.calleesOf(service).filter((to) => !step.path.includes(to) && asks(usage, kinds, to));
  const survivable = survivableOf(step, asked);
  const callees = asked.filter((to) => !survivable.includes(to));
  const isTheirs = (/** @type {number} */ child) => !survivable.includes(seen.to[child]);
  const askingOf = (/** @type {number[]} */ calls) =>
    share(calls.filter((call) => seen.childrenOf(call).some(isTheirs)).length, calls.length);
  const [failedPart, goodPart] =
    survivable.length === 0 ? [step.asked.failed, step.asked.good] : [askingOf(failed), good.length < GOOD_LEAST ? null : askingOf(good)];
  if (failedPart > (goodPart ?? 1) * SENT_PART) return null;
  return takenOut(step, callees) ?? callees.map((to) => triedAt(step, to)).find((why) => why !== null) ?? null;
}

/**
 * Callees whose bad calls good requests survive, since another is asked after them: with those alone a request fails since the other is not asked.
 * @param {Pick<Tried, 'good' | 'seen'>} step @param {string[]} callees
 */
function survivableOf({ seen, good }, callees) {
  const { began, over, sign, to: toOf } = seen;
  return callees.filter((to) => {
    const after = good.flatMap((call) => {
      const children = seen.childrenOf(call);
      const bad = children.filter((child) => toOf[child] === to && sign[child] !== GOOD);
      return bad.length === 0
        ? []
        : [children.some((child) => toOf[child] !== to && sign[child] === GOOD && bad.some((one) => began[child] >= over[one]))];
    });
    return after.length >= GOOD_LEAST && share(after.filter(Boolean).length, after.length) >= AFTER_SHARE;
  });
}

/**
 * Whether all that went badly for them is what good ones survive, and whom those were answered by was not asked.
 * @param {Tried} step
 */
export function isSurvivable(step) {
  const { seen, asked } = step;
  const bad = [...new Set(asked.edges.map(({ to }) => to))];
  return bad.length > 0 && survivableOf({ seen, good: step.good }, bad).length === bad.length && triedBefore(step) !== null;
}

/**
 * All that it asks had failed before at requests of another kind, while those of this kind go well there: they would have done so now too.
 * @param {Of<'failed' | 'good' | 'seen' | 'service'>} step @param {string[]} callees @returns {Why | null}
 */
function takenOut({ seen, service, failed, good }, callees) {
  const { began, over, kind, sign, to: toOf } = seen;
  const bads = callees.map((to) => ({ to, lastBad: lastBadOf(seen, service, to) }));
  const outAll = (/** @type {number} */ call) => bads.every(({ lastBad }) => lastBad(call) !== null);
  const part = share(failed.filter(outAll).length, failed.length);
  const goodPart = share(good.filter(outAll).length, good.length);
  if (good.length < GOOD_LEAST || callees.length === 0 || part < AFTER_SHARE || goodPart > part * GOOD_PART) return null;
  const out = failed.filter(outAll);
  const before = bads.map(({ to, lastBad }) => ({ to, calls: [...new Set(out.flatMap((call) => lastBad(call) ?? []))] }));
  const tries = before.flatMap(({ calls }) => calls);
  const asked = good.flatMap((call) => seen.childrenOf(call).filter((child) => callees.includes(toOf[child]) && sign[child] === GOOD));
  // Who answers nobody any more fails whatever is asked: the others were answered there while the tries went on.
  const isWithin = (/** @type {number} */ child, /** @type {number} */ one) => began[child] >= began[one] && over[child] <= over[one];
  const answers = (/** @type {{ to: string, calls: number[] }} */ { to, calls }) =>
    asked.some((child) => toOf[child] === to && calls.some((one) => isWithin(child, one)));
  if (!before.every(answers)) return null;
  const kinds = new Set(asked.map((call) => kind[call]));
  if (kinds.size === 0 || tries.some((call) => seen.isAttempt(call) || kind[call] === '' || kinds.has(kind[call]))) return null;
  const sinceLast = (/** @type {number} */ call) => Math.min(...bads.map(({ lastBad }) => began[call] - over[lastBad(call) ?? call]));
  const longest = out.reduce((most, call) => Math.max(most, sinceLast(call)), 0);
  const others = [...new Set(tries.map((call) => kind[call]))].slice(0, KINDS_SHOWN).join(', ');
  return {
    mechanism: 'checks-failed',
    title: `took ${callees.toSorted().join(', ')} out after requests of another kind (${others}) had failed there`,
    basis: 'counted',
    place: { service },
    evidence: [
      ...before.map(
        ({ to, calls }) =>
          `${counted(calls.length)} calls of ${service} to ${to} (${others}) were ${ended(sign[calls[0]])} before it asked ${to} no more.`,
      ),
      `${percent(part)} of the failed requests, and ${percent(goodPart)} of the good ones, came while ${service} asked none of them, up to ${seconds(longest)} after the last such call.`,
      `When ${service} asked for requests of this kind, ${counted(asked.length)} went well.`,
    ],
  };
}

const KINDS_SHOWN = 3;

/**
 * Statuses by which a server says that something is wrong with the request, and not with itself: proxies take nobody out for them unless they
 * are told to. 408 and 429 are about its time and its load.
 * @param {string} sign
 */
const isAboutRequest = (sign) => /^4\d\d$/.test(sign) && sign !== '408' && sign !== '429';

/** @param {Of<'failed' | 'good' | 'seen' | 'service'>} step @param {string} to @returns {Why | null} */
function triedAt({ seen, service, failed, good }, to) {
  const { began, over, sign } = seen;
  const lastBad = lastBadOf(seen, service, to, (sign) => !isAboutRequest(sign));
  const lasts = failed.map(lastBad);
  const before = [...new Set(lasts)].filter((last) => last !== null);
  const part = share(lasts.filter((last) => last !== null).length, failed.length);
  const goodPart = share(good.filter((call) => lastBad(call) !== null).length, good.length);
  const isMost = part >= AFTER_SHARE && goodPart <= part * GOOD_PART;
  // Each worker of a proxy keeps its own tries in mind, so that others ask on meanwhile.
  const isOfSome =
    part >= SOME_SHARE && goodPart <= part * RARE_PART && share(failed.filter(lastBad.isAfter).length, failed.length) >= AFTER_SHARE;
  if (!(isMost || isOfSome) || before.length < LED_PART * alikeOf(seen, service, to, before)) return null;
  const longest = lasts.reduce(
    (/** @type {number} */ most, last, place) => (last === null ? most : Math.max(most, began[failed[place]] - over[last])),
    0,
  );
  const text = `${percent(part)} of the failed requests, and ${percent(goodPart)} of the good ones, came after a try of ${to}${lookedUp(seen, before)} that was ${ended(sign[before[0]])} and before the next, up to ${seconds(longest)} later`;
  const unknown = [
    ...(good.length > 0 ? [] : [`no such request went well in ${service}: whether it asks ${to} for them is not known`]),
    ...(isMost
      ? []
      : [
          `${percent(1 - part)} of the failed requests came while ${service} asked ${to} for others: that each of its workers keeps its own tries in mind is inferred`,
        ]),
  ];
  const doubts = unknown.length > 0 ? { doubts: unknown } : {};
  const around = answersAround(seen, service, to, before);
  if (around !== null)
    return {
      mechanism: 'checks-failed',
      title: `asked ${to} no more for up to ${seconds(longest)} after ${before.length === 1 ? 'one call' : 'single calls'} had failed there, though others were answered`,
      basis: unknown.length > 0 ? 'inferred' : 'counted',
      place: { service, edge: { from: service, to } },
      evidence: [
        `${text}.`,
        `${counted(before.length)} such ${before.length === 1 ? 'try was' : 'tries were'} ${ended(sign[before[0]])}, for ${counted(failed.length)} failed requests; of the ${counted(around.others)} other calls that ${to} had within ${SURE_S} s of one it answered ${percent(around.good)}.`,
      ],
      ...doubts,
    };
  return {
    ...{ mechanism: null, basis: 'inferred', onTo: to, tried: before },
    evidence: [`${text}; ${service} asked nobody for them.`],
    ...doubts,
  };
}

/** How many such tries there were, whatever came after them. @param {Step['seen']} seen @param {string} from @param {string} to @param {number[]} tries */
function alikeOf({ onEdge, kind, sign, began, load }, from, to, tries) {
  const kinds = new Set(tries.map((call) => kind[call]));
  return onEdge(from, to).filter((call) => began[call] >= load.warmupFrom && sign[call] !== GOOD && kinds.has(kind[call])).length;
}
/** Of them, after which nobody was asked: of what fails all the time, one is the last by chance. The lab's own choice. */
const LED_PART = 0.2;

/**
 * Who answers nearly all else in the second before such a try, and as soon as it is asked again, could have answered what came meanwhile too.
 * @param {Step['seen']} seen @param {string} from @param {string} to @param {number[]} tries
 * @returns {{ others: number, good: number } | null} null where it could not, or was asked no more
 */
function answersAround(seen, from, to, tries) {
  const { began, over, sign, kind } = seen;
  // Who logs nobody in any more may answer those that are.
  const kinds = new Set(tries.map((call) => kind[call]));
  if (tries.some(seen.isAttempt)) return null;
  const all = seen.onEdge(from, to).filter((call) => kinds.has(kind[call]));
  const own = new Set(tries);
  const begunIn = (/** @type {number} */ since, /** @type {number} */ until) =>
    all.slice(
      leading(all, (call) => began[call] < since),
      leading(all, (call) => began[call] <= until),
    );
  const sides = some(tries, LOOKED_AT_MOST).flatMap((call) => {
    const next = all[leading(all, (one) => began[one] <= over[call] + SAME_MOMENT_S)];
    if (next === undefined) return [];
    return [[begunIn(over[call] - SURE_S, over[call]).filter((one) => !own.has(one)), begunIn(began[next], began[next] + SURE_S)]];
  });
  const isFine = (/** @type {number[]} */ calls) =>
    calls.length >= GOOD_LEAST && share(calls.filter((one) => sign[one] === GOOD).length, calls.length) >= AFTER_SHARE;
  const fine = sides.filter((both) => both.every(isFine));
  if (sides.length === 0 || share(fine.length, sides.length) < AFTER_SHARE) return null;
  const others = [...new Set(sides.flat(2))].filter((one) => !own.has(one));
  return { others: others.length, good: share(others.filter((one) => sign[one] === GOOD).length, others.length) };
}
/** About a try. The lab's own choice. */
const SURE_S = 1;

/**
 * The bad call to a callee after which none was begun before a request came; null where there is none. What was begun before it ended may have
 * gone well after it.
 * @param {Step['seen']} seen @param {string} from @param {string} to @param {(sign: string) => boolean} [isSuch]  of bad ones, those that count
 * @returns {((call: number) => number | null) & { isAfter: (call: number) => boolean }} isAfter: whether there was such a call at all, of late
 */
function lastBadOf(seen, from, to, isSuch = () => true) {
  const { began, over, sign } = seen;
  const tries = seen.onEdge(from, to);
  const bad = tries.filter((one) => sign[one] !== GOOD && isSuch(sign[one])).toSorted((one, other) => over[one] - over[other]);
  const lately = (/** @type {number} */ call) => {
    const last = bad[leading(bad, (one) => over[one] <= began[call]) - 1];
    return last !== undefined && over[last] >= began[call] - TRIED_S ? last : null;
  };
  const lastBad = (/** @type {number} */ call) => {
    const last = lately(call);
    return last === null || begunBetween(seen, tries, over[last] + SAME_MOMENT_S, began[call]) > 0 ? null : last;
  };
  return Object.assign(lastBad, { isAfter: (/** @type {number} */ call) => lately(call) !== null });
}
