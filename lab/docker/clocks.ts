/**
 * How far other clocks are from this machine's.
 *
 * @typedef {object} ClockOffset
 * @property {number} offset_s  of that clock, less than nothing where it is behind
 * @property {number} within_s  as exactly as it is known: half of the quickest answer's way
 */

/** So often another clock is asked. */
const ASKED = 8;

/**
 * How far the clock of another host is from this machine's, by asking it and noting when: it was asked before it answered, and answered
 * after that. The way of Cristian (Probabilistic clock synchronization, Distributed Computing 3, 1989).
 * @param {() => Promise<number>} ask  milliseconds since 1970, by that clock
 * @param {() => number} [now]
 * @returns {Promise<ClockOffset>}
 */
export async function clockOffsetOf(ask, now = () => performance.timeOrigin + performance.now()) {
	let least = Number.NEGATIVE_INFINITY;
	let most = Number.POSITIVE_INFINITY;
	for (let times = 0; times < ASKED; times += 1) {
		const before = now();
		const reported = await ask();
		least = Math.max(least, reported - now());
		most = Math.min(most, reported - before);
	}
	return { offset_s: (least + most) / 2000, within_s: Math.max(0, most - least) / 2000 };
}

/**
 * By how much the engine's clock is certainly ahead of this machine's. Where the engine runs in a machine of its own (Docker Desktop), that
 * one's clock stops while the computer sleeps; what containers record and what the lab reads from outside then lie apart.
 * @param {number} reported    by the engine, milliseconds since 1970; NaN where it tells none
 * @param {number} before  it was asked, by this machine's clock
 * @param {number} after   it had answered
 * @returns {number | null} seconds, less than nothing where it is behind, 0 where it may be right
 */
export function clockOffset(reported, before, after) {
	if (Number.isNaN(reported)) return null;
	if (reported > after) return (reported - after) / 1000;
	return reported < before ? (reported - before) / 1000 : 0;
}
