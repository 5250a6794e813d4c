/**
 * When requests failed, and when all was calm, in steps: how often a thing happened in each is compared by time and by requests.
 *
 * @typedef {import('./seen.js').Seen} Seen
 *
 * @typedef {object} FailingTime
 * @property {Float64Array} overs  when each failed request was over, in the order of time
 * @property {Float64Array[]} kinds  the same of those that ended in one way, where there are several, the most frequent first
 * @property {{ began: number, over: number }} first  that failed
 * @property {(t: number) => boolean} isFailing
 * @property {(t: number) => boolean} isCalm
 * @property {number} failing_s
 * @property {number} calm_s
 */

import { grouped } from './spread.js';

/** As moments are asked whether they are calm (step.js). */
const STEP_S = 0.5;

/**
 * @param {Seen} seen
 * @param {number[]} failed  calls, at least one
 * @param {number[]} calm    moments
 * @param {(t: number) => boolean} isRead  moments of which all is known that is to be compared
 * @param {number} after_s   so long after its end a failure may still be spoken of
 * @returns {FailingTime}
 */
export function failingTimeOf({ began, over, sign }, failed, calm, isRead, after_s) {
  const failing = new Set();
  let until = Number.NEGATIVE_INFINITY;
  for (const call of failed.toSorted((one, other) => began[one] - began[other])) {
    const last = stepOf(over[call] + after_s);
    // Lives overlap: each step is looked at once.
    for (let step = Math.max(stepOf(began[call]), until + 1); step <= last; step += 1) if (isRead(step * STEP_S)) failing.add(step);
    until = Math.max(until, last);
  }
  const still = new Set(calm.filter(isRead).map(stepOf));
  const soonest = failed.reduce((first, call) => (over[call] < over[first] ? call : first), failed[0]);
  const known = failed.filter((call) => isRead(over[call]));
  const oversOf = (/** @type {number[]} */ calls) => Float64Array.from(calls, (call) => over[call]).sort();
  const kinds = [...grouped(known, (call) => sign[call]).values()].map(oversOf);
  return {
    overs: oversOf(known),
    kinds: kinds.length === 1 ? [] : kinds.toSorted((one, other) => other.length - one.length),
    first: { began: began[soonest], over: over[soonest] },
    isFailing: (t) => failing.has(stepOf(t)),
    isCalm: (t) => still.has(stepOf(t)),
    failing_s: failing.size * STEP_S,
    calm_s: still.size * STEP_S,
  };
}

/** @param {number} t */
const stepOf = (t) => Math.floor(t / STEP_S);

/**
 * So many of them come in pairs, each at most so far apart.
 * @param {ArrayLike<number>} times  in their order
 * @param {ArrayLike<number>} overs  in their order
 * @param {number} near_s
 */
export function pairs(times, overs, near_s) {
  let [count, at] = [0, 0];
  for (let index = 0; index < overs.length && at < times.length; index += 1) {
    while (at < times.length && times[at] < overs[index] - near_s) at += 1;
    if (at < times.length && times[at] <= overs[index] + near_s) {
      count += 1;
      at += 1;
    }
  }
  return count;
}
