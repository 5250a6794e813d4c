/** How far the clocks of other hosts are from this machine's, and by what they are asked. */

import type { ClockOffset } from '../catalog/clock-offset.ts';

/** So often another clock is asked. */
const ASKED = 8;

/**
 * How far the clock of another host is from this machine's, by asking it and noting when: it was asked before it answered, and answered
 * after that. The way of Cristian (Probabilistic clock synchronization, Distributed Computing 3, 1989).
 * @param ask milliseconds since 1970, by that clock
 */
export async function clockOffsetOf(
	ask: () => Promise<number>,
	now: () => number = () => performance.timeOrigin + performance.now(),
): Promise<ClockOffset> {
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
 * @param reported by the engine, milliseconds since 1970; NaN where it tells none
 * @param before it was asked, by this machine's clock
 * @param after it had answered
 * @returns seconds, less than nothing where it is behind, 0 where it may be right
 */
export function clockOffset(reported: number, before: number, after: number): number | null {
	if (Number.isNaN(reported)) return null;
	if (reported > after) return (reported - after) / 1000;
	return reported < before ? (reported - before) / 1000 : 0;
}
