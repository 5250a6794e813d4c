/**
 * By what does it turn requests away? By their number: then what is in it when a request comes tells those that fail from those that go well. By what
 * had failed before: then it turns all away for a while, of whatever kind, and asks nobody.
 *
 * @typedef {import('./step.js').Step} Step
 * @typedef {import('./step.js').Why} Why
 */

/** @template {keyof Step} Fact @typedef {import('./step.js').Of<Fact>} Of */

import { grouped } from '../../base/values.js';
import { some } from '../joins/rules.js';
import { asks, GOOD_LEAST, usageOf } from './asked.js';
import { GOOD } from './seen.js';
import { begunIn, Going, poolAt, share, spread } from './spread.js';
import { besideOf, calmAt, isOwn, slownessOf, tookText } from './step.js';
import { asked, counted, ended, few, percent, seconds, things } from './text.js';

/** One at a time is another question. */
const NUMBER_LEAST = 2;
/** Of the failed and of the good ones, that came when so many were in it. The lab's own choices. */
const FAILED_SHARE = 0.95;
const GOOD_SHARE = 0.05;
/** It begins a moment after the caller, and the record's times are as fine. */
const CLOCK_S = 1e-6;
const LOOKED_AT_MOST = 2000;

/**
 * It answered these at once, when so many of their kind were in it as hardly any good one of the same seconds found there.
 * @param {Of<'failed' | 'good' | 'moments' | 'calm' | 'seen' | 'service' | 'sign' | 'time' | 'took_s'>} step @returns {Why | null}
 */
export function tooMany(step) {
  const { seen, service, failed, sign, moments } = step;
  const beside = besideOf(step);
  if (!isOwn(step) || failed.length < GOOD_LEAST || beside.length < GOOD_LEAST) return null;
  const kinds = new Set(failed.map((call) => seen.kind[call]));
  const taken = seen.servedBy(service).filter((call) => kinds.has(seen.kind[call]) && seen.sign[call] === GOOD);
  const going = new Going(taken, seen.began, seen.over);
  const inIt = (/** @type {number[]} */ calls) => some(calls, LOOKED_AT_MOST).map((call) => going.at(seen.began[call] - CLOCK_S));
  const [theirs, others] = [inIt(failed), inIt(beside)];
  const limit = limitOf(theirs, others);
  if (limit === null) return null;
  const { number, isOnEdge } = limit;
  const shares = (/** @type {number} */ least) => [theirs, others].map((all) => percent(partFrom(all, least)));
  const usage = usageOf(seen, service);
  const callees = seen.calleesOf(service).filter((name) => asks(usage, kinds, name));
  const [to] = callees.length === 1 ? callees : [];
  const pool = to === undefined ? null : poolAt(seen, service, to, moments);
  const connections = pool?.isFlat && pool.isKept && pool.total <= number ? `, with ${things(pool.total, 'connection')} to ${to}` : '';
  return {
    mechanism: 'turned-away',
    title: `${ended(sign)} when ${counted(number)} or more of ${kinds.size === 1 ? asked([...kinds][0]) : 'their kind'} were in it${connections}`,
    basis: 'counted',
    ...(to === undefined ? {} : { place: { service, edge: { from: service, to } } }),
    evidence: [
      `${shares(number)[0]} of the failed came to ${service} when at least ${counted(number)} such calls were in it, and ${shares(number)[1]} of the good ones in the same seconds.`,
      ...(isOnEdge ? [`When ${counted(number - 1)} or more were in it it was ${shares(number - 1).join(' and ')}.`] : []),
      ...(to === undefined ? [] : [tookText(to, slownessOf(step, to))]),
    ],
  };
}

/**
 * The number from which on hardly any went well; where some fail at one less, as several threads count each for itself, that is the edge.
 * @param {number[]} theirs  in it when each of the failed came @param {number[]} others  of the good ones
 * @returns {{ number: number, isOnEdge: boolean } | null}
 */
function limitOf(theirs, others) {
  const number = spread(theirs, 1 - FAILED_SHARE);
  if (number >= NUMBER_LEAST && partFrom(others, number) <= GOOD_SHARE) return { number, isOnEdge: false };
  const next = number + 1;
  const [bad, good] = [theirs, others].map((all) => all.filter((count) => count >= next).length);
  return number >= NUMBER_LEAST && bad >= EDGE_SHARE * theirs.length && good <= GOOD_SHARE * bad ? { number: next, isOnEdge: true } : null;
}
/** Of the failed. The lab's own choice. */
const EDGE_SHARE = 0.5;

/** @param {number[]} counts @param {number} least @returns {number} share that is as high */
const partFrom = (counts, least) => share(counts.filter((count) => count >= least).length, counts.length);

