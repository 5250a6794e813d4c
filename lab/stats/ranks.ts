/**
 * Ranks, and the exact distributions of their sums. Both are worked out for the very ranks at hand, so that ties and zeros, which
 * failure rates are full of, need no approximation; tables and libraries of the signed-rank and rank-sum distributions know only
 * ranks without ties.
 *
 * A distribution is an array: the probability of each sum, from 0 upwards.
 */

import { median, scaleOf } from './numbers.ts';

/**
 * Blocks that a verdict needs: with 8 the least p is 2/2^8 = 0.0078; times the six metrics of a family 0.047, and with 7 0.094.
 */
export const LEAST_BLOCKS = 8;

/** Figures that agree in so many digits are tied: a difference is the same whichever two figures it was made of. */
const TIED_DIGITS = 12;

const tieable = (value: number) => Number(value.toPrecision(TIED_DIGITS));

/** @returns a new array, in ascending order */
const ascending = (values: number[]): number[] => [...values].sort((one, other) => one - other);

/**
 * Ranks from 1, doubled: tied values share the mean of their ranks, which may end in a half, and sums are looked up by whole numbers.
 * @returns twice the rank of each value, in the order of the values
 */
function doubledRanks(values: number[]): number[] {
	const keys = values.map(tieable);
	return keys.map((key) => {
		const below = keys.filter((other) => other < key).length;
		const same = keys.filter((other) => other === key).length;
		return 2 * below + same + 1;
	});
}

/**
 * The sum of the ranks that got a plus, when every sign is the toss of a coin: the null distribution of the signed-rank statistic
 * given the ranks (Pratt and Gibbons 1981, chapter 3). All 2^n patterns of signs count, without being listed.
 * @param ranks whole numbers
 */
function signedRankSums(ranks: number[]) {
	const chances = new Array(total(ranks) + 1).fill(0);
	chances[0] = 1;
	for (const rank of ranks) {
		for (let sum = chances.length - 1; sum >= 0; sum -= 1) chances[sum] = (chances[sum] + (sum < rank ? 0 : chances[sum - rank])) / 2;
	}
	return chances;
}

/**
 * The sum of the ranks of the chosen ones, when every choice of so many is equally likely: the null distribution of the rank-sum
 * statistic given the ranks.
 * @param ranks whole numbers
 * @param chosen how many
 */
function chosenRankSums(ranks: number[], chosen: number) {
	const size = total(ranks) + 1;
	const ways = Array.from({ length: chosen + 1 }, () => new Array(size).fill(0));
	ways[0][0] = 1;
	for (const rank of ranks) {
		for (let taken = chosen; taken > 0; taken -= 1) {
			for (let sum = rank; sum < size; sum += 1) ways[taken][sum] += ways[taken - 1][sum - rank];
		}
	}
	const all = total(ways[chosen]);
	return ways[chosen].map((count) => count / all);
}

