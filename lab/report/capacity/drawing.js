/**
 * The curve of a capacity plan as SVG: every run as a ring, medians filled, the fit with its interval, dashed where no run was made, the
 * target and the number of nodes that meets it. Wide and narrow are both in the page; the style sheet shows the one that fits.
 *
 * @typedef {import('../../record/capacity-plan.js').CapacityPlan} CapacityPlan
 * @typedef {import('../experiment/curve-scales.js').Frame} Frame
 * @typedef {{ x: (n: number) => number, y: (rps: number) => number, most: number }} Scales  most: of y
 */
import { FRAMES, LABEL_LINE, MEDIAN, RING, RUN_STEP_PX } from '../experiment/curve-frames.js';
import { ticksTo } from '../experiment/curve-scales.js';
import { count, plural, rate } from '../format.js';
import { html } from '../html.js';

const DIAMOND = 6;
/** The hold-out's interval stands so far left of the runs that it is about. */
const HELD_OUT_PX = 22;
const CAP = 4;
const ROOM = 1.06;
/** An interval far wider than the figures would press them to the ground. */
const BAND_ROOM = 1.6;

/** @param {CapacityPlan} plan */
export const capacityDrawings = (plan) => html`${/** @type {const} */ (['wide', 'narrow']).map((form) => drawing(plan, form))}`;

/** @type {(plan: CapacityPlan, form: 'wide' | 'narrow') => import('../html.js').Html} */
function drawing(plan, form) {
  const frame = FRAMES[form];
  const scales = scalesOf(plan, frame);
  const clip = `capacity-plot-${form}`;
  const { width, height, left, right, top, bottom } = frame;
  return html`<svg class="curve ${form}" viewBox="0 0 ${width} ${height}" role="img" aria-label="Goodput by nodes, with the target. ${plan.headline}">
<defs><clipPath id="${clip}"><rect x="${left}" y="${top}" width="${width - left - right}" height="${height - top - bottom}"/></clipPath></defs>
${axes(plan, frame, scales)}
<g clip-path="url(#${clip})">${fit(plan, scales)}${heldOut(plan, scales)}</g>
${plan.curve.points.map((point) => runs(point, scales))}
${target(plan, frame, scales)}
</svg>
`;
}

/** @type {(plan: CapacityPlan, frame: Frame) => Scales} */
function scalesOf({ curve, most, target: { rps }, numbers, nodes, hold_out: check }, frame) {
  const planned = numbers.filter(({ n }) => n <= nodes).map(({ capacity_rps: { estimate } }) => estimate);
  const highest = Math.max(
    rps,
    check.predicted.high,
    ...planned,
    ...curve.points.flatMap(({ values }) => values),
    ...curve.line.map(({ value }) => value),
  );
  const mostY = Math.min(Math.max(highest, ...curve.line.map(({ high }) => high)), highest * BAND_ROOM) * ROOM;
  const plot = { width: frame.width - frame.left - frame.right, height: frame.height - frame.top - frame.bottom };
  return {
    x: (n) => frame.left + (n / (most.reach * ROOM)) * plot.width,
    y: (value) => frame.top + (1 - value / mostY) * plot.height,
    most: mostY,
  };
}

/** @type {(plan: CapacityPlan, frame: Frame, scales: Scales) => import('../html.js').Html} */
function axes({ most: { reach } }, { width, height, left, right, bottom }, { x, y, most }) {
  const floor = height - bottom;
  return html`${ticksTo(most).map((tick) => html`<line class="grid" x1="${left}" x2="${width - right}" y1="${px(y(tick))}" y2="${px(y(tick))}"/><text class="tick" x="${left - 8}" y="${px(y(tick) + 4)}" text-anchor="end">${rate(tick)}</text>`)}
${Array.from({ length: reach }, (_, index) => index + 1).map((n) => html`<line class="mark" x1="${px(x(n))}" x2="${px(x(n))}" y1="${floor}" y2="${floor + 4}"/><text class="tick" x="${px(x(n))}" y="${floor + 17}" text-anchor="middle">${count(n)}</text>`)}
<line class="axis" x1="${left}" x2="${width - right}" y1="${floor}" y2="${floor}"/>
<text class="axis" x="${(left + width - right) / 2}" y="${height - 6}" text-anchor="middle">nodes</text>
<text class="axis" x="2" y="12">goodput</text>`;
}

