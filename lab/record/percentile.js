/**
 * Percentiles as k6 computes its own (metrics/sink.go, TrendSink.P): the value at that share of the sorted values, counted from the first to
 * the last, and between two of them on the straight line.
 */

/**
 * @param {ArrayLike<number>} sorted of at least one value
 * @param {number} share 0 to 1
 */
export function percentileOf(sorted, share) {
  const place = share * (sorted.length - 1);
  const [below, above] = [sorted[Math.floor(place)], sorted[Math.ceil(place)]];
  return below + (above - below) * (place - Math.floor(place));
}
