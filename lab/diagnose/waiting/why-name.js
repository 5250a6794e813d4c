/**
 * Did it wait for the address of a name, or was it told none? A lookup stands on the wire where the engine's own resolver asks others for it;
 * what that resolver answers by itself, its sockets alone tell of.
 */

import { GENERATOR_NAME } from '../../base/paths.js';
import { grouped } from '../../base/values.js';
import { ascending, upTo } from '../../stats/numbers.js';
import { HOST, NAMES } from '../../wire/tenancy.js';
import { some } from '../joins/rules.js';
import { asks, GOOD_LEAST, once, usageOf } from './asked.js';
import { GOOD } from './seen.js';
import { equalTime, leading, middle, share } from './spread.js';
import { areOthersQuick, calmAt, EVERY_S, isAsSoonAsGood, isOwn, slownessOf, tookText } from './step.js';
import { counted, ended, MECHANISMS, percent, seconds, things, throttled } from './text.js';
import { isBlind } from './why-own.js';

/**
 * Was it a host outside of the stack that a service waited for? Nothing of such a host is read, so that the way ends there: the place is the
 * service that asked, on that edge.
 *
 * @typedef {import('./step.js').Step} Step
 * @typedef {import('./step.js').Why} Why
 */

/** @template {keyof Step} Fact @template {keyof Step['readings']} [Read=never] @typedef {import('./step.js').Of<Fact, Read>} Of */

/** Nothing came back for these. */
const SILENT = new Set(['given-up', 'unanswered', 'open']);

/** The walk has come to a host outside. @param {Of<'caller' | 'calm' | 'equal_s' | 'failed' | 'good' | 'moments' | 'seen' | 'service' | 'sign'>} step @returns {Why | null} */
export function outside(step) {
  const { seen, service, caller, failed, sign, equal_s: equal } = step;
  // A port that this machine publishes may lead back into the stack.
  if (!seen.outside.has(service) || caller === GENERATOR_NAME || seen.calleesOf(service).length > 0) return null;
  const whom = `${service === HOST ? 'this machine' : service}, outside of the stack`;
  const isSilent = SILENT.has(sign);
  const slow = slownessOf({ seen, service: caller, moments: step.moments, calm: step.calm }, service);
  const place = { service: caller, edge: { from: caller, to: service } };
  const said = `${counted(failed.length)} calls of ${caller} to ${service} were ${ended(sign)}${equal === null ? '' : `, each after ${seconds(equal)}`}.`;
  const evidence = [said, tookText(service, slow), `${service} is no container of the stack: why it did so is not on record.`];
  if (sign !== GOOD && !isSilent)
    return { mechanism: 'outside-failed', title: `had its calls to ${whom}, ${ended(sign)}`, basis: besideGood(step), place, evidence };
  const isKnown = slow.isCalm && !slow.isSlower && !isSilent;
  return {
    mechanism: 'outside-slow',
    title: `waited for ${whom}`,
    basis: isKnown ? 'inferred' : isSilent ? besideGood(step) : 'timed',
    place,
    evidence,
    ...(isKnown ? { doubts: [`${service} took no longer than in calm seconds`] } : {}),
  };
}

/** What no call was spared of may be usual there. @param {Of<'good'>} step @returns {import('./step.js').Basis} */
const besideGood = ({ good }) => (good.length < GOOD_LEAST ? 'inferred' : 'counted');

/** Of the failed: an answer has to be that of most of them. */
const MOST = 0.5;
/** Of the share among the failed. */
const GOOD_PART = 1 / 3;
/** Fewer calm moments tell little: a second of them. */
const CALM_LEAST = 2;
/** A lookup that takes so long was not answered by the first that was asked, or by nobody near. The lab's own choice. */
const SLOW_LOOKUP_S = 0.5;
/** Lookups that wait at a time, as a middle: a quick one is seldom met by a reading once a second. */
const LOOKUPS_LEAST = 1;
const LOOKUPS_TIMES = 3;
const NAMES_SHOWN = 3;

