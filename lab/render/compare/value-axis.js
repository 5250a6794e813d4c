/**
 * A linear axis around what was measured, with a few round numbers on it.
 */

/** Room for half a dot and half a number at either end, per cent of the width. */
const INSET = 9;
const TICKS_MOST = 4;
const ROUND_STEPS = [1, 2, 2.5, 5, 10];

/** Whether every multiple of a step can be written. @type {(step: number, written: number) => boolean} */
const isWritten = (step, written) => written === 0 || Math.abs(step / written - Math.round(step / written)) < 1e-6;

/**
 * @param {number} low
 * @param {number} high
 * @returns {(value: number) => string} from a value to a percentage across the picture; all in the middle when low is high
 */
export function placesBetween(low, high) {
  const across = (/** @type {number} */ value) => (high > low ? (value - low) / (high - low) : 0.5);
  return (value) => `${Number((INSET + across(value) * (100 - 2 * INSET)).toFixed(2))}%`;
}

/**
 * @param {number} low
 * @param {number} high
 * @param {number} [digits]  that are written of a number: two ticks that would read the same are none
 * @returns {number[]} round numbers from low to high; the value itself when there is only one
 */
export function ticksBetween(low, high, digits) {
  if (!(high > low)) return [low];
  const largest = Math.max(Math.abs(low), Math.abs(high));
  const written = digits === undefined ? 0 : 10 ** (Math.floor(Math.log10(largest)) - digits + 1);
  const least = Math.max((high - low) / TICKS_MOST, written);
  const power = 10 ** Math.floor(Math.log10(least));
  const step = power * (ROUND_STEPS.find((round) => round * power >= least * (1 - 1e-9) && isWritten(round * power, written)) ?? 10);
  const first = Math.ceil(low / step - 1e-9);
  const last = Math.floor(high / step + 1e-9);
  if (last < first) return [low];
  // Counted, not added up: sums of 0.1 go astray.
  return Array.from({ length: last - first + 1 }, (_, index) => Number(((first + index) * step).toPrecision(12)));
}
