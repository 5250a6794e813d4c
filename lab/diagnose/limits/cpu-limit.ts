/**
 * How much CPU a service might use between two readings of its container. It is read, not planned: a quota may be changed while a service runs.
 */

import { SATURATED_SHARE } from './saturation.ts';

/**
 * @param planned cores, by the manifest; for records whose readings do not tell it
 * @param after readings
 * @returns cores; null where nothing limited it
 */
export function limitBetween(planned: number | null, before: any, after: any): number | null {
	const [one, other] = [before, after].map(({ cpu_limit_cores: limit }) => (limit === undefined ? planned : limit));
	// Of a second in which it was changed, the one that accuses less.
	return one === null || other === null ? null : Math.max(one, other);
}

/** Whether the kernel let it wait for its next period in all of them, whatever its limit was. */
export function isHeldBack(before: any, after: any) {
	const periods = after.periods - before.periods;
	return periods > 0 && (after.throttled_periods - before.throttled_periods) / periods >= SATURATED_SHARE;
}