/** The walk has come to whom names are asked of, outside of the stack; one within it is a service like others. @param {Of<'caller' | 'calm' | 'failed' | 'good' | 'moments' | 'seen' | 'service' | 'sign'>} step @returns {Why | null} */
export function lookupFailed(step) {
  const { seen, service, caller, failed, sign } = step;
  if (!seen.outside.has(service)) return null;
  const lookups = failed.filter((call) => isLookup(seen, call));
  if (lookups.length <= failed.length * MOST) return null;
  if (sign === GOOD && !slownessOf({ seen, service: caller, moments: step.moments, calm: step.calm }, service).isSlower) return null;
  return { ...whyOf(step, caller, lookups), basis: besideGood(step), place: { service: caller, edge: { from: caller, to: service } } };
}

/**
 * Requests stood in a service, or it failed them by itself, while a lookup of it went wrong within most of them, and within few good ones.
 * @param {Of<'calm' | 'failed' | 'good' | 'lost' | 'meanwhile' | 'moments' | 'seen' | 'service' | 'time' | 'took_s', 'strain'>} step @returns {Why | null}
 */
export const nameUnanswered = (step) => lookupWithin(step) ?? lookupsWaiting(step);

/** @param {Of<'calm' | 'failed' | 'good' | 'lost' | 'meanwhile' | 'moments' | 'seen' | 'service' | 'time' | 'took_s'>} step @returns {Why | null} */
function lookupWithin(step) {
  const { seen, service, failed, good, time, calm } = step;
  const bad = badLookups(seen, service);
  if (bad.length === 0) return null;
  const begins = bad.map((call) => seen.began[call]);
  const hasOne = (/** @type {number} */ call) => upTo(begins, seen.over[call]) > upTo(begins, seen.began[call]);
  const part = share(failed.filter(hasOne).length, failed.length);
  const goodPart = good.length < GOOD_LEAST ? null : share(good.filter(hasOne).length, good.length);
  if (part < MOST || (goodPart ?? 0) > part * GOOD_PART) return null;
  // What goes on at the same pace in calm seconds lies in whatever takes long.
  const isCalm = calmAt(calm);
  const [still, during] = [begins.filter(isCalm), begins.filter((at) => at >= time.from && at <= time.to && !isCalm(at))];
  const pace = during.length / Math.max(time.to - time.from, EVERY_S);
  if (calm.length >= CALM_LEAST && still.length / (calm.length * EVERY_S) > pace * GOOD_PART) return null;
  const isLifted = goodPart !== null || calm.length >= CALM_LEAST;
  const theirs = bad.filter((call) => seen.began[call] >= time.from && seen.began[call] <= time.to);
  // Fewer than the failed lie in what takes long by chance, unless all wait for the same.
  if (theirs.length < failed.length * MOST && areOthersQuick(step)) return null;
  const why = whyOf(step, service, theirs);
  return {
    ...why,
    basis: isLifted ? 'counted' : 'inferred',
    place: { service },
    evidence: [
      ...why.evidence,
      `One lies in ${percent(part)} of the failed requests${goodPart === null ? '' : ` and in ${percent(goodPart)} of the good ones`}.`,
    ],
    ...(isLifted ? {} : { doubts: ['no request went well and no second was calm: whether lookups fail as often then is not known'] }),
  };
}

/** In the order of their beginnings. */
const badLookups = once((seen, service) =>
  seen
    .madeBy(service)
    .filter((call) => isLookup(seen, call) && (seen.sign[call] !== GOOD || seen.over[call] - seen.began[call] >= SLOW_LOOKUP_S)),
);

/**
 * What the engine's own resolver answers, or does not, is on no network: there the sockets tell, which wait for it.
 * @param {Of<'calm' | 'moments' | 'service', 'strain'>} step @returns {Why | null}
 */
function lookupsWaiting({ readings, service, moments, calm }) {
  const now = readings.strain(service, moments).lookups;
  const before = calm.length < CALM_LEAST ? null : readings.strain(service, calm).lookups;
  if (now === null || now < LOOKUPS_LEAST || (before !== null && before * LOOKUPS_TIMES > now)) return null;
  return {
    mechanism: 'name-unanswered',
    title: 'waited for names to be looked up',
    basis: before === null ? 'inferred' : 'timed',
    evidence: [
      `${counted(now)} lookups of names of ${service} waited for an answer at a time${before === null ? '' : `, in calm seconds ${counted(before)}`}.`,
      'They were asked of a resolver within its own network namespace, whose answers are not on record.',
    ],
    ...(before === null ? { doubts: ['no second of the load was calm, so that its usual lookups are not known'] } : {}),
  };
}

