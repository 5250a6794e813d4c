/**
 * The dots of one metric. Places across are percentages, so that the picture fits its column and dots stay round.
 *
 * @typedef {import('./carried.js').DrawnMetric} DrawnMetric
 * @typedef {{ run: import('./carried.js').DrawnRun, side: import('./sides.js').Side, id: string, index: number }} ShownRun
 *   index: the same for a run in all pictures
 * @typedef {ShownRun & { value: number, y: number }} Dot
 * @typedef {(value: number) => string} Places
 */
import { count, MISSING, SIGNIFICANT_DIGITS } from '../format.js';
import { html } from '../html.js';
import { SIDES } from './sides.js';
import { placesBetween, ticksBetween } from './value-axis.js';
import { FORMATS } from './words.js';

/** CSS pixels. */
const TOP = 8;
const ROW = 12;
const AXIS = 22;
const RADIUS = 4;
const DIAMOND = html`<path class="mark" d="M0,-5L5,0L0,5L-5,0Z"/>`;
const CROSS = html`<path class="cross" d="M-6,-6L6,6M6,-6L-6,6"/>`;

/** @param {import('./carried.js').DrawnComparison} comparison */
export function dotStrips(comparison) {
  const runs = shownRuns(comparison);
  return html`${comparison.metrics.map((metric) => dotsDrawing(metric, runs))}`;
}

/**
 * @template {import('./carried.js').DrawnRun} Run
 * @param {Record<import('./sides.js').Side, { id: string, runs: Run[] }>} comparison
 * @returns {(ShownRun & { run: Run })[]} by block
 */
export const shownRuns = (comparison) =>
  SIDES.flatMap((side) => comparison[side].runs.map((run) => ({ run, side, id: comparison[side].id })))
    .sort((one, other) => one.run.block - other.run.block)
    .map((shown, index) => ({ ...shown, index }));

/**
 * @param {DrawnMetric} metric
 * @param {ShownRun[]} runs by block
 */
function dotsDrawing(metric, runs) {
  const { id, label, unit } = metric;
  const blocks = [...new Set(runs.map(({ run }) => run.block))];
  const dots = runs.flatMap((shown) => {
    const value = shown.run.metrics[id];
    return typeof value === 'number' && Number.isFinite(value)
      ? [{ ...shown, value, y: TOP + ROW * (blocks.indexOf(shown.run.block) + 0.5) }]
      : [];
  });
  const head = html`<p class="strip-head"><b>${label}</b> <span class="readout">${dots.length === 0 && MISSING}</span></p>`;
  if (dots.length === 0) return html`<div class="dot-strip">${head}<p class="fine">Not measured.</p></div>`;
  const values = dots.map(({ value }) => value);
  const x = placesBetween(Math.min(...values), Math.max(...values));
  const bottom = TOP + ROW * blocks.length + 4;
  return html`<div class="dot-strip">${head}
<svg class="dots" width="100%" height="${bottom + AXIS}" role="group" aria-label="Runs by ${label}. Arrow keys move between dots.">
${ticksBetween(Math.min(...values), Math.max(...values), unit === 'count' ? undefined : SIGNIFICANT_DIGITS).map((tick) => html`<line class="grid" x1="${x(tick)}" x2="${x(tick)}" y1="${TOP}" y2="${bottom}"/><text x="${x(tick)}" y="${bottom + 15}" text-anchor="middle">${FORMATS[unit](tick)}</text>`)}
${blocks.map((block, index) => html`<text class="block" x="0" y="${TOP + ROW * (index + 0.5) + 4}">${count(block)}</text>`)}
${SIDES.map((side) => medianLine(metric, side, x, bottom))}
${blocks.map((block) => pairLine(dots, block, x))}
${dots.map((dot, index) => dotShape(dot, metric, x, index === 0))}
</svg></div>
`;
}

/** @type {(metric: DrawnMetric, side: import('./sides.js').Side, x: Places, bottom: number) => import('../html.js').Html | null} */
function medianLine(metric, side, x, bottom) {
  const { median } = metric[side];
  return median === null ? null : html`<line class="median ${side}" x1="${x(median)}" x2="${x(median)}" y1="${TOP}" y2="${bottom}"/>`;
}

/** Joins the two runs of a block that count. @type {(dots: Dot[], block: number, x: Places) => import('../html.js').Html | null} */
function pairLine(dots, block, x) {
  const [base, other] = SIDES.map((wanted) => dots.find(({ run, side }) => run.counts && run.block === block && side === wanted));
  if (!base || !other) return null;
  return html`<line class="pair" x1="${x(base.value)}" x2="${x(other.value)}" y1="${base.y}" y2="${base.y}"/>`;
}

/** @type {(dot: Dot, metric: DrawnMetric, x: Places, isFirst: boolean) => import('../html.js').Html} */
function dotShape({ run, side, id, index, value, y }, { unit, label }, x, isFirst) {
  const { verdict } = run.validity;
  const words = `block ${count(run.block)}, ${id}: ${FORMATS[unit](value)}${verdict === 'VALID' ? '' : `, ${verdict}`}${run.counts || verdict === 'INVALID' ? '' : ', does not count'}`;
  const mark = side === 'base' ? html`<circle class="mark" r="${RADIUS}"/>` : DIAMOND;
  const attributes = html`class="dot ${side}${!run.counts && ' hollow'}" tabindex="${isFirst ? 0 : -1}" data-run="${index}" data-text="${words}" aria-label="${label}, ${words}"`;
  const shape = html`<svg x="${x(value)}" y="${y}" overflow="visible"><circle class="around" r="8"/>${mark}${verdict === 'INVALID' && CROSS}</svg>`;
  // A run whose report is not kept can be pointed at all the same.
  return run.href === null
    ? html`<g ${attributes} role="img">${shape}</g>
`
    : html`<a ${attributes} href="./${run.href}">${shape}</a>
`;
}
