/**
 * Did it wait for the address of a name, or was it told none? A lookup stands on the wire where the engine's own resolver asks others for it;
 * what that resolver answers by itself, its sockets alone tell of.
 *
 * @typedef {import('./step.js').Step} Step
 * @typedef {import('./step.js').Why} Why
 */
import { NAMES } from '../../wire/looked-up.js';
import { GOOD_LEAST } from './asked.js';
import { once } from './once.js';
import { GOOD } from './seen.js';
import { equalTime, grouped, share, upTo } from './spread.js';
import { areOthersQuick, calmAt, EVERY_S, slownessOf } from './step.js';
import { counted, ended, percent, seconds } from './text.js';
import { besideGood, SILENT } from './why-outside.js';

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

/** The walk has come to whom names are asked of, outside of the stack; one within it is a service like others. @param {Step} step @returns {Why | null} */
export function lookupFailed(step) {
  const { seen, service, caller, failed, sign } = step;
  if (!seen.outside.has(service)) return null;
  const lookups = failed.filter((call) => isLookup(seen, call));
  if (lookups.length <= failed.length * MOST) return null;
  if (sign === GOOD && !slownessOf({ ...step, service: caller }, service).isSlower) return null;
  return { ...whyOf(step, caller, lookups), basis: besideGood(step), place: { service: caller, edge: { from: caller, to: service } } };
}

/**
 * Requests stood in a service, or it failed them by itself, while a lookup of it went wrong within most of them, and within few good ones.
 * @param {Step} step @returns {Why | null}
 */
export const nameUnanswered = (step) => lookupWithin(step) ?? lookupsWaiting(step);

/** @param {Step} step @returns {Why | null} */
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
 * @param {Step} step @returns {Why | null}
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

/** @param {Step} step @param {string} asker @param {number[]} lookups @returns {Pick<Why, 'mechanism' | 'title' | 'evidence'>} */
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
