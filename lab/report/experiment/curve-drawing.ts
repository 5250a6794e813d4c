/**
 * The scaling curve as SVG: every run as a ring, medians filled, growth in proportion dashed, the fit with its band, the knee
 * and the predicted peak. Its two forms, wide and narrow, are both in the page; the style sheet shows the one that fits.
 */

import { ticks } from 'd3-array';
import type { CurveResult } from '../../record/types.js';
import { FORMATS, figure } from '../format.ts';
import { type Html, html } from '../html.ts';
import { FRAMES, LABEL_LINE, MEDIAN, RING, RUN_STEP_PX } from './curve-frames.ts';
import type { Frame } from './curve-scales.ts';

type Scales = {
	x: (value: number) => number;
	y: (value: number) => number;
	most: { x: number; y: number };
	ticks: { x: number[]; y: number[] };
};

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

/** @returns null when nothing was measured that could be drawn */
function scalesOf(curve: CurveResult, frame: Frame): Scales | null {
	const measured = [...curve.points.flatMap(({ values, value }) => [...values, value.median, value.high]), curve.bound].filter(isMeasured);
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
	const x = (value: number) => frame.left + (value / mostX) * plot.width;
	const y = (value: number) => frame.top + (1 - value / mostY) * plot.height;
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
 * @returns null where growth in proportion means nothing, as for a latency
 */
function linearAt({ points }: CurveResult, x: number): number | null {
	const first = points.toSorted((one, other) => one.x - other.x)[0];
	const isLinear = points.some(({ efficiency }) => efficiency !== null);
	if (!isLinear || first.value.median === null || first.x === 0) return null;
	return (first.value.median / first.x) * x;
}

function countsTo(points: CurveResult['points'], most: number) {
	const measured = points.map(({ x }) => x);
	const last = Math.max(...measured);
	const isSmall = most - last <= FURTHER_TICKS_MOST && Number.isInteger(last);
	const further = isSmall
		? Array.from({ length: Math.floor(most - last) }, (_, index) => last + index + 1)
		: ticksTo(most).filter((tick) => tick > last);
	return [...measured, ...further];
}

const isMeasured = (value: number | null | undefined): value is number => Number.isFinite(value);

/**
 * Ticks stand where something was measured, and where whole numbers go on to a peak that is predicted; those that would run into each other are left out.
 */
function spread(values: number[], place: (value: number) => number): number[] {
	const sorted = [...new Set(values)].filter(isMeasured).sort((one, other) => one - other);
	const kept: number[] = [];
	for (const value of sorted) {
		const last = kept.at(-1);
		if (last === undefined || place(value) - place(last) >= X_TICK_LEAST_PX) kept.push(value);
	}
	return kept;
}

/** Round numbers from 0. */
export const ticksTo = (most: number) => ticks(0, most, TICKS_ABOUT);

const PEAK = 6;
const AXIS_TITLE_Y = 12;

/** @returns null when there is nothing to draw */
export function curveDrawings(curve: CurveResult): Html | null {
	const forms = (['wide', 'narrow'] as const).map((form) => drawing(curve, form));
	return forms.includes(null) ? null : html`${forms}`;
}

function drawing(curve: CurveResult, form: 'wide' | 'narrow'): Html | null {
	const frame = FRAMES[form];
	const scales = scalesOf(curve, frame);
	if (!scales) return null;
	const clip = `curve-${curve.metric}-${form}`;
	const { width, height, left, right, top, bottom } = frame;
	return html`<svg class="curve ${form}" viewBox="0 0 ${width} ${height}" role="img" aria-label="${curve.metric_label} against ${curve.x_label}. ${curve.sentence}">
<defs><clipPath id="${clip}"><rect x="${left}" y="${top}" width="${width - left - right}" height="${height - top - bottom}"/></clipPath></defs>
${axes(curve, frame, scales)}
<g clip-path="url(#${clip})">${fit(curve, scales)}${linear(curve, scales)}${setting(curve, frame, scales)}</g>
${annotations(curve, frame, scales)}
${curve.points.map((point) => runs(point, scales))}
${peak(curve, frame, scales)}
</svg>
`;
}

function axes({ x_label, metric_label, unit }: CurveResult, { width, height, left, right, bottom }: Frame, { x, y, ticks }: Scales): Html {
	const floor = height - bottom;
	return html`${ticks.y.map((tick) => html`<line class="grid" x1="${left}" x2="${width - right}" y1="${px(y(tick))}" y2="${px(y(tick))}"/><text class="tick" x="${left - 8}" y="${px(y(tick) + 4)}" text-anchor="end">${FORMATS[unit](tick)}</text>`)}
${ticks.x.map((tick) => html`<line class="mark" x1="${px(x(tick))}" x2="${px(x(tick))}" y1="${floor}" y2="${floor + 4}"/><text class="tick" x="${px(x(tick))}" y="${floor + 17}" text-anchor="middle">${figure(tick)}</text>`)}
<line class="axis" x1="${left}" x2="${width - right}" y1="${floor}" y2="${floor}"/>
<text class="axis" x="${(left + width - right) / 2}" y="${height - 6}" text-anchor="middle">${x_label}</text>
<text class="axis" x="2" y="${AXIS_TITLE_Y}">${metric_label}</text>`;
}

function fit({ usl }: CurveResult, { x, y }: Scales): Html | null {
	if (!usl || usl.line.length < 2) return null;
	const upper = usl.line.map((point) => `${px(x(point.x))},${px(y(point.high))}`);
	const lower = usl.line.toReversed().map((point) => `${px(x(point.x))},${px(y(point.low))}`);
	return html`<polygon class="band" points="${[...upper, ...lower].join(' ')}"/>
<polyline class="fit" points="${usl.line.map((point) => `${px(x(point.x))},${px(y(point.value))}`).join(' ')}"/>`;
}

function linear(curve: CurveResult, { x, y, most }: Scales): Html | null {
	const end = linearAt(curve, most.x);
	return end === null ? null : html`<line class="linear" x1="${px(x(0))}" y1="${px(y(0))}" x2="${px(x(most.x))}" y2="${px(y(end))}"/>`;
}

function setting({ bound, points }: CurveResult, { left, width, right }: Frame, { x, y }: Scales): Html {
	const line =
		bound !== undefined && html`<line class="linear" x1="${left}" x2="${width - right}" y1="${px(y(bound))}" y2="${px(y(bound))}"/>`;
	return html`${line}${points.map(({ x: place, interval }) => hasInterval(interval) && html`<line class="fit" x1="${px(x(place))}" x2="${px(x(place))}" y1="${px(y(interval.low))}" y2="${px(y(interval.high))}"/>`)}`;
}

export const hasInterval = (
	interval: CurveResult['points'][number]['interval'],
): interval is { median: number; low: number; high: number } => isMeasured(interval?.low) && isMeasured(interval?.high);

function runs({ x: place, value, values }: CurveResult['points'][number], { x, y }: Scales): Html {
	const middle = (values.length - 1) / 2;
	return html`<g class="runs">${values.map((one, index) => html`<circle class="run" cx="${px(x(place) + (index - middle) * RUN_STEP_PX)}" cy="${px(y(one))}" r="${RING}"/>`)}${
		value.median !== null && html`<circle class="median" cx="${px(x(place))}" cy="${px(y(value.median))}" r="${MEDIAN}"/>`
	}</g>`;
}

/**
 * Above the plot, where no point can be, each with a line down to what it names. The peak stands in a line of its own, for it
 * may be close to the knee.
 */
function annotations({ knee, usl, x_label, unit }: CurveResult, { width, height, top, bottom }: Frame, { x }: Scales): Html {
	const at = usl?.peak;
	const label = (place: number, line: number, text: string) => {
		const side = place > width / 2 ? { anchor: 'end', dx: 4 } : { anchor: 'start', dx: -4 };
		return html`<text class="note" x="${px(place + side.dx)}" y="${top - 4 - line * LABEL_LINE}" text-anchor="${side.anchor}">${text}</text>`;
	};
	return html`${knee !== null && html`<line class="knee" x1="${px(x(knee))}" x2="${px(x(knee))}" y1="${top}" y2="${height - bottom}"/>${label(x(knee), 0, `knee: ${figure(knee)} ${x_label}`)}`}
${at && html`<line class="peak" x1="${px(x(at.n))}" x2="${px(x(at.n))}" y1="${top - LABEL_LINE}" y2="${height - bottom}"/>${label(x(at.n), 1, `predicted peak: ${FORMATS[unit](at.value)} at ${figure(at.n)} ${x_label}`)}`}`;
}

function peak({ usl }: CurveResult, { height, bottom }: Frame, { x, y, most }: Scales): Html | null {
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

/** A tenth of a pixel is finer than any screen. */
const px = (value: number) => Number(value.toFixed(1));