/** @param {Step['seen']} seen @param {number} call */
const isLookup = (seen, call) => seen.lineOf(call)?.connection.protocol === NAMES;

/** @param {Of<'seen'>} step @param {string} asker @param {number[]} lookups @returns {Pick<Why, 'mechanism' | 'title' | 'evidence'>} */
function whyOf({ seen }, asker, lookups) {
  const ways = [...grouped(lookups, (call) => JSON.stringify([seen.calls[call].template, seen.sign[call]])).values()]
    .toSorted((one, other) => other.length - one.length)
    .slice(0, NAMES_SHOWN);
  const [most] = ways;
  const name = seen.calls[most[0]].template;
  return {
    mechanism: 'name-unanswered',
    title: SILENT.has(seen.sign[most[0]])
      ? `got no answer when it asked for the address of ${name}`
      : `could not look ${name} up, or waited for it`,
    evidence: ways.map((calls) => {
      const [call] = calls;
      const after = equalTime(calls.map((one) => seen.over[one] - seen.began[one]));
      return `${counted(calls.length)} lookups of ${seen.calls[call].template} by ${asker} at ${seen.to[call]} were ${ended(seen.sign[call])}${after === null ? '' : `, after ${seconds(after)}`}.`;
    }),
  };
}

/*
 * Is it one kind of call that is slow, and nothing else?
 */

/** Shorter ones are over before anybody notices. */
const SLOW_LEAST_S = 0.1;

/**
 * What is slow takes as long as there is to do; what gives up takes one length, and fails.
 * @param {Of<'caller' | 'seen' | 'service'>} step @param {number[]} calls  of the slow kind @returns {string | null} a title; null where they just took long
 */
function ranOutIn({ seen, service, caller }, calls) {
  const { began, over, sign, kind } = seen;
  const refused = calls.filter((call) => seen.calls[call].end === 'answered' && sign[call] !== GOOD);
  const equal = equalTime(refused.map((call) => over[call] - began[call]));
  const kinds = new Set(calls.map((call) => kind[call]));
  const good = seen.onEdge(caller, service).filter((call) => kinds.has(kind[call]) && sign[call] === GOOD);
  const usual = middle(good.map((call) => over[call] - began[call]));
  if (refused.length <= MOST * calls.length || equal === null || good.length < GOOD_LEAST || equal < SLOW_TIMES * usual) return null;
  return `waited ${seconds(equal)} each time for something that is not on record, such as a lock or a file, and then ${ended(sign[refused[0]])}`;
}

/**
 * Others go on being answered as ever: it is that statement, command or URL. Where it leaves no room for others, those of calm seconds stand
 * for them, if it is none of calm seconds itself.
 * @param {Of<'caller' | 'calm' | 'meanwhile' | 'seen' | 'service'>} step @returns {Why | null}
 */
export const slowKind = (step) => slowest(step)?.why ?? null;

