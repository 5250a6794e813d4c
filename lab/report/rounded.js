/** More than any measurement here can tell apart. */
const DIGITS = 5;
/** Moments, in seconds since 1970, keep their fraction. */
const MOMENTS_FROM = 1e9;

/**
 * For JSON.stringify: fractions without the digits that mean nothing. Counts and moments stay as they are.
 * @param {string} _ key
 * @param {unknown} value
 */
export const rounded = (_, value) =>
  typeof value === 'number' && !Number.isInteger(value) && Math.abs(value) < MOMENTS_FROM ? Number(value.toPrecision(DIGITS)) : value;
