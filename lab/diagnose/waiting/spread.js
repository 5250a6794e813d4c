/**
 * Small sums over calls: times, shares, equal times, and how many are going on at a moment.
 */
import { ascending, quantilesOf } from '../../stats/quantile.js';

export { grouped, some } from '../joins/grouped.js';

/** Waits that a time-out ended differ by less: its timer's step, and the time to close. The lab's own choice. */
const EQUAL_SHARE = 0.02;
const EQUAL_S = 0.02;
/** Of waits that are equal, so that one rule made them. */
const EQUAL_LEAST_SHARE = 0.6;
const EQUAL_LEAST = 3;
/** Shorter equal times are how long an answer takes, not a time-out. */
const TIME_OUT_LEAST_S = 0.1;

/** @param {Iterable<number>} values @param {number} share 0 to 1 @returns {number} NaN of none */
export const spread = (values, share) => quantilesOf(values, [share])[0] ?? Number.NaN;

/** @param {Iterable<number>} values */
export const middle = (values) => spread(values, 0.5);

/** @param {number[]} values @returns {number} 0 of none */
export const average = (values) => (values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length);

/** @param {number} part @param {number} whole @returns {number} 0 of none */
export const share = (part, whole) => (whole === 0 ? 0 : part / whole);

/**
 * Of waits that came to one length: a time-out.
 * @param {number[]} times seconds
 * @returns {number | null}
 */
export function equalTime(times) {
  if (times.length < EQUAL_LEAST) return null;
  const most = middle(times);
  if (most < TIME_OUT_LEAST_S) return null;
  const near = times.filter((time) => Math.abs(time - most) <= Math.max(EQUAL_S, EQUAL_SHARE * most));
  return near.length >= EQUAL_LEAST_SHARE * times.length ? most : null;
}

/** Spans of time, asked how many go on at a moment. */
export class Going {
  #began;
  #over;

  /** @param {number[]} calls @param {Float64Array} began @param {Float64Array} over */
  constructor(calls, began, over) {
    this.#began = ascending(calls.map((call) => began[call]));
    this.#over = ascending(calls.map((call) => over[call]));
  }

  /** @param {number} at */
  at(at) {
    return upTo(this.#began, at) - upTo(this.#over, at);
  }
}

/** How many are not after it. @param {ArrayLike<number>} sorted @param {number} most */
export function upTo(sorted, most) {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const at = (low + high) >> 1;
    if (sorted[at] <= most) low = at + 1;
    else high = at;
  }
  return low;
}

/** How many come before it. @param {ArrayLike<number>} sorted @param {number} least */
export function before(sorted, least) {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const at = (low + high) >> 1;
    if (sorted[at] < least) low = at + 1;
    else high = at;
  }
  return low;
}

/** How many of the first are so, where all after them are not. @template T @param {T[]} all @param {(one: T) => boolean} isSo */
export function leading(all, isSo) {
  let [low, high] = [0, all.length];
  while (low < high) {
    const at = (low + high) >> 1;
    if (isSo(all[at])) low = at + 1;
    else high = at;
  }
  return low;
}

/** @typedef {{ from: number, to: number }} Stretch */

/** @param {number[]} calls @param {{ began: Float64Array, over: Float64Array }} times @returns {Stretch[]} in which at least one went on, in the order of time */
export function stretchesOf(calls, { began, over }) {
  /** @type {Stretch[]} */
  const stretches = [];
  for (const call of calls.toSorted((one, other) => began[one] - began[other])) {
    const last = stretches.at(-1);
    if (last !== undefined && began[call] <= last.to) last.to = Math.max(last.to, over[call]);
    else stretches.push({ from: began[call], to: over[call] });
  }
  return stretches;
}

/** @param {number[]} calls  as they began @param {Stretch[]} stretches @param {{ began: Float64Array }} times @returns {number[]} that began in one of them */
export function begunIn(calls, stretches, { began }) {
  const begun = [];
  for (const { from, to } of stretches)
    for (let place = leading(calls, (call) => began[call] < from); place < calls.length && began[calls[place]] < to; place += 1)
      begun.push(calls[place]);
  return begun;
}