/** @param {Of<'caller' | 'calm' | 'meanwhile' | 'seen' | 'service'>} step @returns {{ kind: string, why: Why } | null} */
function slowest(step) {
  const { seen, service, caller, meanwhile } = step;
  const isAnswered = (/** @type {number} */ call) => seen.calls[call].end === 'answered';
  const during = meanwhile.filter((call) => isAnswered(call) || isLeft(seen, call));
  const took = (/** @type {number[]} */ calls) => calls.map((call) => seen.over[call] - seen.began[call]);
  const rows = [...grouped(during, (call) => seen.kind[call])].map(([kind, calls]) => ({
    kind,
    calls,
    sum: calls.reduce((sum, call) => sum + (seen.over[call] - seen.began[call]), 0),
  }));
  const [most] = rows.toSorted((one, other) => other.sum - one.sum);
  if (!most || most.kind === '' || most.sum < MOST * rows.reduce((sum, row) => sum + row.sum, 0)) return null;
  const slow = middle(took(most.calls));
  if (slow < SLOW_LEAST_S) return null;
  const beside = during.filter((call) => seen.kind[call] !== most.kind);
  const isBeside = Math.min(most.calls.length, beside.length) >= OTHERS_LEAST;
  const others = isBeside ? beside : calmCalls(step);
  if (others.length < OTHERS_LEAST || (!isBeside && others.some((call) => seen.kind[call] === most.kind))) return null;
  const quick = middle(took(others));
  if (slow < SLOW_TIMES * quick) return null;
  const theirs = share(most.calls.filter((call) => seen.from[call] === caller).length, most.calls.length);
  const one = most.calls.length === 1 ? 'one' : 'each';
  const left = most.calls.filter((call) => !isAnswered(call)).length;
  const isMostLeft = left > MOST * most.calls.length;
  const ranOut = ranOutIn(step, most.calls);
  /** @type {Why} */
  const why = {
    mechanism: ranOut === null ? 'slow-kind' : 'own-wait',
    title:
      ranOut ??
      (isMostLeft ? `left ${one} ${most.kind} unanswered, for ${seconds(slow)} so far` : `took ${seconds(slow)} for ${one} ${most.kind}`),
    // Why none came is not told by that.
    basis: isBeside && !isMostLeft ? 'counted' : 'inferred',
    evidence: [
      `${things(most.calls.length, 'call')} ${most.kind} took ${seconds(slow)} at ${service}, ${percent(theirs)} of them for ${caller}${left > 0 ? `; ${counted(left)} got no answer` : ''}.`,
      isBeside
        ? `${counted(others.length)} other calls took ${seconds(quick)} in the same time.`
        : `Calls took ${seconds(quick)} in calm seconds, of which none was ${most.kind}.`,
    ],
  };
  return { kind: most.kind, why };
}

/**
 * Short of CPU, which spares no kind of call: the one that takes long beside others, and had not in calm seconds, is what it works on.
 * @param {Of<'caller' | 'calm' | 'meanwhile' | 'moments' | 'seen' | 'service', 'use'>} step @returns {Why | null}
 */
export function throttledFor(step) {
  const why = throttled(step);
  const slow = why === null ? null : slowest(step);
  if (why === null || slow?.why.mechanism !== 'slow-kind' || slow.why.basis !== 'counted') return why;
  const usual = calmCalls(step).filter((call) => step.seen.kind[call] === slow.kind);
  if (usual.length < OTHERS_LEAST) return why;
  const took = middle(usual.map((call) => step.seen.over[call] - step.seen.began[call]));
  return {
    ...why,
    title: `${MECHANISMS['cpu-throttled'].title}, and ${slow.why.title} (in calm seconds ${seconds(took)})`,
    evidence: [...why.evidence, ...slow.why.evidence],
  };
}

/** It was still waited for when the recording ended, or until its caller gave up. @param {Step['seen']} seen @param {number} call */
const isLeft = ({ calls, isAttempt }, call) => !isAttempt(call) && ['open', 'given-up'].includes(calls[call].end);

/** @param {Of<'calm' | 'seen' | 'service'>} step @returns {number[]} answered ones that began in calm seconds */
function calmCalls({ seen, service, calm }) {
  const isCalm = calmAt(calm);
  return some(
    seen.servedBy(service).filter((call) => seen.calls[call].end === 'answered' && isCalm(seen.began[call])),
    CALM_MOST,
  );
}
/** More tell no more. */
const CALM_MOST = 2000;
/** Fewer others tell nothing of how it goes for them. */
const OTHERS_LEAST = 5;
/** Of the middle time of all others. The lab's own choice. */
const SLOW_TIMES = 10;

