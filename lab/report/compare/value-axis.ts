/** A linear axis around what was measured, with a few round numbers on it. */

import { ticks } from 'd3-array';

/** Room for half a dot and half a number at either end, per cent of the width. */
const INSET = 9;
const TICKS_ABOUT = 3;

/** @returns from a value to a percentage across the picture; all in the middle when low is high */
export function placesBetween(low: number, high: number): (value: number) => string {
	const across = (value: number) => (high > low ? (value - low) / (high - low) : 0.5);
	return (value) => `${Number((INSET + across(value) * (100 - 2 * INSET)).toFixed(2))}%`;
}

/**
 * @param digits that are written of a number: two ticks that would read the same are none
 * @returns round numbers from low to high; the value itself when there is only one
 */
export function ticksBetween(low: number, high: number, digits?: number): number[] {
	const largest = Math.max(Math.abs(low), Math.abs(high));
	const written = digits === undefined ? 0 : 10 ** (Math.floor(Math.log10(largest)) - digits + 1);
	const found = ticks(low, high, Math.min(TICKS_ABOUT, (high - low) / written));
	return found.length > 0 ? found : [low];
}
