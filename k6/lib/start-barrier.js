/**
 * Several generators that make one load begin it as one. k6 lets a process that was started paused go on when it is told; each then waits
 * for the next whole multiple of some seconds on its own clock.
 */
import { sleep } from 'k6';

/**
 * @param {number} nowMs since 1970
 * @param {number} everyS
 * @returns {number} seconds until the next beat
 */
export const untilStart = (nowMs, everyS) => everyS - ((nowMs / 1000) % everyS);

/**
 * Says how long it waited: k6 counts that as time of the test.
 * @param {string | undefined} everyS  seconds between two beats; none where a generator makes the load alone
 */
export function waitAtStartBarrier(everyS) {
	if (!everyS) return;
	const waitedS = untilStart(Date.now(), Number(everyS));
	sleep(waitedS);
	console.error(JSON.stringify({ event: 'waited', ms: waitedS * 1000 }));
}
