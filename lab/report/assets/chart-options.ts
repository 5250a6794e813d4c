/** What the chart library is told to draw for a panel. */
import uPlot from 'uplot';
import { figure } from '../format.ts';
import type { DrawnFault, DrawnStage, Panel, PanelSeries } from '../panels.ts';
import { isMeasured } from '../panels.ts';
import { drawCells } from './chart-cells.ts';
import { chartFont, drawFaults, drawMarks, shadeWarmup } from './chart-marks.ts';
import type { Paint } from './paint.ts';

type Stage = DrawnStage;

type FaultEffect = DrawnFault;

/** draws over the values of a panel */
export type Over = {
	/** that it takes above the plot, CSS pixels */
	room: (panel: Panel) => number;
	draw: (chart: uPlot, panel: Panel, drawn: PanelSeries[], paint: Paint) => void;
};

type Surroundings = { stages: Stage[]; faults: FaultEffect[]; over?: Over; onCursor: (index: number | null) => void };

const DASHES = { solid: undefined, dashed: [6, 4], dotted: [2, 3] };
const AXIS_WIDTH = 56; // the same in all panels, so that their seconds are below each other
const AXIS_HEIGHT = 24;
const HEADROOM = 1.06;
const SYNC_KEY = 'seconds';
/** Per cent: names in it are to be read. */
const SOLID = 72;
/** Per cent: two bands on each other have to leave both lines to be seen. */
const RANGE_OPACITY = 20;
/** Nothing of an end is drawn but the band that it bounds. */
const RANGE_END = Object.freeze({ points: { show: false } });

/** Series that have something to draw. Cells are drawn by themselves. */
const drawnSeries = ({ series, grid }: Panel) => (grid ? [] : series.filter(isMeasured));

/** Areas are stacked; lines are as they are. The ends of ranges follow after all series. */
export function chartData(panel: Panel): uPlot.AlignedData {
	let below: (number | null)[] | null = null;
	const drawable = (values: (number | null)[]) =>
		panel.logarithmic ? values.map((value) => (value !== null && value > 0 ? value : null)) : values;
	const rows = drawnSeries(panel).map(({ kind, values }) => {
		if (kind === 'line') return drawable(values);
		const base = below;
		const stacked = base ? values.map((value, index) => (base[index] === null ? null : (base[index] ?? 0) + (value ?? 0))) : values;
		below = stacked;
		return stacked;
	});
	const ranges = rangesOf(drawnSeries(panel)).flatMap(({ low, high }) => [drawable(low), drawable(high)]);
	// Without a value the library has no height to draw in.
	return [panel.t_s, ...rows, ...ranges, ...(panel.grid ? [panel.t_s.map(() => 0)] : [])];
}

export function chartOptions(
	panel: Panel,
	paint: Paint,
	size: { width: number; height: number },
	surroundings: Surroundings,
): uPlot.Options {
	const drawn = drawnSeries(panel);
	const colours = ['', ...drawn.map(({ colour }) => paint.colour(colour))];
	return {
		...size,
		padding: [panel.marksStages ? 18 : (surroundings.over?.room(panel) ?? 0) + 8, 14, 0, 0],
		legend: { show: false },
		scales: { x: { time: false }, y: yScale(panel) },
		axes: [xAxis(paint), yAxis(panel, paint)],
		series: [
			{},
			...drawn.map((series) => seriesOptions(series, panel, paint)),
			...rangesOf(drawn).flatMap(() => [RANGE_END, RANGE_END]),
			...(panel.grid ? [RANGE_END] : []),
		],
		bands: [...stackBands(drawn, paint), ...rangeBands(drawn, paint)],
		cursor: {
			y: false,
			drag: { x: false, y: false },
			sync: { key: SYNC_KEY, setSeries: false, scales: ['x', null] },
			points: {
				size: (_, index) => (index < colours.length ? 7 : 0),
				width: 1,
				fill: (_, index) => colours[index] ?? 'transparent',
				stroke: () => paint.colour('--paper'),
			},
		},
		hooks: {
			drawClear: [
				(chart) => shadeWarmup(chart, paint),
				(chart) => drawCells(chart, panel, paint),
				(chart) => drawFaults(chart, paint, surroundings.faults),
			],
			drawAxes: [(chart) => drawMarks(chart, panel, paint, surroundings.stages)],
			draw: [(chart) => surroundings.over?.draw(chart, panel, drawn, paint)],
			setCursor: [(chart) => surroundings.onCursor(chart.cursor.idx ?? null)],
		},
	};
}