/** What its slowest kind of call took, beside its usual, for whoever reads on. @param {Of<'meanwhile' | 'seen'>} step @returns {string[]} none or a sentence */
export function slowestText({ seen, meanwhile }) {
  const rows = [...grouped(meanwhile, (call) => seen.kind[call])].map(([kind, calls]) => ({
    kind,
    calls: calls.length,
    sum: calls.reduce((sum, call) => sum + seen.over[call] - seen.began[call], 0),
  }));
  const [most] = rows.toSorted((one, other) => other.sum - one.sum);
  if (!most || most.kind === '') return [];
  return [`${things(most.calls, 'call')} ${most.kind} took ${seconds(most.sum / most.calls)} each at the mean.`];
}

/*
 * Does it go on with connections that a callee has closed? Who keeps them hands a dead one out again, and fails without asking anybody.
 */

/** Of the failed. */
const LACKING_SHARE = 0.9;
/** Failed ones among requests of the time in which none is missing, as a part of those of the time in which one is. The lab's own choice. */
const WHOLE_PART = 0.1;
/** Of the share of good ones that have a call: joins by order give some by chance. */
const SENT_PART = 0.5;
/** Each connection is handed out once in so many requests for each; fewer are handed out in no turn. The lab's own choice. */
const ROUNDS = 2;
const ROUND_LEAST = 10;

/** @param {Of<'asked' | 'failed' | 'good' | 'good_s' | 'seen' | 'service' | 'sign' | 'time' | 'took_s'>} step @returns {Why | null} */
export function deadConnections(step) {
  const { seen, service, asked, failed } = step;
  if ((!isOwn(step) && !isAsSoonAsGood(step)) || asked.good === null || asked.failed > asked.good * SENT_PART || isBlind(step)) return null;
  const [usage, kinds] = [usageOf(seen, service), new Set(failed.map((call) => seen.kind[call]))];
  const callees = seen.calleesOf(service).filter((to) => asks(usage, kinds, to));
  return callees.map((to) => deadOf(step, to)).find((why) => why !== null) ?? null;
}

/** @param {Of<'asked' | 'failed' | 'good' | 'seen' | 'service' | 'sign' | 'time'>} step @param {string} to @returns {Why | null} */
function deadOf({ seen, service, failed, good, asked, sign, time }, to) {
  const { closed, opened, isOpen } = keptOf(seen, service, to);
  const { began } = seen;
  if (closed.length === 0) return null;
  const replacedAt = (/** @type {number} */ at) => upTo(opened, at) - upTo(opened, closed[0]);
  const isLacking = (/** @type {number} */ call) => upTo(closed, began[call]) > replacedAt(began[call]);
  const [failedThen, goodThen] = [failed.filter(isLacking), good.filter(isLacking)];
  if (failedThen.length < LACKING_SHARE * failed.length) return null;
  const whole = share(failed.length - failedThen.length, failed.length - failedThen.length + good.length - goodThen.length);
  if (whole > WHOLE_PART * share(failedThen.length, failedThen.length + goodThen.length)) return null;
  const first = failedThen.reduce((least, call) => Math.min(least, began[call]), Number.POSITIVE_INFINITY);
  const kinds = new Set(failed.map((call) => seen.kind[call]));
  const isEarlier = (/** @type {number} */ call) => began[call] < first && seen.sign[call] === GOOD && kinds.has(seen.kind[call]);
  const before = seen.servedBy(service).filter((call) => isEarlier(call) && isLacking(call)).length;
  if (before > Math.max(ROUND_LEAST, ROUNDS * (closed.length + opened.length))) return null;
  const alone = share(failed.filter((call) => !isOpen(began[call])).length, failed.length);
  const [lost, again] = [upTo(closed, time.to), replacedAt(time.to)];
  return {
    mechanism: 'dead-connections',
    title: `${ended(sign)} without asking ${to}, which had closed ${counted(lost)} of its connections; ${again === 0 ? 'none' : counted(again)} ${again > 1 ? 'were' : 'was'} opened in their place`,
    basis: alone >= LACKING_SHARE ? 'counted' : 'inferred',
    place: { service, edge: { from: service, to } },
    evidence: [
      `${to} closed ${things(lost, 'connection')} of ${service}, which opened ${again === 0 ? 'none' : counted(again)} after the first of these.`,
      `${service} asked somebody for ${percent(asked.failed)} of the failed requests, and for ${percent(asked.good ?? 0)} of the good ones; ${percent(whole)} of such requests failed while no connection was missing.`,
      ...(alone >= LACKING_SHARE ? [`No connection of ${service} to ${to} was open when they failed.`] : []),
    ],
  };
}

