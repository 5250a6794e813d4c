/**
 * The pause that a user makes between an answer and the next request: the published one, or as long as the load says.
 */
import { sleep } from 'k6';
import exec from 'k6/execution';
import { Counter } from 'k6/metrics';
import { loadDuration } from '../shapes.js';
import { THINK_TIME_S, thinkTimeOf } from './think.js';

/**
 * k6 stops its users one by one when the load ends. Those who wake at that moment must not be asked for another request: they would
 * all send it at once.
 */
const WHILE_STOPPED_S = 0.5;

/**
 * To be called while k6 reads the script, because it declares a metric.
 * @param {import('../shapes.js').Shape} shape
 * @param {string | undefined} mean_s of a load that sets it
 * @returns {() => void} what the user does after an answer
 */
export function newPause(shape, mean_s) {
  if (!mean_s) return () => sleep(THINK_TIME_S);
  const thinkTime = thinkTimeOf(mean_s);
  /** Seconds that users thought, where it is not the same each time. */
  const thought = new Counter('lab_think_s');
  // Not much beyond the end of the load: k6 waits for users who still think, and rates are over all the time until it has ended.
  return () => {
    const left = loadDuration(shape) - (Date.now() - exec.scenario.startTime) / 1000;
    const seconds = Math.max(0, Math.min(thinkTime(__VU, __ITER), left + WHILE_STOPPED_S));
    sleep(seconds);
    thought.add(seconds);
  };
}
