/**
 * Does it take so many requests at a time, and turn further ones away? Then the number that is in it when a request comes tells those that fail
 * from those that go well.
 *
 * @typedef {import('./step.js').Step} Step
 * @typedef {import('./step.js').Why} Why
 */

/** @template {keyof Step} Fact @typedef {import('./step.js').Of<Fact>} Of */

import { some } from '../joins/rules.js';
import { asks, GOOD_LEAST, usageOf } from './asked.js';
import { GOOD } from './seen.js';
import { Going, share, spread } from './spread.js';
import { isOwn, slownessOf, tookText } from './step.js';
import { asked, counted, ended, percent } from './text.js';

/** One at a time is another question. */
const NUMBER_LEAST = 2;
/** Of the failed and of the good ones, that came when so many were in it. The lab's own choices. */
const FAILED_SHARE = 0.95;
const GOOD_SHARE = 0.05;
/** It begins a moment after the caller, and the record's times are as fine. */
const CLOCK_S = 1e-6;
const LOOKED_AT_MOST = 2000;

/**
 * It answered these at once, while so many of their kind were in it as it never had more of.
 * @param {Of<'failed' | 'good' | 'moments' | 'calm' | 'seen' | 'service' | 'sign' | 'took_s'>} step @returns {Why | null}
 */
export function tooMany(step) {
  const { seen, service, failed, good, sign } = step;
  if (!isOwn(step) || failed.length < GOOD_LEAST || good.length < GOOD_LEAST) return null;
  const kinds = new Set(failed.map((call) => seen.kind[call]));
  const taken = seen.servedBy(service).filter((call) => kinds.has(seen.kind[call]) && seen.sign[call] === GOOD);
  const going = new Going(taken, seen.began, seen.over);
  const inIt = (/** @type {number[]} */ calls) => some(calls, LOOKED_AT_MOST).map((call) => going.at(seen.began[call] - CLOCK_S));
  const [theirs, others] = [inIt(failed), inIt(good)];
  const number = spread(theirs, 1 - FAILED_SHARE);
  const asMany = share(others.filter((count) => count >= number).length, others.length);
  if (number < NUMBER_LEAST || asMany > GOOD_SHARE) return null;
  const usage = usageOf(seen, service);
  const [to] = seen.calleesOf(service).filter((name) => asks(usage, kinds, name));
  return {
    mechanism: 'turned-away',
    title: `${ended(sign)} whenever ${counted(number)} of ${kinds.size === 1 ? asked([...kinds][0]) : 'their kind'} were in it, and never took more`,
    basis: 'counted',
    ...(to === undefined ? {} : { place: { service, edge: { from: service, to } } }),
    evidence: [
      `${percent(share(theirs.filter((count) => count >= number).length, theirs.length))} of the failed came to ${service} when at least ${counted(number)} such calls were in it, and ${percent(asMany)} of the good ones.`,
      ...(to === undefined ? [] : [tookText(to, slownessOf(step, to))]),
    ],
  };
}