/*
 * Had it forgotten the connection? A firewall, a NAT or a relay drops what is silent for too long, and tells neither end: what is sent on it then
 * is never answered, and what is sent on others is.
 */

/** Nobody forgets sooner. The lab's own choice, as are the numbers below. */
const SILENT_LEAST_S = 1;
/** Of calls on connections that were silent for longer, and for less. */
const FORGOTTEN_SHARE = 0.9;
const KEPT_SHARE = 0.02;
/** Calls that were answered while those were not. */
const ANSWERED_LEAST = 20;

/** @param {Of<'caller' | 'failed' | 'seen' | 'service' | 'sign' | 'time'>} step @returns {Why | null} */
export function forgotten({ seen, service, caller, failed, sign, time }) {
  if (!SILENT.has(sign) || failed.length < GOOD_LEAST) return null;
  const after = (/** @type {number} */ call) => silenceBefore(seen, call);
  const bad = ascending(failed.flatMap((call) => after(call) ?? []));
  if (bad.length < FORGOTTEN_SHARE * failed.length) return null;
  const least = bad[Math.floor((1 - FORGOTTEN_SHARE) * bad.length)];
  const isThen = (/** @type {number} */ call) => seen.began[call] >= time.from && seen.began[call] <= time.to;
  const others = seen.onEdge(caller, service).filter((call) => !seen.isAttempt(call) && isThen(call));
  const [long, short] = [others.filter((call) => (after(call) ?? 0) >= least), others.filter((call) => (after(call) ?? 0) < least)];
  const [longLost, shortLost] = [long, short].map((calls) => calls.filter((call) => SILENT.has(seen.sign[call])).length);
  const isAnswered = short.length - shortLost >= ANSWERED_LEAST;
  if (least < SILENT_LEAST_S || !isAnswered || longLost < FORGOTTEN_SHARE * long.length || shortLost > KEPT_SHARE * short.length)
    return null;
  const answered = ascending(seen.onEdge(caller, service).flatMap((call) => (seen.sign[call] === GOOD ? (after(call) ?? []) : [])));
  return {
    mechanism: 'forgotten',
    title: `answered nothing any more on connections that had been silent for ${seconds(least)} or longer`,
    basis: 'counted',
    evidence: [
      `${counted(longLost)} of ${counted(long.length)} calls of ${caller} to ${service} got no answer that came first on a connection after ${seconds(least)} or more; of ${counted(short.length)} others in the same seconds ${counted(shortLost)} got none.`,
      `The longest silence after which one was answered, in the whole record, was ${seconds(answered.at(-1) ?? 0)}.`,
    ],
  };
}

/** @param {Step['seen']} seen @param {number} call @returns {number | null} seconds in which nothing was said on its connection before it; null of the first on it */
function silenceBefore({ began, over, lineOf }, call) {
  const calls = lineOf(call)?.calls ?? [];
  const before = calls[leading(calls, (one) => began[one] < began[call]) - 1];
  return before === undefined ? null : Math.max(0, began[call] - over[before]);
}

/** Connections on which something was said: when the callee closed them, and when those of the edge were opened. */
const keptOf = once((seen, from, to) => {
  const lines = seen.lines(from, to).filter(({ connection }) => connection.transport === 'tcp' && connection.accepted_at !== null);
  const ends = lines.filter(
    ({ calls, connection: { by, ended_at: at, answered_at: answered } }) =>
      (calls.length > 0 || answered !== null) && by === 'server' && at !== null,
  );
  const opened = ascending(lines.map(({ connection }) => connection.opened_at));
  const over = ascending(lines.flatMap(({ connection: { ended_at: at } }) => (at === null ? [] : [at])));
  return {
    closed: ascending(ends.map(({ connection }) => /** @type {number} */ (connection.ended_at))),
    opened,
    isOpen: (/** @type {number} */ at) => upTo(opened, at) > upTo(over, at),
  };
});
