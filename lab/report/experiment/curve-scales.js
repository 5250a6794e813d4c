/**
 * Where things are in the drawing of the scaling curve: the reach of its axes, ticks, and numbers to pixels.
 *
 * @typedef {import('../../record/experiment-result.js').CurveResult} CurveResult
 * @typedef {{ width: number, height: number, left: number, right: number, top: number, bottom: number }} Frame pixels; the margins around the plot
 * @typedef {{ x: (value: number) => number, y: (value: number) => number, most: { x: number, y: number }, ticks: { x: number[], y: number[] } }} Scales
 */
import { ticks } from 'd3-array';

/** Linear growth leaves the data behind; it is followed so far above the highest figure measured, and no further. */
const LINEAR_ROOM = 1.25;
/** The same for a band or a peak that are far more uncertain than the data. */
const BAND_ROOM = 1.5;
/** Free space on the right of the last point, as a share of the axis. */
const X_ROOM = 1.06;
const Y_ROOM = 1.05;
const TICKS_ABOUT = 4;
const X_TICK_LEAST_PX = 26;
/** Beyond the data every whole number is named if there are so few, and otherwise round ones. */
const FURTHER_TICKS_MOST = 8;

/**
 * @param {CurveResult} curve
 * @param {Frame} frame
 * @returns {Scales | null} null when nothing was measured that could be drawn
 */
export function scalesOf(curve, frame) {
  const measured = curve.points.flatMap(({ values, value }) => [...values, value.median, value.high]).filter(isMeasured);
  if (measured.length === 0) return null;
  const highest = Math.max(...measured);
  const reach = [
    ...curve.points.map(({ x }) => x),
    ...(curve.usl?.line ?? []).map(({ x }) => x),
    curve.usl?.peak?.n ?? 0,
    curve.knee ?? 0,
  ].filter(isMeasured);
  const farthest = Math.max(...reach);
  const mostX = farthest * X_ROOM || 1;
  const band = (curve.usl?.line ?? []).map(({ high }) => high).filter(isMeasured);
  const linear = linearAt(curve, Math.max(...curve.points.map(({ x }) => x)));
  const mostY =
    Math.max(highest, Math.min(Math.max(0, ...band), highest * BAND_ROOM), Math.min(linear ?? 0, highest * LINEAR_ROOM)) * Y_ROOM || 1;
  const plot = { width: frame.width - frame.left - frame.right, height: frame.height - frame.top - frame.bottom };
  const x = (/** @type {number} */ value) => frame.left + (value / mostX) * plot.width;
  const y = (/** @type {number} */ value) => frame.top + (1 - value / mostY) * plot.height;
  return {
    x,
    y,
    most: { x: mostX, y: mostY },
    ticks: {
      x: spread(countsTo(curve.points, farthest), x),
      y: ticksTo(mostY),
    },
  };
}

/**
 * What growth in proportion to the first point would give.
 * @param {CurveResult} curve
 * @param {number} x
 * @returns {number | null} null where growth in proportion means nothing, as for a latency
 */
export function linearAt({ points }, x) {
  const first = points.toSorted((one, other) => one.x - other.x)[0];
  const isLinear = points.some(({ efficiency }) => efficiency !== null);
  if (!isLinear || first.value.median === null || first.x === 0) return null;
  return (first.value.median / first.x) * x;
}

/**
 * @param {CurveResult['points']} points
 * @param {number} most
 */
function countsTo(points, most) {
  const measured = points.map(({ x }) => x);
  const last = Math.max(...measured);
  const isSmall = most - last <= FURTHER_TICKS_MOST && Number.isInteger(last);
  const further = isSmall
    ? Array.from({ length: Math.floor(most - last) }, (_, index) => last + index + 1)
    : ticksTo(most).filter((tick) => tick > last);
  return [...measured, ...further];
}

/** @param {number | null | undefined} value @returns {value is number} */
const isMeasured = (value) => Number.isFinite(value);

/**
 * Ticks stand where something was measured, and where whole numbers go on to a peak that is predicted; those that would run into each other are left out.
 * @type {(values: number[], place: (value: number) => number) => number[]}
 */
function spread(values, place) {
  const sorted = [...new Set(values)].filter(isMeasured).sort((one, other) => one - other);
  /** @type {number[]} */
  const kept = [];
  for (const value of sorted) {
    const last = kept.at(-1);
    if (last === undefined || place(value) - place(last) >= X_TICK_LEAST_PX) kept.push(value);
  }
  return kept;
}

/** Round numbers from 0. @param {number} most */
export const ticksTo = (most) => ticks(0, most, TICKS_ABOUT);
