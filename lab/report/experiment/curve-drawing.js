/**
 * The scaling curve as SVG: every run as a ring, medians filled, growth in proportion dashed, the fit with its band, the knee
 * and the predicted peak. Its two forms, wide and narrow, are both in the page; the style sheet shows the one that fits.
 *
 * @typedef {import('../../record/experiment-result.js').CurveResult} CurveResult
 * @typedef {import('./curve-scales.js').Frame} Frame
 * @typedef {import('./curve-scales.js').Scales} Scales
 */

import { figure } from '../format.js';
import { html } from '../html.js';
import { FRAMES, LABEL_LINE, MEDIAN, RING, RUN_STEP_PX } from './curve-frames.js';
import { linearAt, scalesOf } from './curve-scales.js';
import { FORMATS } from './words.js';

const PEAK = 6;
const AXIS_TITLE_Y = 12;

/**
 * @param {CurveResult} curve
 * @returns {import('../html.js').Html | null} null when there is nothing to draw
 */
export function curveDrawings(curve) {
  const forms = /** @type {const} */ (['wide', 'narrow']).map((form) => drawing(curve, form));
  return forms.includes(null) ? null : html`${forms}`;
}

/** @type {(curve: CurveResult, form: 'wide' | 'narrow') => import('../html.js').Html | null} */
function drawing(curve, form) {
  const frame = FRAMES[form];
  const scales = scalesOf(curve, frame);
  if (!scales) return null;
  const clip = `curve-plot-${form}`;
  const { width, height, left, right, top, bottom } = frame;
  return html`<svg class="curve ${form}" viewBox="0 0 ${width} ${height}" role="img" aria-label="${curve.metric_label} against ${curve.x_label}. ${curve.sentence}">
<defs><clipPath id="${clip}"><rect x="${left}" y="${top}" width="${width - left - right}" height="${height - top - bottom}"/></clipPath></defs>
${axes(curve, frame, scales)}
<g clip-path="url(#${clip})">${fit(curve, scales)}${linear(curve, scales)}</g>
${annotations(curve, frame, scales)}
${curve.points.map((point) => runs(point, scales))}
${peak(curve, frame, scales)}
</svg>
`;
}

/** @type {(curve: CurveResult, frame: Frame, scales: Scales) => import('../html.js').Html} */
function axes({ x_label, metric_label, unit }, { width, height, left, right, bottom }, { x, y, ticks }) {
  const floor = height - bottom;
  return html`${ticks.y.map((tick) => html`<line class="grid" x1="${left}" x2="${width - right}" y1="${px(y(tick))}" y2="${px(y(tick))}"/><text class="tick" x="${left - 8}" y="${px(y(tick) + 4)}" text-anchor="end">${FORMATS[unit](tick)}</text>`)}
${ticks.x.map((tick) => html`<line class="mark" x1="${px(x(tick))}" x2="${px(x(tick))}" y1="${floor}" y2="${floor + 4}"/><text class="tick" x="${px(x(tick))}" y="${floor + 17}" text-anchor="middle">${figure(tick)}</text>`)}
<line class="axis" x1="${left}" x2="${width - right}" y1="${floor}" y2="${floor}"/>
<text class="axis" x="${(left + width - right) / 2}" y="${height - 6}" text-anchor="middle">${x_label}</text>
<text class="axis" x="2" y="${AXIS_TITLE_Y}">${metric_label}</text>`;
}

/** @type {(curve: CurveResult, scales: Scales) => import('../html.js').Html | null} */
function fit({ usl }, { x, y }) {
  if (!usl || usl.line.length < 2) return null;
  const upper = usl.line.map((point) => `${px(x(point.x))},${px(y(point.high))}`);
  const lower = usl.line.toReversed().map((point) => `${px(x(point.x))},${px(y(point.low))}`);
  return html`<polygon class="band" points="${[...upper, ...lower].join(' ')}"/>
<polyline class="fit" points="${usl.line.map((point) => `${px(x(point.x))},${px(y(point.value))}`).join(' ')}"/>`;
}

/** @type {(curve: CurveResult, scales: Scales) => import('../html.js').Html | null} */
function linear(curve, { x, y, most }) {
  const end = linearAt(curve, most.x);
  return end === null ? null : html`<line class="linear" x1="${px(x(0))}" y1="${px(y(0))}" x2="${px(x(most.x))}" y2="${px(y(end))}"/>`;
}

/** @type {(point: CurveResult['points'][number], scales: Scales) => import('../html.js').Html} */
function runs({ x: place, value, values }, { x, y }) {
  const middle = (values.length - 1) / 2;
  return html`<g class="runs">${values.map((one, index) => html`<circle class="run" cx="${px(x(place) + (index - middle) * RUN_STEP_PX)}" cy="${px(y(one))}" r="${RING}"/>`)}${
    value.median !== null && html`<circle class="median" cx="${px(x(place))}" cy="${px(y(value.median))}" r="${MEDIAN}"/>`
  }</g>`;
}

/**
 * Above the plot, where no point can be, each with a line down to what it names. The peak stands in a line of its own, for it
 * may be close to the knee.
 * @type {(curve: CurveResult, frame: Frame, scales: Scales) => import('../html.js').Html}
 */
function annotations({ knee, usl, x_label, unit }, { width, height, top, bottom }, { x }) {
  const at = usl?.peak;
  const label = (/** @type {number} */ place, /** @type {number} */ line, /** @type {string} */ text) => {
    const side = place > width / 2 ? { anchor: 'end', dx: 4 } : { anchor: 'start', dx: -4 };
    return html`<text class="note" x="${px(place + side.dx)}" y="${top - 4 - line * LABEL_LINE}" text-anchor="${side.anchor}">${text}</text>`;
  };
  return html`${knee !== null && html`<line class="knee" x1="${px(x(knee))}" x2="${px(x(knee))}" y1="${top}" y2="${height - bottom}"/>${label(x(knee), 0, `knee: ${figure(knee)} ${x_label}`)}`}
${at && html`<line class="peak" x1="${px(x(at.n))}" x2="${px(x(at.n))}" y1="${top - LABEL_LINE}" y2="${height - bottom}"/>${label(x(at.n), 1, `predicted peak: ${FORMATS[unit](at.value)} at ${figure(at.n)} ${x_label}`)}`}`;
}

/** @type {(curve: CurveResult, frame: Frame, scales: Scales) => import('../html.js').Html | null} */
function peak({ usl }, { height, bottom }, { x, y, most }) {
  if (!usl?.peak) return null;
  const { n, value, low, high } = usl.peak;
  const [cx, cy, floor] = [x(n), y(value), height - bottom];
  // The interval is of where the peak is, not of how high it is: it lies on the axis.
  const reach =
    low !== null &&
    high !== null &&
    html`<line class="peak-interval" x1="${px(x(Math.min(low, most.x)))}" x2="${px(x(Math.min(high, most.x)))}" y1="${floor}" y2="${floor}"/>`;
  return html`${reach}<path class="peak" d="M${px(cx)} ${px(cy - PEAK)}L${px(cx + PEAK)} ${px(cy)}L${px(cx)} ${px(cy + PEAK)}L${px(cx - PEAK)} ${px(cy)}Z"/>`;
}

/** A tenth of a pixel is finer than any screen. @param {number} value */
const px = (value) => Number(value.toFixed(1));
