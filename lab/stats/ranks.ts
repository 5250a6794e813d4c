/**
 * Ranks, and the exact distributions of their sums. Both are worked out for the very ranks at hand, so that ties and zeros, which
 * failure rates are full of, need no approximation; tables and libraries of the signed-rank and rank-sum distributions know only
 * ranks without ties.
 *
 * A distribution is an array: the probability of each sum, from 0 upwards.
 */

import { scaleOf } from './scale.ts';

/**
 * Blocks that a verdict needs: with 8 the least p is 2/2^8 = 0.0078; times the six metrics of a family 0.047, and with 7 0.094.
 */
export const LEAST_BLOCKS = 8;

/** Figures that agree in so many digits are tied: a difference is the same whichever two figures it was made of. */
const TIED_DIGITS = 12;

const tieable = (value: number) => Number(value.toPrecision(TIED_DIGITS));

/** @returns a new array, in ascending order */
export const ascending = (values: number[]): number[] => [...values].sort((one, other) => one - other);

/**
 * Ranks from 1, doubled: tied values share the mean of their ranks, which may end in a half, and sums are looked up by whole numbers.
 * @returns twice the rank of each value, in the order of the values
 */
export function doubledRanks(values: number[]): number[] {
	const keys = values.map(tieable);
	return keys.map((key) => {
		const below = keys.filter((other) => other < key).length;
		const same = keys.filter((other) => other === key).length;
		return 2 * below + same + 1;
	});
}

/** Both tails, as twice the smaller one. */
export function twoSided(chances: number[], observed: number) {
	const atMost = total(chances.slice(0, observed + 1));
	const atLeast = total(chances.slice(observed));
	return Math.min(1, 2 * Math.min(atMost, atLeast));
}

/**
 * How many of the ordered averages, or differences, are left out at either end of a 95 % interval: the largest number for which
 * both tails together hold no more than 5 % (Hollander, Wolfe and Chicken 2014, sections 3.3 and 4.3). The interval is therefore
 * conservative, the more so with ties (Noether 1967).
 * @param chances without ties
 * @returns null when even the whole range is no 95 % interval
 */
export function leftOut(chances: number[]): number | null {
	const tail = 0.025;
	let below = 0;
	for (let sum = 0; sum < chances.length; sum += 1) {
		below += chances[sum];
		if (below > tail) return sum === 0 ? null : sum - 1;
	}
	return null;
}

export const total = (values: number[]) => values.reduce((sum, value) => sum + value, 0);

export type Compared = {
	/** pairs that count; unpaired: the smaller number of figures */
	n: number;
	/** other/base, or other-base; null without figures */
	estimate: number | null;
	/** 95 % interval; null when there are too few figures for one */
	low: number | null;
	high: number | null;
	/** two-sided, exact */
	p: number | null;
	/** rank-biserial correlation, -1 to 1; positive when other is larger */
	effect: number | null;
};

/** Of the blocks that count. */
export function differencesOf(base: (number | null)[], other: (number | null)[], scale: 'ratio' | 'difference'): number[] {
	if (base.length !== other.length) throw new RangeError(`pairs need as many figures on both sides: ${base.length} and ${other.length}`);
	const { into } = scaleOf(scale);
	return base.flatMap((value, block) => {
		const [from, to] = [into(value), into(other[block])];
		return from === null || to === null ? [] : [to - from];
	});
}
