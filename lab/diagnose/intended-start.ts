/**
 * What users of an open load waited, from the moment that their arrival was meant to begin. k6 counts from a clock that starts
 * before its users are ready, so that every arrival is late by the same time. The first arrival says by how much; that is taken
 * off all of them, and the first one counts as on time.
 */

import { EACH, HEAD, type Line, PER_MS } from '../record/k6-requests.ts';

/**
 * @param lines that the scenario wrote into k6's log
 * @returns milliseconds; 0 in a closed load
 */
export const startDelay = (lines: any[]): number => lines.find(({ event }) => event === 'first-arrival')?.late_ms ?? 0;

/** @param line that a user wrote */
export function lineOnTime(line: Line, delayMs: number): Line {
	if (delayMs === 0 || !line.requests) return line;
	const late = delayMs * PER_MS;
	const retried = line.retried?.map((took) => (took < 0 ? -1 - Math.max(0, -1 - took - late) : Math.max(0, took - late)));
	return { ...line, requests: numbersOnTime(line.requests, late), ...(retried ? { retried } : {}) };
}

/**
 * Of a request that is tried again only the first attempt waits for its arrival.
 * @param late tenths of a millisecond
 */
function numbersOnTime(numbers: number[], late: number) {
	const corrected = [...numbers];
	let isFurther = numbers[2] < 0;
	for (let at = HEAD; at + EACH <= numbers.length; at += EACH) {
		const earlier = isFurther ? 0 : Math.min(late, numbers[at + 1]);
		corrected[at] += earlier;
		corrected[at + 1] -= earlier;
		isFurther = numbers[at + 3] < 0;
	}
	return corrected;
}
