/**
 * How long a user thinks between an answer and the next request: as published, or as long as the load says.
 */
import exec from 'k6/execution';
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
	// k6 numbers its users after it has read the script; to ask each time would cost more.
	let user = 0;
	// Not much beyond the end of the load: k6 waits for users who still think, and rates are over all the time until it has ended.
	return (leftS) => {
		user ||= exec.vu.idInTest;
		return Math.max(0, Math.min(thinkTime(user, __ITER), leftS + WHILE_STOPPED_S));
	};
}
