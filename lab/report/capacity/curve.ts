/** The curve of a capacity plan, with its table and its law. */

import type { CapacityPlan } from '../../record/types.js';
import { ticksTo } from '../experiment/curve-drawing.ts';
import { FRAMES, LABEL_LINE, MEDIAN, RING, RUN_STEP_PX } from '../experiment/curve-frames.ts';
import type { Frame } from '../experiment/curve-scales.ts';
import { extremes } from '../experiment/words.ts';
import { count, figure, numeric, plural, rate } from '../format.ts';
import { type Html, html } from '../html.ts';
import { section } from '../sections/parts.ts';
import { dataTable } from '../table.ts';

/**
 * The curve of a capacity plan as SVG: every run as a ring, medians filled, the fit with its interval, dashed where no run was made, the
 * target and the number of nodes that meets it. Wide and narrow are both in the page; the style sheet shows the one that fits.
 */
/** most: of y */
type Scales = { x: (n: number) => number; y: (rps: number) => number; most: number };

const DIAMOND = 6;
/** The hold-out's interval stands so far left of the runs that it is about. */
const HELD_OUT_PX = 22;
const CAP = 4;
const ROOM = 1.06;
/** An interval far wider than the figures would press them to the ground. */
const BAND_ROOM = 1.6;

const capacityDrawings = (plan: CapacityPlan) => html`${(['wide', 'narrow'] as const).map((form) => drawing(plan, form))}`;

function drawing(plan: CapacityPlan, form: 'wide' | 'narrow'): Html {
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

function scalesOf({ curve, most, target: { rps }, numbers, nodes, hold_out: check }: CapacityPlan, frame: Frame): Scales {
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

function axes({ most: { reach } }: CapacityPlan, { width, height, left, right, bottom }: Frame, { x, y, most }: Scales): Html {
	const floor = height - bottom;
	return html`${ticksTo(most).map((tick) => html`<line class="grid" x1="${left}" x2="${width - right}" y1="${px(y(tick))}" y2="${px(y(tick))}"/><text class="tick" x="${left - 8}" y="${px(y(tick) + 4)}" text-anchor="end">${rate(tick)}</text>`)}
${Array.from({ length: reach }, (_, index) => index + 1).map((n) => html`<line class="mark" x1="${px(x(n))}" x2="${px(x(n))}" y1="${floor}" y2="${floor + 4}"/><text class="tick" x="${px(x(n))}" y="${floor + 17}" text-anchor="middle">${count(n)}</text>`)}
<line class="axis" x1="${left}" x2="${width - right}" y1="${floor}" y2="${floor}"/>
<text class="axis" x="${(left + width - right) / 2}" y="${height - 6}" text-anchor="middle">nodes</text>
<text class="axis" x="2" y="12">goodput</text>`;
}

function fit({ curve: { line }, most: { measured } }: CapacityPlan, { x, y }: Scales): Html {
	const upper = line.map(({ n, high }) => `${px(x(n))},${px(y(high))}`);
	const lower = line.toReversed().map(({ n, low }) => `${px(x(n))},${px(y(low))}`);
	const path = (part: CapacityPlan['curve']['line']) => part.map(({ n, value }) => `${px(x(n))},${px(y(value))}`).join(' ');
	const within = line.filter(({ n }) => n <= measured);
	const beyond = line.slice(within.length - 1);
	return html`<polygon class="band" points="${[...upper, ...lower].join(' ')}"/>
<polyline class="fit" points="${path(within)}"/><polyline class="fit beyond" points="${path(beyond)}"/>`;
}

function heldOut({ hold_out: { n, predicted } }: CapacityPlan, { x, y }: Scales): Html {
	const at = x(n) - HELD_OUT_PX;
	const [left, middle, right] = [at - CAP, at, at + CAP].map(px);
	const [low, high] = [px(y(predicted.low)), px(y(predicted.high))];
	return html`<path class="held-out" d="M${left} ${low}H${right}M${middle} ${low}V${high}M${left} ${high}H${right}"/>`;
}

function runs({ n, values, measured }: CapacityPlan['curve']['points'][number], { x, y }: Scales): Html {
	const middle = (values.length - 1) / 2;
	return html`<g class="runs">${values.map((value, index) => html`<circle class="run" cx="${px(x(n) + (index - middle) * RUN_STEP_PX)}" cy="${px(y(value))}" r="${RING}"/>`)}<circle class="median" cx="${px(x(n))}" cy="${px(y(Number(measured.median)))}" r="${MEDIAN}"/></g>`;
}

/** Named above the plot, where no point can be. */
function target(
	{ target: { rps }, nodes, numbers }: CapacityPlan,
	{ width, height, left, right, top, bottom }: Frame,
	{ x, y }: Scales,
): Html {
	const planned = numbers.find(({ n }) => n === nodes);
	const [at, cy] = [x(nodes), y(planned?.capacity_rps.estimate ?? 0)];
	const side = at > width / 2 ? { anchor: 'end', dx: 4 } : { anchor: 'start', dx: -4 };
	return html`<line class="target" x1="${left}" x2="${width - right}" y1="${px(y(rps))}" y2="${px(y(rps))}"/>
<text class="note" x="${left}" y="${top - 4 - LABEL_LINE}">target: ${rate(rps)}</text>
<line class="planned" x1="${px(at)}" x2="${px(at)}" y1="${top}" y2="${height - bottom}"/>
<text class="note" x="${px(at + side.dx)}" y="${top - 4}" text-anchor="${side.anchor}">planned: ${plural(nodes, 'node')}</text>
<path class="peak" d="M${px(at)} ${px(cy - DIAMOND)}L${px(at + DIAMOND)} ${px(cy)}L${px(at)} ${px(cy + DIAMOND)}L${px(at - DIAMOND)} ${px(cy)}Z"/>`;
}

/** A tenth of a pixel is finer than any screen. */
const px = (value: number) => Number(value.toFixed(1));

export function capacityCurveSection(plan: CapacityPlan) {
	const { curve, law, hold_out: check } = plan;
	const rows = curve.points.map(({ n, arm, values, measured, fitted }) => [
		count(n),
		arm,
		rate(measured.median),
		extremes(measured, rate),
		rate(fitted),
		count(values.length),
	]);
	return section(
		'curve',
		'Capacity by nodes',
		html`<figure class="chart curve-figure">
<figcaption><b>goodput by nodes.</b> See where the lower edge of the band crosses the target: there is the plan. Dashed, no run was made.</figcaption>
<ul class="legend">${key('ring', 'measured: one run')}${key('dot', 'measured: median')}${key('fit', 'fitted, with its 95 % prediction interval')}${key('beyond', 'extrapolated')}${key('target', 'target')}${key('peak', 'planned')}${key('held-out', `what the others predict for ${count(check.n)}`)}</ul>
${capacityDrawings(plan)}
${dataTable('Data of the chart goodput by nodes', [numeric('Nodes'), 'Variant', ...['Median', 'Range', 'Fitted', 'Runs'].map(numeric)], rows)}
</figure>
<p class="fine">λ ${figure(law.lambda)} rps for one node, σ ${figure(law.sigma)} contention, κ ${figure(law.kappa)} coherence. ${law.method}</p>`,
	);
}

const key = (kind: string, text: string) => html`<li><span class="key ${kind}" aria-hidden="true"></span> ${text}</li>`;
