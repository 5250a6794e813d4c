import type { Arm, ArmRun, Comparison, MetricComparison, Range } from '../../record/types.js';
import { columnsOf, rowsOf } from '../columns.ts';
import { extremes } from '../experiment/words.ts';
import { count, FORMATS, figure, MISSING, milliseconds, rate, SIGNIFICANT_DIGITS, withUnit } from '../format.ts';
import { type Html, html } from '../html.ts';
import { type Panel, type PanelSeries, panelSeries } from '../panels.ts';
import { placesBetween, ticksBetween } from './value-axis.ts';

/** The two arms of a comparison. */
export type ArmKey = 'base' | 'other';

export const SIDES = ['base', 'other'] as const;

/**
 * How the compare page writes figures: as the page of an experiment does.
 */

/** The dots of one metric. Places across are percentages, so that the picture fits its column and dots stay round. */
/** index: the same for a run in all pictures */
type ShownRun = { run: DrawnRun; side: ArmKey; id: string; index: number };

type Dot = ShownRun & { value: number; y: number };

type Places = (value: number) => string;

/** CSS pixels. */
const TOP = 8;
const ROW = 12;
const AXIS = 22;
const RADIUS = 4;
const DIAMOND = html`<path class="mark" d="M0,-5L5,0L0,5L-5,0Z"/>`;
const CROSS = html`<path class="cross" d="M-6,-6L6,6M6,-6L-6,6"/>`;

export function dotStrips(comparison: DrawnComparison) {
	const runs = shownRuns(comparison);
	return html`${comparison.metrics.map((metric) => dotsDrawing(metric, runs))}`;
}

/** @returns by block */
export const shownRuns = <Run extends DrawnRun>(comparison: Record<ArmKey, { id: string; runs: Run[] }>): (ShownRun & { run: Run })[] =>
	SIDES.flatMap((side) => comparison[side].runs.map((run) => ({ run, side, id: comparison[side].id })))
		.sort((one, other) => one.run.block - other.run.block)
		.map((shown, index) => ({ ...shown, index }));

