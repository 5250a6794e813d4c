/**
 * Small arithmetic that several parts of the analysis share. Missing values are null and stay null.
 */

import { uniformInt } from 'pure-rand/distribution/uniformInt';
import { mersenne } from 'pure-rand/generator/mersenne';

/** @param {(number | null | undefined)[]} values @returns {number[]} */
export const present = (values) => values.filter((value) => typeof value === 'number' && Number.isFinite(value)).map(Number);

/** @param {(number | null | undefined)[]} values @returns {number | null} */
export function mean(values) {
	const found = present(values);
	return found.length === 0 ? null : sum(found) / found.length;
}

/** @param {(number | null | undefined)[]} values @returns {number | null} */
export function max(values) {
	const found = present(values);
	return found.length === 0 ? null : found.reduce((most, value) => Math.max(most, value));
}

/** @param {(number | null | undefined)[]} values @returns {number | null} */
export function min(values) {
	const found = present(values);
	return found.length === 0 ? null : found.reduce((least, value) => Math.min(least, value));
}

/** @param {(number | null | undefined)[]} values @returns {number | null} */
export function median(values) {
	const sorted = present(values).sort((one, other) => one - other);
	if (sorted.length === 0) return null;
	const middle = sorted.length >> 1;
	return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/**
 * Median and extremes.
 * @param {(number | null | undefined)[]} values
 * @returns {import('../record/types.js').Range}
 */
export function rangeOf(values) {
	const found = present(values);
	return { median: median(found), low: found.length === 0 ? null : Math.min(...found), high: max(found) };
}

/** @param {(number | null | undefined)[]} values @returns {number} */
export const sum = (values) => present(values).reduce((total, value) => total + value, 0);

/** @param {number | null} value @param {number | null} by @returns {number | null} null when it cannot be divided */
export const ratio = (value, by) => (value === null || by === null || by === 0 ? null : value / by);

/** @param {number | null | undefined} value @param {number} [digits] */
export function rounded(value, digits = 3) {
	if (value === null || value === undefined || !Number.isFinite(value)) return null;
	return Number(value.toFixed(digits));
}

/**
 * @param {Record<string, number>} after
 * @param {Record<string, number>} [before]
 * @returns {Record<string, number>} what was added; keys that gained nothing are left out
 */
export function gained(after, before = {}) {
	return Object.fromEntries(
		Object.entries(after)
			.map(([key, value]) => /** @type {[string, number]} */ ([key, value - (Object.hasOwn(before, key) ? before[key] : 0)]))
			.filter(([, value]) => value !== 0),
	);
}

/**
 * A quantile as R and NumPy reckon it unless told otherwise (type 7): between the two nearest values.
 * @param {ArrayLike<number>} sorted  the least first
 * @param {number} share  0 to 1
 * @returns {number | null} null of none
 */
export function quantile(sorted, share) {
	if (sorted.length === 0) return null;
	const place = (sorted.length - 1) * share;
	const below = Math.floor(place);
	return sorted[below] + (place - below) * ((sorted[below + 1] ?? sorted[below]) - sorted[below]);
}

/**
 * The same of values in any order. Each is found in about two passes over them: to sort the hundreds of thousands of a run takes five times as long.
 * @param {Iterable<number>} values  numbers all
 * @param {number[]} shares
 * @returns {(number | null)[]} of each share
 */
export function quantilesOf(values, shares) {
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
 * @param {Float64Array} values  are moved @param {number} place
 */
function putInPlace(values, place) {
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

/** The least first; of numbers alone, which takes a part of the time that to compare them in pairs does. @param {Iterable<number>} values */
export const ascending = (values) => new Float64Array(values).sort();

/** How many are not after it. @param {ArrayLike<number>} sorted  the least first @param {number} most */
export function upTo(sorted, most) {
	let [low, high] = [0, sorted.length];
	while (low < high) {
		const middle = (low + high) >> 1;
		if (sorted[middle] <= most) low = middle + 1;
		else high = middle;
	}
	return low;
}

/** How many come before it. @param {ArrayLike<number>} sorted  the least first @param {number} least */
export function before(sorted, least) {
	let [low, high] = [0, sorted.length];
	while (low < high) {
		const middle = (low + high) >> 1;
		if (sorted[middle] < least) low = middle + 1;
		else high = middle;
	}
	return low;
}

/** How many of the first are so, where all after them are not. @template T @param {ArrayLike<T>} all @param {(one: T) => boolean} isSo */
export function leading(all, isSo) {
	let [low, high] = [0, all.length];
	while (low < high) {
		const middle = (low + high) >> 1;
		if (isSo(all[middle])) low = middle + 1;
		else high = middle;
	}
	return low;
}

/*
 * Chance that can be repeated: the same seed gives the same order of blocks and the same bootstrap, on every machine.
 *
 * The generator is MT19937 (Matsumoto and Nishimura 1998). Its seeding mixes the seed into the whole state, so neighbouring seeds,
 * which are what people type, begin unalike; a generator that merely copies the seed into its state would not do.
 */

const LARGEST_SEED = 2 ** 32 - 1;

/**
 * @typedef {object} Random
 * @property {(n: number) => number} below  whole number from 0 to n-1, each equally likely
 * @property {<T>(items: readonly T[]) => T[]} shuffle  a new array, each order equally likely (Fisher-Yates)
 */

/**
 * @param {number} seed whole number from 0 to 2^32-1, all that the generator takes
 * @returns {Random}
 * @throws {RangeError} when the seed is none, because it would silently stand for another
 */
export function createRandom(seed) {
	if (!Number.isInteger(seed) || seed < 0 || seed > LARGEST_SEED) {
		throw new RangeError(`a seed is a whole number from 0 to ${LARGEST_SEED}, not ${seed}`);
	}
	const generator = mersenne(seed);

	/** @param {number} n */
	const below = (n) => {
		if (!Number.isInteger(n) || n < 1) throw new RangeError(`there is no whole number from 0 to below ${n}`);
		return uniformInt(generator, 0, n - 1);
	};

	return {
		below,
		shuffle(items) {
			const shuffled = [...items];
			for (let last = shuffled.length - 1; last > 0; last -= 1) {
				const chosen = below(last + 1);
				[shuffled[last], shuffled[chosen]] = [shuffled[chosen], shuffled[last]];
			}
			return shuffled;
		},
	};
}

/*
 * The scales on which figures are compared. A ratio is a difference of logarithms: halved and doubled are then equally far from
 * the same, and a noise that is a share of the figure is symmetric.
 */

/**
 * @typedef {object} Scale
 * @property {(value: number | null) => number | null} into  null: the figure cannot be compared on this scale
 * @property {(value: number | null) => number | null} back  from a difference to what is shown
 */

/** @type {Record<'ratio' | 'difference', Scale>} */
const scales = {
	ratio: {
		into: (value) => (value !== null && Number.isFinite(value) && value > 0 ? Math.log(value) : null),
		back: (value) => (value === null ? null : Math.exp(value)),
	},
	difference: {
		into: (value) => (value !== null && Number.isFinite(value) ? value : null),
		back: (value) => value,
	},
};

/** @param {'ratio' | 'difference'} scale */
export const scaleOf = (scale) => scales[scale];