/** Both tails, as twice the smaller one. */
function twoSided(chances: number[], observed: number) {
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
function leftOut(chances: number[]): number | null {
	const tail = 0.025;
	let below = 0;
	for (let sum = 0; sum < chances.length; sum += 1) {
		below += chances[sum];
		if (below > tail) return sum === 0 ? null : sum - 1;
	}
	return null;
}

const total = (values: number[]) => values.reduce((sum, value) => sum + value, 0);

/*
 * Two arms compared block by block. The run is the sample, a block is a pair: what the machine did to one run of the block it
 * did to the other, and the difference within the block is free of it.
 *
 * All of it follows from one idea, the signed ranks of the differences, so that estimate, interval and p do not contradict each
 * other: the Hodges-Lehmann estimate, the interval of Tukey from the ordered Walsh averages, and the Wilcoxon signed-rank test
 * (Hollander, Wolfe and Chicken 2014, sections 3.1 to 3.3). Nothing is assumed of the noise but that it is symmetric.
 */

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

/**
 * A pair counts when both figures are there, and, for a ratio, positive. With fewer than 6 pairs there is no 95 % interval:
 * even the range of all Walsh averages covers only 1 - 2/2^5 = 94 %. Then low and high are null; the rest stands.
 *
 * Blocks without a difference say something too, namely "none". They stay among the Walsh averages, they take the lowest ranks,
 * and having no sign they are not tossed (Pratt 1959): given the sizes of the differences, the distribution of the rank sum is
 * still exact. Leaving them out before ranking, as Wilcoxon did, can call a difference found that a larger one would not show.
 * @param base by block
 * @param other by block
 * @throws {RangeError} when the arms have different numbers of blocks
 */
export function comparePaired(base: (number | null)[], other: (number | null)[], scale: 'ratio' | 'difference'): Compared {
	const differences = differencesOf(base, other, scale);
	const { back } = scaleOf(scale);
	const n = differences.length;
	if (n === 0) return { n, estimate: null, low: null, high: null, p: null, effect: null };

	const averages = walshAverages(differences);
	const cut = leftOut(signedRankSums(differences.map((_, index) => index + 1)));
	return {
		n,
		estimate: back(median(averages)),
		low: cut === null ? null : back(averages[cut]),
		high: cut === null ? null : back(averages[averages.length - 1 - cut]),
		...signedRankTest(differences),
	};
}

/** Of the blocks that count. */
export function differencesOf(base: (number | null)[], other: (number | null)[], scale: 'ratio' | 'difference'): number[] {
	if (base.length !== other.length) throw new RangeError(`pairs need as many figures on both sides: ${base.length} and ${other.length}`);
	const { into } = scaleOf(scale);
	return base.flatMap((value, block) => {
		const [from, to] = [into(value), into(other[block])];
		return from === null || to === null ? [] : [to - from];
	});
}

/** The mean of every two differences, each with itself too, in ascending order. */
const walshAverages = (differences: number[]) =>
	ascending(differences.flatMap((one, index) => differences.slice(index).map((other) => (one + other) / 2)));

/**
 * p, and the matched-pairs rank-biserial correlation: the share of the rank sum that speaks for "larger", minus the share that
 * speaks for "smaller" (Kerby 2014). The ranks of blocks without a difference speak for neither and are in the whole.
 */
function signedRankTest(differences: number[]) {
	const ranks = doubledRanks(differences.map(Math.abs));
	const sum = (wanted: (difference: number) => boolean) =>
		ranks.reduce((total, rank, index) => total + (wanted(differences[index]) ? rank : 0), 0);
	const larger = sum((difference) => difference > 0);
	const smaller = sum((difference) => difference < 0);
	const tossed = ranks.filter((_, index) => differences[index] !== 0);
	return { p: twoSided(signedRankSums(tossed), larger), effect: (larger - smaller) / sum(() => true) };
}

/*
 * An arm compared with one that was measured at another time, such as a stored baseline: no figure belongs to another one, and
 * what the machine did meanwhile is in the difference. Pairs say more; this is for when there are none.
 *
 * The two-sample counterparts of those for pairs: the Hodges-Lehmann shift, the interval of Moses from the ordered differences, and the
 * Wilcoxon rank-sum (Mann-Whitney) test (Hollander, Wolfe and Chicken 2014, sections 4.1 to 4.3).
 */

/**
 * There is no 95 % interval when even the range of all differences is none: with 3 figures against 4, but no longer with 4
 * against 4. Then low and high are null; the rest stands.
 * @param other need not be as many
 */
export function compareUnpaired(base: (number | null)[], other: (number | null)[], scale: 'ratio' | 'difference'): Compared {
	const { into, back } = scaleOf(scale);
	const before = base.map(into).filter((value) => value !== null);
	const after = other.map(into).filter((value) => value !== null);
	const n = Math.min(before.length, after.length);
	if (n === 0) return { n, estimate: null, low: null, high: null, p: null, effect: null };

	const differences = ascending(before.flatMap((from) => after.map((to) => to - from)));
	const cut = leftOut(mannWhitney(before.length, after.length));
	const ranks = doubledRanks([...after, ...before]);
	const larger = differences.filter((difference) => difference > 0).length;
	const smaller = differences.filter((difference) => difference < 0).length;
	return {
		n,
		estimate: back(median(differences)),
		low: cut === null ? null : back(differences[cut]),
		high: cut === null ? null : back(differences[differences.length - 1 - cut]),
		p: twoSided(
			chosenRankSums(ranks, after.length),
			ranks.slice(0, after.length).reduce((sum, rank) => sum + rank, 0),
		),
		// The rank-biserial correlation of two samples, which is also Cliff's delta (Kerby 2014).
		effect: (larger - smaller) / differences.length,
	};
}

/** The distribution of the Mann-Whitney statistic without ties, which is the rank sum less the least that it can be. */
function mannWhitney(before: number, after: number) {
	const ranks = Array.from({ length: before + after }, (_, index) => index + 1);
	return chosenRankSums(ranks, after).slice((after * (after + 1)) / 2);
}

/*
 * The correction for having asked more than one question: of twenty metrics without any difference, one would pass at 5 %.
 */

/**
 * Holm's step-down procedure (1979): the least p times the number of questions, the next times one less, and so on, none below
 * one before it. It keeps the chance of any false alarm at the level, assumes nothing about how the metrics hang together, and
 * always finds at least what Bonferroni's correction finds.
 * @param pValues null: a question that could not be asked, and that does not count
 * @returns in the same order
 */
export function adjustHolm(pValues: (number | null)[]): (number | null)[] {
	const asked = pValues.flatMap((p, index) => (p === null ? [] : [{ p, index }])).sort((one, other) => one.p - other.p);
	const adjusted: (number | null)[] = pValues.map(() => null);
	let least = 0;
	asked.forEach(({ p, index }, before) => {
		least = Math.max(least, Math.min(1, p * (asked.length - before)));
		adjusted[index] = least;
	});
	return adjusted;
}
