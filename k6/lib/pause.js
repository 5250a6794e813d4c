/**
 * How long a user thinks between an answer and the next request: as published, or as long as the load says.
 */
import { THINK_TIME_S, thinkTimeOf } from './think.js';

/**
 * k6 stops its users one by one when the load ends. Those who wake at that moment must not be asked for another request: they would
 * all send it at once.
 */
const WHILE_STOPPED_S = 0.5;

/**
 * @param {string | undefined} mean_s of a load that sets it
 * @returns {number | ((leftS: number) => number)} seconds, or what says them, given the seconds that are left of the load
 */
export function newPause(mean_s) {
  if (!mean_s) return THINK_TIME_S;
  const thinkTime = thinkTimeOf(mean_s);
  // Not much beyond the end of the load: k6 waits for users who still think, and rates are over all the time until it has ended.
  return (leftS) => Math.max(0, Math.min(thinkTime(__VU, __ITER), leftS + WHILE_STOPPED_S));
}
