/**
 * Two arms compared block by block. The run is the sample, a block is a pair: what the machine did to one run of the block it
 * did to the other, and the difference within the block is free of it.
 *
 * All of it follows from one idea, the signed ranks of the differences, so that estimate, interval and p do not contradict each
 * other: the Hodges-Lehmann estimate, the interval of Tukey from the ordered Walsh averages, and the Wilcoxon signed-rank test
 * (Hollander, Wolfe and Chicken 2014, sections 3.1 to 3.3). Nothing is assumed of the noise but that it is symmetric.
 */
import { median } from './numbers.js';
import { ascending, doubledRanks, leftOut, signedRankSums, twoSided } from './ranks.js';
import { scaleOf } from './scale.js';

/**
 * @typedef {object} Compared
 * @property {number} n                pairs that count; unpaired: the smaller number of figures
 * @property {number | null} estimate  other/base, or other-base; null without figures
 * @property {number | null} low       95 % interval; null when there are too few figures for one
 * @property {number | null} high
 * @property {number | null} p         two-sided, exact
 * @property {number | null} effect    rank-biserial correlation, -1 to 1; positive when other is larger
 */

/**
 * A pair counts when both figures are there, and, for a ratio, positive. With fewer than 6 pairs there is no 95 % interval:
 * even the range of all Walsh averages covers only 1 - 2/2^5 = 94 %. Then low and high are null; the rest stands.
 *
 * Blocks without a difference say something too, namely "none". They stay among the Walsh averages, they take the lowest ranks,
 * and having no sign they are not tossed (Pratt 1959): given the sizes of the differences, the distribution of the rank sum is
 * still exact. Leaving them out before ranking, as Wilcoxon did, can call a difference found that a larger one would not show.
 * @param {(number | null)[]} base   by block
 * @param {(number | null)[]} other  by block
 * @param {'ratio' | 'difference'} scale
 * @returns {Compared}
 * @throws {RangeError} when the arms have different numbers of blocks
 */
export function comparePaired(base, other, scale) {
  if (base.length !== other.length) throw new RangeError(`pairs need as many figures on both sides: ${base.length} and ${other.length}`);
  const { into, back } = scaleOf(scale);
  const differences = base.flatMap((value, block) => {
    const [from, to] = [into(value), into(other[block])];
    return from === null || to === null ? [] : [to - from];
  });
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

/**
 * The mean of every two differences, each with itself too, in ascending order.
 * @param {number[]} differences
 */
export const walshAverages = (differences) =>
  ascending(differences.flatMap((one, index) => differences.slice(index).map((other) => (one + other) / 2)));

/**
 * p, and the matched-pairs rank-biserial correlation: the share of the rank sum that speaks for "larger", minus the share that
 * speaks for "smaller" (Kerby 2014). The ranks of blocks without a difference speak for neither and are in the whole.
 * @param {number[]} differences
 */
function signedRankTest(differences) {
  const ranks = doubledRanks(differences.map(Math.abs));
  const sum = (/** @type {(difference: number) => boolean} */ wanted) =>
    ranks.reduce((total, rank, index) => total + (wanted(differences[index]) ? rank : 0), 0);
  const larger = sum((difference) => difference > 0);
  const smaller = sum((difference) => difference < 0);
  const tossed = ranks.filter((_, index) => differences[index] !== 0);
  return { p: twoSided(signedRankSums(tossed), larger), effect: (larger - smaller) / sum(() => true) };
}
