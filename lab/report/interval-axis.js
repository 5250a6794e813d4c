/**
 * An interval drawn on an axis, as a picture for one row of a table: whatever shares a domain can be compared by eye. The
 * picture is as wide as its place; strokes and marks keep their size. It computes nothing but places.
 *
 * Needs assets/interval-axis.css.
 *
 * @typedef {import('./interval-scale.js').AxisScale} AxisScale
 * @typedef {import('./interval-scale.js').Domain} Domain
 * @typedef {import('./interval-scale.js').Interval} Interval
 * @typedef {{ value: number, label: string, kind: 'threshold' | 'published' }} Mark
 * @typedef {'plain' | 'better' | 'worse' | 'same' | 'open'} Tone  open: nothing is decided, so the estimate is hollow
 */
import { html } from './html.js';
import { isOn, placesOn, ticksOf } from './interval-scale.js';

export { differenceDomain, ratioDomain, shareDomain } from './interval-scale.js';

/** CSS pixels. */
const ROW_HEIGHT = 26;
const LABEL_HEIGHT = 14;
const TICKS_HEIGHT = 20;
const TICK = 4;
/** Taller than the dot, so that an interval narrower than the dot still shows its ends. */
const CAP = 6;
const RADIUS = 3.5;
const ARROW = html`<path class="arrow" d="M8,0L0,-5V5Z"/>`;
const ARROW_LEFT = html`<path class="arrow" d="M-8,0L0,-5V5Z"/>`;
const DIAMOND = html`<path class="published" d="M0,-6L6,0L0,6L-6,0Z"/>`;
/** Labels nearer to an edge than this, of the width, are set inwards. */
const EDGE = 0.22;

/**
 * One row: the interval as a line with caps, its estimate as a dot, an arrow where it leaves the axis.
 *
 * @param {object} input
 * @param {AxisScale} input.scale
 * @param {Interval} input.row        null: not measured, or without an interval
 * @param {Domain} input.domain       from `ratioDomain`, `differenceDomain` or `shareDomain`
 * @param {Domain | null} [input.shade]  what does not matter, such as delta; or the side on which a claim holds; not drawn without an estimate
 * @param {Mark[]} [input.marks]      a threshold is a line, a published figure a hollow diamond, each named above the row
 * @param {string} input.label        the row in words with its figures, for those who do not see it
 * @param {Tone} [input.tone]
 * @returns {import('./html.js').Html}
 */
export function intervalAxis({ scale, row, domain, shade = null, marks = [], label, tone = 'plain' }) {
  const top = marks.length * LABEL_HEIGHT;
  const height = top + ROW_HEIGHT;
  const y = top + ROW_HEIGHT / 2;
  const x = placesOn(scale, domain);
  return html`<svg class="interval ${tone}" width="100%" height="${height}" role="img" aria-label="${label}">
${shade && row.estimate !== null && shadeRect(shade, domain, x, top)}${ground(scale, domain, x, top, height)}${marks.map((mark, index) => markShape(mark, index, x, y, height))}${intervalShape(row, domain, x, y)}</svg>`;
}

/**
 * The axis itself, named: above its rows, in the head of the column, or below them.
 * @param {{ scale: AxisScale, domain: Domain, side?: 'above' | 'below' }} axis
 */
export function intervalTicks({ scale, domain, side = 'above' }) {
  const x = placesOn(scale, domain);
  const [start, end, base] = side === 'above' ? [TICKS_HEIGHT - TICK, TICKS_HEIGHT, TICKS_HEIGHT - TICK - 3] : [0, TICK, TICKS_HEIGHT - 4];
  return html`<svg class="interval ticks" width="100%" height="${TICKS_HEIGHT}" aria-hidden="true">${ticksOf(scale, domain).map(
    ({ value, text }) =>
      html`<line x1="${at(x(value))}" x2="${at(x(value))}" y1="${start}" y2="${end}"/><text x="${at(x(value))}" y="${base}">${text}</text>`,
  )}</svg>`;
}

/** @param {number} place 0 to 1 */
const at = (place) => `${Number((Math.min(1, Math.max(0, place)) * 100).toFixed(2))}%`;

/** @typedef {(value: number) => number} Places */

/** @type {(shade: Domain, domain: Domain, x: Places, top: number) => import('./html.js').Html} */
function shadeRect({ low, high }, domain, x, top) {
  const [left, right] = [x(Math.max(low, domain.low)), x(Math.min(high, domain.high))];
  return html`<rect class="shade" x="${at(left)}" width="${at(Math.max(0, right - left))}" y="${top}" height="${ROW_HEIGHT}"/>`;
}

/** The axis, and the line of no difference. @type {(scale: AxisScale, domain: Domain, x: Places, top: number, height: number) => import('./html.js').Html} */
function ground(scale, domain, x, top, height) {
  const none = scale === 'ratio' ? 1 : 0;
  const line = isOn(none, domain) && html`<line class="none" x1="${at(x(none))}" x2="${at(x(none))}" y1="${top}" y2="${height}"/>`;
  return html`<line class="ground" x1="${at(x(domain.low))}" x2="${at(x(domain.high))}" y1="${height - 0.5}" y2="${height - 0.5}"/>${line}`;
}

/** @type {(mark: Mark, index: number, x: Places, y: number, height: number) => import('./html.js').Html} */
function markShape({ value, label, kind }, index, x, y, height) {
  const place = Math.min(1, Math.max(0, x(value)));
  const anchor = place < EDGE ? 'start' : place > 1 - EDGE ? 'end' : 'middle';
  const base = (index + 1) * LABEL_HEIGHT;
  const line = html`<line class="lead-line ${kind}" x1="${at(place)}" x2="${at(place)}" y1="${base - 1}" y2="${kind === 'threshold' ? height : y}"/>`;
  return html`${line}${kind === 'published' && shifted(place, y, DIAMOND)}<text class="${kind}" x="${at(place)}" y="${base - 3}" text-anchor="${anchor}">${label}</text>`;
}

/** @type {(row: Interval, domain: Domain, x: Places, y: number) => import('./html.js').Html} */
function intervalShape({ estimate, low, high }, domain, x, y) {
  if (estimate === null) return html`<text class="nothing" x="${at(x(domain.low))}" y="${y + 4}">nothing to compare</text>`;
  const from = low ?? estimate;
  const to = high ?? estimate;
  const [left, right] = [x(Math.max(from, domain.low)), x(Math.min(to, domain.high))];
  const edges = [x(domain.low), x(domain.high)];
  // What is outside as a whole is an arrow alone.
  const reach =
    low !== null &&
    right >= left &&
    html`<line class="reach" x1="${at(left)}" x2="${at(right)}" y1="${y}" y2="${y}"/>${[from, to].filter((end) => isOn(end, domain)).map((end) => cap(x(end), y))}`;
  return html`${reach}${from < domain.low && shifted(edges[0], y, ARROW_LEFT)}${to > domain.high && shifted(edges[1], y, ARROW)}${isOn(estimate, domain) && html`<circle class="estimate${low === null && ' alone'}" cx="${at(x(estimate))}" cy="${y}" r="${RADIUS}"/>`}`;
}

/** @type {(place: number, y: number) => import('./html.js').Html} */
const cap = (place, y) => html`<line class="reach" x1="${at(place)}" x2="${at(place)}" y1="${y - CAP}" y2="${y + CAP}"/>`;

/** A path knows no percentages, but what it stands in does. @type {(place: number, y: number, path: import('./html.js').Html) => import('./html.js').Html} */
const shifted = (place, y, path) => html`<svg x="${at(place)}" y="${y}" overflow="visible">${path}</svg>`;
