/**
 * What happened behind a service that keeps no record of its requests, at the time at which one of them failed there, or in the time in
 * which it gave no good answer to any.
 */

import { FIRST_SERVER_ERROR } from '../../wire/contract.js';
import { countedBy, saidBy, saidOf } from './counters.js';
import { crashDuring, ENDS, endOf, overlapping, placed, rule, tierOf } from './place.js';

/**
 * Intervals in which a service behind a proxy had requests and no successful response, by the proxy's record. Something held it, or it was slow by itself; the interval does not say which.
 *
 * @typedef {{ from: number, to: number }} NoSuccessInterval  seconds since 1970
 */

/** Shorter times without a good answer are no news where requests come by the second; the lab's own choice. */
const NO_SUCCESS_S = 1;
/** Of the requests, that the proxy has to have on record: of those that it leaves out nobody knows whether they were answered well. */
const COVERED_SHARE = 0.9;
/** Of a request's wait, that has to lie in such an interval; the lab's own choice. */
const INSIDE_SHARE = 0.5;

/**
 * @param {Pick<import('./hop-records.js').EntryProxy, 'requestRecords'> | null} entryProxy
 * @param {number} finished  requests of the load
 * @param {import('../time/window.js').Window} window
 * @returns {Map<string, NoSuccessInterval[]>} of each service that the proxy asked, also of one that has none; empty where too little is on record
 */
export function noSuccessIntervals(entryProxy, finished, window) {
  if (!entryProxy || entryProxy.requestRecords.length < finished * COVERED_SHARE) return new Map();
  /** @type {Map<string, Visit[]>} */
  const visits = new Map();
  for (const { received, ended, asked } of entryProxy.requestRecords) {
    const last = asked.at(-1);
    if (!last) continue;
    const own = visits.get(last.to) ?? [];
    visits.set(last.to, own);
    // An answer that broke off has a status too, and who refuses what a user asks for is not held.
    const isGood = last.message === null && last.status !== null && last.status < FIRST_SERVER_ERROR;
    own.push({ from: received, to: ended ?? window.to, isGood });
  }
  return new Map([...visits].map(([name, own]) => [name, noSuccessAt(own, window)]));
}

/**
 * Whether a service was held for most of a time.
 * @type {(facts: { noSuccess: Map<string, NoSuccessInterval[]> }, name: string, span: { from: number, to: number }) => NoSuccessInterval | undefined}
 */
export const heldWithoutSuccess = ({ noSuccess }, name, { from, to }) =>
  noSuccess.get(name)?.find((interval) => Math.min(interval.to, to) - Math.max(interval.from, from) >= (to - from) * INSIDE_SHARE);

/** @typedef {{ from: number, to: number, isGood: boolean }} Visit  a request that the service had, or that waited for it */

/** @param {Visit[]} visits @param {import('../time/window.js').Window} window @returns {NoSuccessInterval[]} */
function noSuccessAt(visits, window) {
  const answered = visits.filter(({ isGood }) => isGood).map(({ to }) => to);
  const moments = [window.from, ...answered, window.to].sort((one, other) => one - other);
  const gaps = moments.slice(1).map((to, index) => ({ from: moments[index], to }));
  const busy = joined(visits);
  return gaps.filter(isLongEnough).flatMap((gap) => busy.map((time) => shared(time, gap)).filter(isLongEnough));
}

/** What two times have in common; where that is nothing, it ends before it begins. @type {(one: NoSuccessInterval, other: NoSuccessInterval) => NoSuccessInterval} */
const shared = (one, other) => ({ from: Math.max(one.from, other.from), to: Math.min(one.to, other.to) });

/** @param {NoSuccessInterval} time */
const isLongEnough = ({ from, to }) => to - from >= NO_SUCCESS_S;

/** Times in which it had any. @param {Visit[]} visits @returns {NoSuccessInterval[]} */
function joined(visits) {
  /** @type {NoSuccessInterval[]} */
  const times = [];
  for (const { from, to } of visits.toSorted((one, other) => one.from - other.from)) {
    const last = times.at(-1);
    if (last && from <= last.to) last.to = Math.max(last.to, to);
    else times.push({ from, to });
  }
  return times;
}

