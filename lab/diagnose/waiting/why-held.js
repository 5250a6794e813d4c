/**
 * Are its workers taken by few long calls of one kind, whoever asks them? A caller that sends slowly, a download, an export.
 *
 * @typedef {import('./step.js').Step} Step
 * @typedef {import('./step.js').Why} Why
 */
import { countsAt } from './moments.js';
import { GOOD } from './seen.js';
import { average, grouped, middle, share, spread } from './spread.js';
import { asked, counted, few, seconds } from './text.js';
import { isIdle, usedText } from './why-few.js';

/** One that holds a server by itself is asked elsewhere (why-lock.js). */
const HOLDERS_LEAST = 2;
/** Of the moments: a number that nothing limits is seldom at its own highest. */
const AT_MOST_SHARE = 0.5;
/** What holds a worker lasts so many times as long as what waits for one. The lab's own choice. */
const LONGER_TIMES = 2;
const WORKED_ON = new Set([GOOD, 'open']);
/** Of them in calm seconds. */
const CALM_PART = 0.5;
const CALM_LEAST = 2;

/** Connections wait to be accepted, it is idle, and calls of one kind go on in it, as many at most moments and never more. @param {Step} step @returns {Why | null} */
export function workersHeld(step) {
  const { seen, service, failed, readings, moments, calm, took_s: took } = step;
  const queue = readings.queued(service, moments);
  if (!queue || queue.middle < 1 || !isIdle(step)) return null;
  const own = new Set(failed);
  const length = (/** @type {number} */ call) => seen.over[call] - seen.began[call];
  // What was given up may wait like the others.
  const long = seen
    .servedBy(service)
    .filter((call) => !own.has(call) && WORKED_ON.has(seen.sign[call]) && length(call) >= LONGER_TIMES * took);
  const groups = [...grouped(long, (call) => JSON.stringify([seen.from[call], seen.kind[call]])).values()]
    .map((calls) => ({ calls, counts: countsAt(seen, calls, seen.over, moments) }))
    .toSorted((one, other) => average(other.counts) - average(one.counts));
  const [most] = groups;
  if (most === undefined) return null;
  const { calls, counts } = most;
  const high = spread(counts, 1);
  if (high < HOLDERS_LEAST || share(counts.filter((count) => count === high).length, counts.length) < AT_MOST_SHARE) return null;
  if (calm.length >= CALM_LEAST && average(countsAt(seen, calls, seen.over, calm)) > high * CALM_PART) return null;
  const [first] = calls;
  const whose = `${asked(seen.kind[first])} of ${seen.from[first]}`;
  return {
    mechanism: 'workers-taken',
    title: `had its workers taken by ${whose}, ${counted(high)} at a time for ${seconds(middle(calls.map(length)))} each`,
    basis: calm.length >= CALM_LEAST ? 'timed' : 'inferred',
    evidence: [
      `${counted(high)} calls ${whose} went on in ${service} at most moments and never more, ${seconds(middle(calls.map(length)))} each, while ${few(queue.middle)} connections waited to be accepted.`,
      ...usedText(step),
    ],
    ...(calm.length >= CALM_LEAST ? {} : { doubts: ['no second of the load was calm: whether as many go on then is not known'] }),
  };
}
