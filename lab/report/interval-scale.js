/**
 * The axes that intervals are drawn on: how far they reach, where a value stands, and which values are named. A ratio has a
 * logarithmic axis around 1, so that twice as much and half as much are equally far from it; a difference has a linear one
 * around 0, a share a linear one from 0.
 *
 * @typedef {'ratio' | 'difference' | 'share'} AxisScale
 * @typedef {{ low: number, high: number }} Domain
 * @typedef {{ estimate: number | null, low: number | null, high: number | null }} Interval
 */
import { percent } from './format.js';

/** How far a ratio axis may reach, with what is named between 1 and there. What is further out is an arrow at the edge. */
const RATIO_TICKS = new Map([
  [1.25, [0.8, 0.9, 1, 1.1, 1.25]],
  [1.5, [1 / 1.5, 0.8, 1, 1.25, 1.5]],
  [2, [0.5, 0.7, 1, 1.4, 2]],
  [3, [1 / 3, 0.6, 1, 1.7, 3]],
  [4, [0.25, 0.5, 1, 2, 4]],
  [6, [1 / 6, 0.4, 1, 2.5, 6]],
  [10, [0.1, 0.3, 1, 3, 10]],
]);
/** Ends of linear axes, times powers of ten; half of each is a short number too. */
const LINEAR_ENDS = [1, 2, 3, 4, 6, 8, 10];
/** 0.2 percentage points: the least delta, one request in a thousand, then takes up half of the axis. */
const LEAST_REACH = 0.002;
/** Beside the axis there is room for the arrows of what is outside of it. */
const INSET = 0.06;
const MINUS = '−';

/**
 * @param {Interval[]} rows that share the axis
 * @param {number[]} [also] what has to be on it besides
 * @returns {Domain} symmetric around 1
 */
export function ratioDomain(rows, also = []) {
  const reach = Math.max(1, ...valuesOf(rows, also).map((value) => (value > 0 ? Math.max(value, 1 / value) : 1)));
  const reaches = [...RATIO_TICKS.keys()];
  const high = reaches.find((most) => most >= reach) ?? reaches[reaches.length - 1];
  return { low: 1 / high, high };
}

/**
 * @param {Interval[]} rows
 * @param {number[]} [also]
 * @returns {Domain} symmetric around 0
 */
export function differenceDomain(rows, also = []) {
  const high = endAbove(Math.max(LEAST_REACH, ...valuesOf(rows, also).map(Math.abs)));
  return { low: -high, high };
}

/**
 * @param {Interval[]} rows
 * @param {number[]} [also]
 * @returns {Domain} from 0
 */
export const shareDomain = (rows, also = []) => ({ low: 0, high: endAbove(Math.max(LEAST_REACH, ...valuesOf(rows, also))) });

/** @type {(rows: Interval[], also: number[]) => number[]} */
const valuesOf = (rows, also) =>
  [...rows.flatMap(({ estimate, low, high }) => [estimate, low, high]), ...also].filter(
    /** @returns {value is number} */ (value) => value !== null && Number.isFinite(value),
  );

/** The next short number, and never more than all. @param {number} reach */
function endAbove(reach) {
  const power = 10 ** Math.floor(Math.log10(reach));
  // Without the rounding, 3 × 0.1 would be more than 0.3.
  const ends = LINEAR_ENDS.map((end) => Number((end * power).toPrecision(2)));
  return Math.min(1, ends.find((end) => end >= reach) ?? ends[ends.length - 1]);
}

/**
 * @param {AxisScale} scale
 * @param {Domain} domain
 * @returns {(value: number) => number} from a value to its place across the picture, 0 to 1; outside of that where it is not on the axis
 */
export function placesOn(scale, { low, high }) {
  const along =
    scale === 'ratio' ? (/** @type {number} */ value) => (value > 0 ? Math.log(value) : -Infinity) : (/** @type {number} */ value) => value;
  const [start, end] = [along(low), along(high)];
  return (value) => INSET + ((along(value) - start) / (end - start)) * (1 - 2 * INSET);
}

/** @type {(value: number, domain: Domain) => boolean} */
export const isOn = (value, { low, high }) => value >= low && value <= high;

/**
 * @param {AxisScale} scale
 * @param {Domain} domain
 * @returns {{ value: number, text: string }[]} from left to right
 */
export function ticksOf(scale, { low, high }) {
  if (scale === 'ratio') {
    const known = Math.abs(low * high - 1) < 1e-9 ? RATIO_TICKS.get(high) : undefined;
    return (known ?? [low, high]).map((value) => ({ value, text: `${Number(value.toPrecision(value < 1 ? 2 : 3))}×` }));
  }
  const values = scale === 'share' ? [low, high / 2, high] : [low, low / 2, 0, high / 2, high];
  return values.map((value) => ({ value, text: scale === 'share' ? percent(value) : points(value) }));
}

/** Percentage points, signed. @param {number} value */
function points(value) {
  const sign = value > 0 ? '+' : value < 0 ? MINUS : '';
  return `${sign}${Number((Math.abs(value) * 100).toPrecision(3))}`;
}