/** @typedef {[import('../../adapters/contract.js').Signal, string][]} Words  what a service says, to the cause that it is a sign of */

/** What a service may say that explains a failure before it. Each message accounts for one failure. @type {Words} */
const TELLING = [
  ['out-of-memory', 'out-of-memory'],
  ['worker-died', 'worker-crashed'],
  ['connections-exhausted', 'database-refused'],
  ['pool-wait-timeout', 'pool-wait-timeout'],
  ['server-error', 'database-error'],
];
/** What a service may count and not log. That it answered commands with errors is not among them: some are what a program expects. @type {Words} */
const COUNTED = [
  ['out-of-memory', 'out-of-memory'],
  ['connections-exhausted', 'database-refused'],
];
/** What a program says of a store that it asked. @type {Words} */
const REPORTED_OF = [
  ['connection_refused', 'database-refused'],
  ['connection_terminated', 'database-lost'],
  ['connection_timeout', 'database-unreachable'],
];
/** What of it keeps others waiting: said in such an interval, it explains all that waited. Who is told of an error waits no longer. @type {Words} */
const HOLDING = [
  ['connections-exhausted', 'database-refused'],
  ['pool-wait-timeout', 'pool-wait-timeout'],
];
/** Of a failed request's time, or of an interval without success, what took as long explains it; the lab's own choice. */
const LONG_SHARE = 0.5;
/** The engine's time of a line, and the end of the request that it explains, lie so far apart. */
const APART_S = 1;
/** Of statements as long, so many have to begin in such intervals: what is usual while a service answers well holds nobody. The lab's own choice. */
const UNUSUAL_SHARE = 0.5;

/** @typedef {import('./place.js').Span} Span */
/** @typedef {import('./place.js').RuleFacts} RuleFacts */

/** By what was said as it failed. */
export const reportedBehind = rule('behind', {
  id: 'told-behind',
  says: [...ENDS, ...[TELLING, COUNTED, REPORTED_OF].flatMap((words) => words.map(([, cause]) => cause)), 'database-slow'],
  facts: ['restarts', 'tiers', 'edges', 'noSuccess', 'counters'],
  apply({ service, isSlow, from, to }, facts) {
    const { counters } = facts;
    const interval = heldWithoutSuccess(facts, service, { from, to });
    const behind = furthestFirst(facts, service);
    const took = (/** @type {string} */ name, /** @type {import('../../adapters/contract.js').Signal} */ signal, leastS = 0) =>
      counters.take(saidBy(name, signal), from - APART_S, to + APART_S, leastS);
    for (const name of behind) {
      const at = atService(facts, name);
      const crash = crashDuring(facts, name, { from, to });
      if (crash) return at(crash);
      if (took(name, 'shut-down')) return at(endOf(tierOf(facts, name)));
      const word = TELLING.find(([signal]) => took(name, signal));
      if (word) return at(word[1]);
      const count = COUNTED.find(([signal]) => counters.take(countedBy(name, signal), from - APART_S, to + APART_S));
      if (count) return placed({ tier: tierOf(facts, name), service: name, cause: count[1] }, 'counted', 'counted');
      const callers = loneCallersOf(facts, name, behind);
      if (callers.some((caller) => took(caller, 'connection_refused'))) return at('database-refused');
      // The program that failed the request may say itself whom it could not reach.
      const own =
        isStore(facts, name) && REPORTED_OF.find(([signal]) => counters.take(saidOf(service, signal, name), from - APART_S, to + APART_S));
      if (own) return at(own[1]);
      if (interval && isRefusedIn(counters, callers, interval)) return at('database-refused');
      // Statements that are slow as they always are explain no answer that took much longer.
      if (isSlow && took(name, 'slow', Math.max((to - from) * LONG_SHARE, Number.MIN_VALUE))) return at('database-slow');
    }
    return null;
  },
});

