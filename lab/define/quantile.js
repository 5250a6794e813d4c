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