function yScale(panel: Panel): uPlot.Scale {
	if (panel.grid) return { range: [0, panel.series.length] };
	if (panel.logarithmic) return { distr: 3, range: (_, min, max) => (min > 0 ? uPlot.rangeLog(min, max, 10, false) : [1, 10]) };
	const [seconds, ...rows] = chartData(panel);
	// A warm-up may use more than the load has: once there is a load, it is cut off, so that it does not press the load down.
	const load = [...seconds.keys()].filter((index) => seconds[index] > 0);
	const drawn = rows.flatMap((values) => (load.length > 0 ? load : [...seconds.keys()]).map((index) => values[index] ?? 0));
	return { range: [0, Math.max(...drawn, panel.reference ?? 0) * HEADROOM || 1] };
}

const xAxis: (paint: Paint) => uPlot.Axis = (paint) => ({
	...axisLook(paint),
	size: AXIS_HEIGHT,
	gap: 4,
	space: 46,
	values: (_, ticks) => ticks.map((value) => `${figure(value)} s`),
});

const yAxis: (panel: Panel, paint: Paint) => uPlot.Axis = ({ tick, logarithmic, grid }, paint) => ({
	...axisLook(paint),
	grid: { stroke: paint.colour('--rule'), width: 1, filter: (_, splits) => (logarithmic ? splits.map(keepDecade) : splits) },
	size: AXIS_WIDTH,
	gap: 6,
	space: 28,
	values: (_, ticks) => ticks.map((value) => (value === null ? '' : tick(grid ? grid.edges[value] : value))),
	...(grid ? { splits: () => [...grid.edges.keys()] } : {}),
});

const keepDecade = (value: number) => (Number.isInteger(Math.log10(value)) ? value : null);

const axisLook: (paint: Paint) => uPlot.Axis = (paint) => ({
	stroke: paint.colour('--muted'),
	font: chartFont(1),
	grid: { stroke: paint.colour('--rule'), width: 1 },
	ticks: { show: false },
});

function seriesOptions(
	{ label, kind, hatched, isSolid, colour, stroke, bridged }: PanelSeries,
	{ isStepped }: Panel,
	paint: Paint,
): uPlot.Series {
	const isLine = kind === 'line';
	return {
		label,
		// A hatched area has no outline, nor has one in its full colour: where it is empty, that would recolour what is below it.
		stroke: hatched || isSolid ? undefined : paint.colour(colour),
		width: isLine ? 2 : 1,
		dash: DASHES[stroke],
		fill: isLine ? undefined : (areaFill({ colour, hatched, isSolid }, paint) as uPlot.Series.Fill),
		...(isStepped ? { paths: uPlot.paths.stepped?.({ align: -1 }) } : {}),
		spanGaps: bridged,
		points: { show: isLine && !bridged, size: 4, width: 0, fill: paint.colour(colour), filter: lonePoints },
	};
}

/** A value between two missing ones has no line, and is a point. */
function lonePoints(chart: uPlot, series: number): number[] {
	const values = chart.data[series];
	const isMissing = (index: number) => values[index] === null || values[index] === undefined;
	return Array.from(chart.data[0], (_, index) => index).filter(
		(index) => !isMissing(index) && isMissing(index - 1) && isMissing(index + 1),
	);
}

/** The library hands a fill to the canvas as it is, so that a pattern serves as well as a colour; its types know colours alone. */
function areaFill({ colour, hatched, isSolid }: Pick<PanelSeries, 'colour' | 'hatched' | 'isSolid'>, paint: Paint): unknown {
	return (chart: uPlot) => (hatched ? paint.hatch(chart.ctx, colour) : paint.colour(colour, isSolid ? SOLID : 45));
}

const rangesOf = (drawn: PanelSeries[]) => drawn.flatMap(({ range, colour }) => (range ? [{ ...range, colour }] : []));

/** The light band between the ends of a range. */
const rangeBands: (drawn: PanelSeries[], paint: Paint) => uPlot.Band[] = (drawn, paint) =>
	rangesOf(drawn).map(({ colour }, index) => {
		const low = 1 + drawn.length + 2 * index;
		return { series: [low + 1, low] as uPlot.Band.Bounds, fill: paint.colour(colour, RANGE_OPACITY) };
	});

/** An area is filled down to the one below it. */
function stackBands(drawn: PanelSeries[], paint: Paint): uPlot.Band[] {
	const areas = drawn.flatMap(({ kind }, index) => (kind === 'area' ? [index + 1] : []));
	return areas.slice(1).map((index, lower) => ({
		series: [index, areas[lower]] as uPlot.Band.Bounds,
		fill: areaFill(drawn[index - 1], paint) as uPlot.Band.Fill,
	}));
}
