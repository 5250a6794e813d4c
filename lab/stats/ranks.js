/**
 * Ranks, and the exact distributions of their sums. Both are worked out for the very ranks at hand, so that ties and zeros, which
 * failure rates are full of, need no approximation; tables and libraries of the signed-rank and rank-sum distributions know only
 * ranks without ties.
 *
 * A distribution is an array: the probability of each sum, from 0 upwards.
 */

/** Figures that agree in so many digits are tied: a difference is the same whichever two figures it was made of. */
const TIED_DIGITS = 12;

/** @param {number} value */
const tieable = (value) => Number(value.toPrecision(TIED_DIGITS));

/** @param {number[]} values @returns {number[]} a new array, in ascending order */
export const ascending = (values) => [...values].sort((one, other) => one - other);

/**
 * Ranks from 1, doubled: tied values share the mean of their ranks, which may end in a half, and sums are looked up by whole numbers.
 * @param {number[]} values
 * @returns {number[]} twice the rank of each value, in the order of the values
 */
export function doubledRanks(values) {
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
 * @param {number[]} ranks whole numbers
 */
export function signedRankSums(ranks) {
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
 * @param {number[]} ranks whole numbers
 * @param {number} chosen  how many
 */
export function chosenRankSums(ranks, chosen) {
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
 * Both tails, as twice the smaller one.
 * @param {number[]} chances
 * @param {number} observed
 */
export function twoSided(chances, observed) {
  const atMost = total(chances.slice(0, observed + 1));
  const atLeast = total(chances.slice(observed));
  return Math.min(1, 2 * Math.min(atMost, atLeast));
}

/**
 * How many of the ordered averages, or differences, are left out at either end of a 95 % interval: the largest number for which
 * both tails together hold no more than 5 % (Hollander, Wolfe and Chicken 2014, sections 3.3 and 4.3). The interval is therefore
 * conservative, the more so with ties (Noether 1967).
 * @param {number[]} chances without ties
 * @returns {number | null} null when even the whole range is no 95 % interval
 */
export function leftOut(chances) {
  const tail = 0.025;
  let below = 0;
  for (let sum = 0; sum < chances.length; sum += 1) {
    below += chances[sum];
    if (below > tail) return sum === 0 ? null : sum - 1;
  }
  return null;
}

/** @param {number[]} values */
const total = (values) => values.reduce((sum, value) => sum + value, 0);
