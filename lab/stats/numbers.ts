/**
 * Small arithmetic that several parts of the analysis share. Missing values are null and stay null.
 */

import type { Range } from '../record/types.js';

export const present = (values: (number | null | undefined)[]): number[] =>
	values.filter((value) => typeof value === 'number' && Number.isFinite(value)).map(Number);

export function mean(values: (number | null | undefined)[]): number | null {
	const found = present(values);
	return found.length === 0 ? null : sum(found) / found.length;
}

export function max(values: (number | null | undefined)[]): number | null {
	const found = present(values);
	return found.length === 0 ? null : found.reduce((most, value) => Math.max(most, value));
}

export function min(values: (number | null | undefined)[]): number | null {
	const found = present(values);
	return found.length === 0 ? null : found.reduce((least, value) => Math.min(least, value));
}

export function median(values: (number | null | undefined)[]): number | null {
	const sorted = present(values).sort((one, other) => one - other);
	if (sorted.length === 0) return null;
	const middle = sorted.length >> 1;
	return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** Median and extremes. */
export function rangeOf(values: (number | null | undefined)[]): Range {
	const found = present(values);
	return { median: median(found), low: found.length === 0 ? null : Math.min(...found), high: max(found) };
}

export const sum = (values: (number | null | undefined)[]): number => present(values).reduce((total, value) => total + value, 0);

/** @returns null when it cannot be divided */
export const ratio = (value: number | null, by: number | null): number | null =>
	value === null || by === null || by === 0 ? null : value / by;

export function rounded(value: number | null | undefined, digits: number = 3) {
	if (value === null || value === undefined || !Number.isFinite(value)) return null;
	return Number(value.toFixed(digits));
}

/** @returns what was added; keys that gained nothing are left out */
export function gained(after: Record<string, number>, before: Record<string, number> = {}): Record<string, number> {
	return Object.fromEntries(
		Object.entries(after)
			.map(([key, value]) => [key, value - (Object.hasOwn(before, key) ? before[key] : 0)] as [string, number])
			.filter(([, value]) => value !== 0),
	);
}

/**
 * A quantile as R and NumPy reckon it unless told otherwise (type 7): between the two nearest values.
 * @param sorted the least first
 * @param share 0 to 1
 * @returns null of none
 */
export function quantile(sorted: ArrayLike<number>, share: number): number | null {
	if (sorted.length === 0) return null;
	const place = (sorted.length - 1) * share;
	const below = Math.floor(place);
	return sorted[below] + (place - below) * ((sorted[below + 1] ?? sorted[below]) - sorted[below]);
}

/**
 * The same of values in any order. Each is found in about two passes over them: to sort the hundreds of thousands of a run takes five times as long.
 * @param values numbers all
 * @returns of each share
 */
export function quantilesOf(values: Iterable<number>, shares: number[]): (number | null)[] {
	const own = new Float64Array(values);
	return shares.map((share) => {
		const below = Math.floor((own.length - 1) * share);
		putInPlace(own, below);
		// Behind it are those that are no less: the least of them is the next.
		let next = below + 1;
		for (let at = next + 1; at < own.length; at += 1) if (own[at] < own[next]) next = at;
		if (next < own.length) [own[below + 1], own[next]] = [own[next], own[below + 1]];
		return quantile(own, share);
	});
}

/**
 * Hoare's selection: at a place comes to stand what would if all were sorted, and before it what is no more.
 * @param values are moved
 */
function putInPlace(values: Float64Array, place: number) {
	let [from, to] = [0, values.length - 1];
	while (from < to) {
		const middle = values[(from + to) >> 1];
		let [low, high] = [from, to];
		while (low <= high) {
			while (values[low] < middle) low += 1;
			while (values[high] > middle) high -= 1;
			if (low > high) break;
			const value = values[low];
			values[low] = values[high];
			values[high] = value;
			low += 1;
			high -= 1;
		}
		if (place <= high) to = high;
		else if (place >= low) from = low;
		else return;
	}
}

/** The least first; of numbers alone, which takes a part of the time that to compare them in pairs does. */
export const ascending = (values: Iterable<number>) => new Float64Array(values).sort();

/**
 * How many are not after it.
 * @param sorted the least first
 */
export function upTo(sorted: ArrayLike<number>, most: number) {
	let [low, high] = [0, sorted.length];
	while (low < high) {
		const middle = (low + high) >> 1;
		if (sorted[middle] <= most) low = middle + 1;
		else high = middle;
	}
	return low;
}

/**
 * How many come before it.
 * @param sorted the least first
 */
export function before(sorted: ArrayLike<number>, least: number) {
	let [low, high] = [0, sorted.length];
	while (low < high) {
		const middle = (low + high) >> 1;
		if (sorted[middle] < least) low = middle + 1;
		else high = middle;
	}
	return low;
}

/** How many of the first are so, where all after them are not. */
export function leading<T>(all: ArrayLike<T>, isSo: (one: T) => boolean) {
	let [low, high] = [0, all.length];
	while (low < high) {
		const middle = (low + high) >> 1;
		if (isSo(all[middle])) low = middle + 1;
		else high = middle;
	}
	return low;
}