/** @type {(plan: CapacityPlan, scales: Scales) => import('../html.js').Html} */
function fit({ curve: { line }, most: { measured } }, { x, y }) {
  const upper = line.map(({ n, high }) => `${px(x(n))},${px(y(high))}`);
  const lower = line.toReversed().map(({ n, low }) => `${px(x(n))},${px(y(low))}`);
  const path = (/** @type {CapacityPlan['curve']['line']} */ part) => part.map(({ n, value }) => `${px(x(n))},${px(y(value))}`).join(' ');
  const within = line.filter(({ n }) => n <= measured);
  const beyond = line.slice(within.length - 1);
  return html`<polygon class="band" points="${[...upper, ...lower].join(' ')}"/>
<polyline class="fit" points="${path(within)}"/><polyline class="fit beyond" points="${path(beyond)}"/>`;
}

/** @type {(plan: CapacityPlan, scales: Scales) => import('../html.js').Html} */
function heldOut({ hold_out: { n, predicted } }, { x, y }) {
  const at = x(n) - HELD_OUT_PX;
  const [left, middle, right] = [at - CAP, at, at + CAP].map(px);
  const [low, high] = [px(y(predicted.low)), px(y(predicted.high))];
  return html`<path class="held-out" d="M${left} ${low}H${right}M${middle} ${low}V${high}M${left} ${high}H${right}"/>`;
}

/** @type {(point: CapacityPlan['curve']['points'][number], scales: Scales) => import('../html.js').Html} */
function runs({ n, values, measured }, { x, y }) {
  const middle = (values.length - 1) / 2;
  return html`<g class="runs">${values.map((value, index) => html`<circle class="run" cx="${px(x(n) + (index - middle) * RUN_STEP_PX)}" cy="${px(y(value))}" r="${RING}"/>`)}<circle class="median" cx="${px(x(n))}" cy="${px(y(Number(measured.median)))}" r="${MEDIAN}"/></g>`;
}

/** Named above the plot, where no point can be. @type {(plan: CapacityPlan, frame: Frame, scales: Scales) => import('../html.js').Html} */
function target({ target: { rps }, nodes, numbers }, { width, height, left, right, top, bottom }, { x, y }) {
  const planned = numbers.find(({ n }) => n === nodes);
  const [at, cy] = [x(nodes), y(planned?.capacity_rps.estimate ?? 0)];
  const side = at > width / 2 ? { anchor: 'end', dx: 4 } : { anchor: 'start', dx: -4 };
  return html`<line class="target" x1="${left}" x2="${width - right}" y1="${px(y(rps))}" y2="${px(y(rps))}"/>
<text class="note" x="${left}" y="${top - 4 - LABEL_LINE}">target: ${rate(rps)}</text>
<line class="planned" x1="${px(at)}" x2="${px(at)}" y1="${top}" y2="${height - bottom}"/>
<text class="note" x="${px(at + side.dx)}" y="${top - 4}" text-anchor="${side.anchor}">planned: ${plural(nodes, 'node')}</text>
<path class="peak" d="M${px(at)} ${px(cy - DIAMOND)}L${px(at + DIAMOND)} ${px(cy)}L${px(at)} ${px(cy + DIAMOND)}L${px(at - DIAMOND)} ${px(cy)}Z"/>`;
}

/** A tenth of a pixel is finer than any screen. @param {number} value */
const px = (value) => Number(value.toFixed(1));
