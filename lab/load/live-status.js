/**
 * What is said of a load while it goes on. What k6's users write of their requests comes some seconds late, so stage, users, rate, p95 and
 * failures are all of the same seconds, those that the record is whole for; how much time is left is of now.
 */
import { loadDuration, loadStart, WARMUP_USERS } from '../../k6/lib/shapes.js';
import { AGO_S, OF_S } from './live-requests.js';

/** Of fewer seconds a rate says little: one request more or less, or how the load begins. The lab's own choice. */
const LEAST_S = 1;

/** @typedef {import('../../k6/lib/shapes.js').Shape} Shape */
/** @typedef {import('../cli/progress.js').LoadStatus} LoadStatus */

/** Said once, before the first of them. */
export const ABOUT_LIVE = `live: users, rate, p95 and failures are of the same ${OF_S} s, which ended ${AGO_S} s ago or more, as k6's users write their requests down some at a time`;

/**
 * @param {object} given
 * @param {Shape} given.shape
 * @param {number | null} given.beganS  when k6 began, seconds since 1970; null before
 * @param {import('./live-requests.js').LiveRequests} given.requests
 * @param {number} now
 * @returns {LoadStatus}
 */
export function liveStatus({ shape, beganS, requests }, now) {
  const start = loadStart(shape);
  const left = { leftS: start + loadDuration(shape) - (beganS === null ? 0 : now - beganS), isLongest: shape.ends !== undefined };
  const none = { users: null, rps: null, p95Ms: null, failureRate: null, ofS: null };
  if (beganS === null) return { stage: stageName(shape, null), ...none, ...left, nowS: null };
  const nowS = now - beganS - start;
  // Before anything is told there is only what goes on now.
  const until = Math.max(0, Math.min(now - beganS, requests.wholeUntil(now) - beganS));
  const span = secondsAt(shape, until);
  if (span === null || span.to - span.from < LEAST_S) return { stage: stageName(shape, until), ...none, ...left, nowS };
  const figures = requests.figures({ from: beganS + span.from, to: beganS + span.to, isOfLoad: span.isOfLoad });
  const middle = (span.from + span.to) / 2;
  const told = { stage: stageName(shape, middle), ...figures, ...left, nowS };
  return figures.rps === null
    ? { ...told, users: null, ofS: null }
    : { ...told, users: usersOf(shape, middle), ofS: [span.from - start, span.to - start] };
}

/**
 * The last few seconds until a moment, of the load alone or of the warm-up alone.
 * @param {Shape} shape
 * @param {number} until  seconds since k6 began
 * @returns {{ from: number, to: number, isOfLoad: boolean } | null} null in the pause between them
 */
function secondsAt(shape, until) {
  const start = loadStart(shape);
  if (until > start) return { from: Math.max(start, until - OF_S), to: until, isOfLoad: true };
  if (until > shape.warmup_s) return null;
  return { from: Math.max(0, until - OF_S), to: until, isOfLoad: false };
}

/**
 * Users that the shape wants. Of a script of the user's own the lab knows no more than how many there are at most.
 * @param {Shape} shape
 * @param {number | null} elapsedS since k6 began
 * @returns {number | null}
 */
export function usersOf(shape, elapsedS) {
  const { model, warmup_s: warmup, warmupUsers = WARMUP_USERS, stages } = shape;
  if (model !== 'closed' || warmup === 0 || elapsedS === null) return null;
  if (elapsedS < loadStart(shape)) return elapsedS < warmup ? warmupUsers : 0;
  let from = loadStart(shape);
  let users = stages[0].held ? stages[0].target : 1;
  for (const { duration_s: duration, target } of stages) {
    if (elapsedS < from + duration) return Math.round(users + ((target - users) * (elapsedS - from)) / duration);
    from += duration;
    users = target;
  }
  return null;
}

/** @type {(shape: Shape, elapsedS: number | null) => string} */
function stageName(shape, elapsedS) {
  if (elapsedS === null) return 'preparing users';
  if (elapsedS < loadStart(shape)) return 'warm-up (not counted)';
  let end = loadStart(shape);
  for (const { duration_s: duration, target } of shape.stages) {
    end += duration;
    if (elapsedS < end) return `to ${target.toLocaleString('en-US')} ${shape.unit}`;
  }
  return 'last answers';
}
