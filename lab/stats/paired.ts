/**
 * Two arms compared block by block. The run is the sample, a block is a pair: what the machine did to one run of the block it
 * did to the other, and the difference within the block is free of it.
 *
 * All of it follows from one idea, the signed ranks of the differences, so that estimate, interval and p do not contradict each
 * other: the Hodges-Lehmann estimate, the interval of Tukey from the ordered Walsh averages, and the Wilcoxon signed-rank test
 * (Hollander, Wolfe and Chicken 2014, sections 3.1 to 3.3). Nothing is assumed of the noise but that it is symmetric.
 */

import { median } from './numbers.ts';
import { ascending, type Compared, differencesOf, doubledRanks, leftOut, total, twoSided } from './ranks.ts';
import { scaleOf } from './scale.ts';

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
