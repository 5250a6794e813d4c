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