/** By what the service reports in a time in which it gave no good answer. */
export const heldBehind = rule('behind', {
  id: 'held-behind',
  says: [],
  facts: ['noSuccess'],
  asks: ['held'],
  apply({ service, isSlow, from, to }, facts, ask) {
    const interval = heldWithoutSuccess(facts, service, { from, to });
    const hasWaited = isSlow || to - from >= NO_SUCCESS_S;
    return interval && hasWaited ? ask.held({ service, interval, from, to }) : null;
  },
});

/** By what was said in a time in which the service gave no good answer: it explains every request that waited in it. */
export const reportedInInterval = rule('held', {
  id: 'told-in-spell',
  says: [...ENDS, ...HOLDING.map(([, cause]) => cause), 'database-slow', 'stood-still'],
  facts: ['restarts', 'tiers', 'stalls', 'edges', 'noSuccess', 'counters'],
  apply({ service, interval, from, to }, facts) {
    const { counters } = facts;
    const behind = furthestFirst(facts, service);
    for (const name of behind) {
      const at = atService(facts, name);
      const crash = crashDuring(facts, name, { from, to });
      if (crash) return at(crash);
      if (overlapping(facts.stalls, name, { from, to })) return at(tierOf(facts, name) === 'database' ? 'database-slow' : 'stood-still');
      if (isRefusedIn(counters, loneCallersOf(facts, name, behind), interval)) return at('database-refused');
      const word = HOLDING.find(([signal]) => counters.began(saidBy(name, signal)).some(within(interval)));
      if (word) return at(word[1]);
      if (isSlowIn(facts, { service, name, interval })) return at('database-slow');
    }
    return null;
  },
});

/** Proxies speak of programs in the same words, and then it is no store. @type {(facts: Pick<RuleFacts, 'tiers'>, name: string) => boolean} */
const isStore = (facts, name) => !['load-balancer', 'app'].includes(tierOf(facts, name));

/** @type {(facts: Pick<RuleFacts, 'tiers'>, name: string) => (cause: string) => import('./place.js').Placement} */
const atService = (facts, name) => (cause) => placed({ tier: tierOf(facts, name), service: name, cause }, 'timed', 'timed');

/** What began after an interval is not its cause. @type {(interval: Span) => (moment: number) => boolean} */
const within =
  ({ from, to }) =>
  (moment) =>
    moment >= from - APART_S && moment <= to;

/** One refusal to a pool is one to all who wait for it. @type {(counters: import('./counters.js').Counters, callers: string[], interval: Span) => boolean} */
const isRefusedIn = (counters, callers, interval) =>
  callers.some((caller) => counters.began(saidBy(caller, 'connection_refused')).some(within(interval)));

/** Whether statements that took most of an interval began in it. @type {(facts: Pick<RuleFacts, 'noSuccess' | 'counters'>, about: { service: string, name: string, interval: Span }) => boolean} */
function isSlowIn({ noSuccess, counters }, { service, name, interval }) {
  const began = counters.began(saidBy(name, 'slow'), (interval.to - interval.from) * LONG_SHARE);
  if (!began.some(within(interval))) return false;
  const inIntervals = began.filter((moment) => noSuccess.get(service)?.some((other) => within(other)(moment)));
  return inIntervals.length >= began.length * UNUSUAL_SHARE;
}

/**
 * Services behind that ask it and nobody else, so that what they say of whom they ask is about it.
 * @type {(facts: Pick<RuleFacts, 'edges'>, name: string, behind: string[]) => string[]}
 */
function loneCallersOf({ edges }, name, behind) {
  const asks = (/** @type {string} */ caller) => edges.filter(({ from }) => from === caller).map(({ to }) => to);
  return behind.filter((caller) => asks(caller).includes(name) && asks(caller).length === 1);
}

/** Services behind one, by who asks whom. @param {Pick<RuleFacts, 'edges'>} facts @param {string} service */
function furthestFirst({ edges }, service) {
  const found = /** @type {string[]} */ ([]);
  let layer = [service];
  while (layer.length > 0) {
    layer = [...new Set(edges.filter(({ from }) => layer.includes(from)).map(({ to }) => to))].filter(
      (to) => to !== service && !found.includes(to),
    );
    found.push(...layer);
  }
  return found.reverse();
}
