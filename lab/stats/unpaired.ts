/**
 * An arm compared with one that was measured at another time, such as a stored baseline: no figure belongs to another one, and
 * what the machine did meanwhile is in the difference. Pairs say more; this is for when there are none.
 *
 * The two-sample counterparts of those for pairs: the Hodges-Lehmann shift, the interval of Moses from the ordered differences, and the
 * Wilcoxon rank-sum (Mann-Whitney) test (Hollander, Wolfe and Chicken 2014, sections 4.1 to 4.3).
 */

import { median } from './numbers.ts';
import { ascending, type Compared, doubledRanks, leftOut, total, twoSided } from './ranks.ts';
import { scaleOf } from './scale.ts';

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