/** @param runs by block */
function dotsDrawing(metric: DrawnMetric, runs: ShownRun[]) {
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

function medianLine(metric: DrawnMetric, side: ArmKey, x: Places, bottom: number): Html | null {
	const { median } = metric[side];
	return median === null ? null : html`<line class="median ${side}" x1="${x(median)}" x2="${x(median)}" y1="${TOP}" y2="${bottom}"/>`;
}

/** Joins the two runs of a block that count. */
function pairLine(dots: Dot[], block: number, x: Places): Html | null {
	const [base, other] = SIDES.map((wanted) => dots.find(({ run, side }) => run.counts && run.block === block && side === wanted));
	if (!base || !other) return null;
	return html`<line class="pair" x1="${x(base.value)}" x2="${x(other.value)}" y1="${base.y}" y2="${base.y}"/>`;
}

function dotShape({ run, side, id, index, value, y }: Dot, { unit, label }: DrawnMetric, x: Places, isFirst: boolean): Html {
	const { verdict } = run.validity;
	const words = `repetition ${count(run.block)}, ${id}: ${FORMATS[unit](value)}${verdict === 'VALID' ? '' : `, ${verdict}`}${run.counts || verdict === 'INVALID' ? '' : ', does not count'}`;
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

/**
 * The panels in which both arms are drawn on one time axis: the median over the runs, and a band from the least to the most.
 * The page takes its captions and legends from here, the script in the page its charts and their tables.
 */
type TimelineKey = 'goodput_rps' | 'failures_per_s' | 'latency_ms_p95_ok' | 'vus';

type ChartMetric = {
	key: TimelineKey;
	title: string;
	caption: string;
	format: (value: number | null | undefined) => string;
	tick: (value: number) => string;
	logarithmic?: boolean;
	height: number;
};

const CHART_METRICS: ChartMetric[] = [
	{
		key: 'goodput_rps',
		title: 'Goodput',
		caption: 'Good answers a second. Where the bands part, the variants differ in every repetition.',
		format: rate,
		tick: figure,
		height: 160,
	},
	{
		key: 'failures_per_s',
		title: 'Failures',
		caption: 'Failed requests a second. See when they begin, and in which variant.',
		format: (value) => withUnit(value, '/s'),
		tick: figure,
		height: 120,
	},
	{
		key: 'latency_ms_p95_ok',
		title: 'p95 of successes',
		caption: 'On a logarithmic axis. It leaves out what failed: read it below the failures of the same seconds.',
		format: milliseconds,
		tick: milliseconds,
		logarithmic: true,
		height: 160,
	},
	{ key: 'vus', title: 'Users', caption: 'Virtual users at work: the same load on both variants.', format: count, tick: count, height: 90 },
];

/** @returns from top to bottom */
export function comparePanels({ base, other }: Record<ArmKey, Pick<Arm, 'id' | 'timeline'>>): Panel[] {
	const seconds = [...new Set([base, other].flatMap(({ timeline }) => timeline.map(({ t_s: t }) => t)))].sort((one, two) => one - two);
	return CHART_METRICS.map((metric) => ({
		id: metric.key,
		title: metric.title,
		caption: metric.caption,
		t_s: seconds,
		series: [
			armSeries(base, seconds, metric, { colour: '--arm-base', stroke: 'dashed' }),
			armSeries(other, seconds, metric, { colour: '--arm-other', stroke: 'solid' }),
		],
		tick: metric.tick,
		logarithmic: metric.logarithmic ?? false,
		reference: null,
		height: metric.height,
		marksStages: false,
	}));
}

function armSeries(
	{ id, timeline }: Pick<Arm, 'id' | 'timeline'>,
	seconds: number[],
	{ key, format }: ChartMetric,
	look: { colour: string; stroke: 'solid' | 'dashed' },
): PanelSeries {
	const bySecond = new Map(timeline.map((row) => [row.t_s, row[key]]));
	const ranges = seconds.map((second) => bySecond.get(second) ?? { median: null, low: null, high: null });
	const values = ranges.map(({ median }) => median);
	const range = { low: ranges.map(({ low }) => low), high: ranges.map(({ high }) => high) };
	return panelSeries({ label: id, values, range, text: (index) => rangeText(ranges[index], format), ...look }, format);
}

/** `932 rps (918 to 944 rps)`. */
function rangeText(range: Range, format: ChartMetric['format']): string {
	const median = format(range.median);
	const ends = extremes(range, format);
	return median === MISSING || ends === MISSING || ends === median ? median : `${median} (${ends})`;
}

/**
 * What the script of the compare page draws its pictures from, as the page carries it: of a comparison only that, and a list for each figure
 * of the seconds, since a row for each would repeat its keys.
 */
type DrawnRun = Pick<ArmRun, 'block' | 'counts' | 'href' | 'metrics'> & { validity: Pick<ArmRun['validity'], 'verdict'> };

type DrawnArm = Pick<Arm, 'id' | 'timeline'> & { runs: DrawnRun[] };

type DrawnMetric = Pick<MetricComparison, 'id' | 'label' | 'unit'> & Record<ArmKey, { median: number | null }>;

export type DrawnComparison = { base: DrawnArm; other: DrawnArm; metrics: DrawnMetric[] };

type CarriedArm = Omit<DrawnArm, 'timeline'> & { t_s: number[]; figures: Record<string, Record<string, unknown[]>> };

type Carried = { base: CarriedArm; other: CarriedArm; metrics: DrawnMetric[] };

export const carryComparison = ({ base, other, metrics }: Comparison): Carried => ({
	base: carryArm(base, metrics),
	other: carryArm(other, metrics),
	metrics: metrics.map(({ id, label, unit, base: { median }, other: { median: otherMedian } }) => ({
		id,
		label,
		unit,
		base: { median },
		other: { median: otherMedian },
	})),
});

function carryArm({ id, timeline, runs }: Arm, metrics: MetricComparison[]): CarriedArm {
	const { t_s = [], ...ranges } = columnsOf(timeline);
	return {
		id,
		t_s,
		figures: Object.fromEntries(Object.entries(ranges).map(([key, column]) => [key, columnsOf(column)])),
		runs: runs.map(({ block, counts, href, validity: { verdict }, metrics: values }) => ({
			block,
			counts,
			href,
			validity: { verdict },
			metrics: Object.fromEntries(metrics.map((metric) => [metric.id, values[metric.id]])),
		})),
	};
}

export const unfoldComparison = ({ base, other, metrics }: Carried): DrawnComparison => ({
	base: unfoldArm(base),
	other: unfoldArm(other),
	metrics,
});

function unfoldArm({ id, t_s, figures, runs }: CarriedArm): DrawnArm {
	const ranges = Object.fromEntries(Object.entries(figures).map(([key, columns]) => [key, rowsOf(columns)]));
	return { id, runs, timeline: rowsOf({ t_s, ...ranges }) as Arm['timeline'] };
}
