/**
 * Small arithmetic that several parts of the analysis share. Missing values are null and stay null.
 */

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
 * @returns {import('../record/comparison.js').Range}
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
      .map(([key, value]) => /** @type {[string, number]} */ ([key, value - (before[key] ?? 0)]))
      .filter(([, value]) => value !== 0),
  );
}

/**
 * Shares out a whole number in proportion to weights, by largest remainder, so that the parts sum to it exactly.
 * @param {number} total
 * @param {number[]} weights
 */
export function apportion(total, weights) {
  const whole = sum(weights);
  if (whole === 0) return weights.map(() => 0);
  const exact = weights.map((weight) => (total * weight) / whole);
  const parts = exact.map(Math.floor);
  const order = exact.map((value, index) => ({ index, rest: value - Math.floor(value) })).sort((one, other) => other.rest - one.rest);
  const missing = total - sum(parts);
  for (const { index } of order.slice(0, missing)) parts[index] += 1;
  return parts;
}