/** Of a while. The lab's own choices, as are the numbers below. */
const SHUT_LEAST_S = 1;
/** Of the failed: who tries again lets some through first. */
const SHUT_SHARE = 0.75;
/** So many are turned away then; of as many, so few have a call. */
const OPEN_LEAST = 3;
const RACED_SHARE = 0.02;
/** Before it, calls that failed count for so long: breakers look back 10 s unless told otherwise. */
const BEFORE_S = 10;
const BAD_LEAST = 5;
const BAD_SHARE = 0.02;
/** Who is asked by nobody any more since most of what it was asked failed is the place itself. */
const BAD_MOST = 0.5;
/** Of that share, in calm seconds and in the rest of the time. */
const CALM_PART = 1 / 3;
const KINDS_SHOWN = 2;

/**
 * It turned everything away for a while, when some of its calls had failed before: a breaker that opens for all by what happens to some.
 * @param {Of<'calm' | 'failed' | 'path' | 'seen' | 'service' | 'sign' | 'took_s'>} step @returns {Why | null}
 */
export function shutAfter(step) {
  const { seen, service, failed, sign } = step;
  const { began, over, kind, to: toOf } = seen;
  if (!isOwn(step) || failed.length < GOOD_LEAST) return null;
  const shut = shutSpans(step);
  const inShut = failed.filter((call) => shut.some(({ from, to }) => began[call] >= from && began[call] <= to));
  if (shut.length === 0 || inShut.length < SHUT_SHARE * failed.length) return null;
  const made = seen
    .madeBy(service)
    .filter((call) => !seen.isAttempt(call) && !step.path.includes(toOf[call]) && began[call] >= seen.load.warmupFrom);
  const isBad = (/** @type {number} */ call) => seen.sign[call] !== GOOD;
  const before = shut.map(({ from }) => made.filter((call) => over[call] >= from - BEFORE_S && over[call] <= from + CLOCK_S));
  const bad = before.map((calls) => calls.filter(isBad));
  const parts = before.map((calls, place) => share(bad[place].length, calls.length));
  const isCalm = calmAt(step.calm);
  const calm = made.filter((call) => isCalm(began[call]));
  const usual = share(calm.filter(isBad).length, calm.length);
  const [first] = parts;
  if (bad[0].length < BAD_LEAST || first < BAD_SHARE || first > BAD_MOST || usual > first * CALM_PART) return null;
  const all = [...new Set(bad.flat())];
  const rows = [...grouped(all, (call) => kind[call])].toSorted(([, one], [, other]) => other.length - one.length);
  const callees = [...new Set(all.map((call) => toOf[call]))].sort().join(', ');
  const kinds = rows
    .slice(0, KINDS_SHOWN)
    .map(([name]) => asked(name))
    .join(', ');
  const [longest] = shut.map(({ from, to }) => to - from).toSorted((one, other) => other - one);
  const others = new Set(inShut.map((call) => kind[call]));
  return {
    mechanism: 'checks-failed',
    title: `turned everything away with ${sign} for up to ${seconds(longest)}, after ${percent(first)} of its calls to ${callees} had failed (${kinds})`,
    basis: 'timed',
    place: { service },
    evidence: [
      `For ${counted(shut.length)} ${shut.length === 1 ? 'while' : 'whiles'} of up to ${seconds(longest)} ${service} answered ${sign} to every request, of ${counted(others.size)} kinds, and asked hardly anybody.`,
      `In the ${BEFORE_S} s before the first ${counted(bad[0].length)} of its ${counted(before[0].length)} calls failed (${kinds} to ${callees}: ${ended(seen.sign[bad[0][0]])}), ${percent(usual)} of those in calm seconds.`,
      ...(others.size > rows.length ? [`It turned away ${few(others.size)} kinds, and of ${few(rows.length)} calls had failed.`] : []),
    ],
    doubts: [`that ${service} shut because of these is inferred from the time: what opens it stands in its configuration`],
  };
}

/** Whiles in which nothing that came was answered otherwise, and hardly anybody was asked. @param {Of<'failed' | 'path' | 'seen' | 'service' | 'sign'>} step @returns {{ from: number, to: number }[]} */
function shutSpans({ seen, service, sign }) {
  const { began, sign: signOf } = seen;
  const served = seen.servedBy(service).filter((call) => began[call] >= seen.load.from && !seen.isAttempt(call));
  /** @type {{ from: number, to: number, count: number }[]} */
  const spans = [];
  let [from, to, count] = [Number.NaN, Number.NaN, 0];
  const close = () => {
    if (count >= OPEN_LEAST && to - from >= SHUT_LEAST_S) spans.push({ from, to, count });
    count = 0;
  };
  for (const call of served) {
    if (signOf[call] !== sign) close();
    else {
      if (count === 0) from = began[call];
      to = began[call];
      count += 1;
    }
  }
  close();
  const made = seen.madeBy(service).filter((call) => !seen.isAttempt(call));
  // What came as it shut was on its way.
  return spans.filter((span) => begunIn(made, [span], seen).length <= RACED_SHARE * span.count);
}
