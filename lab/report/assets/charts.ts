/** Draws every panel of the page, writes its table, moves one cursor through all of them, and says its values in their legends. */

import uPlot from 'uplot';
import { figure, MISSING } from '../format.ts';
import { type DrawnFault, type DrawnStage, type Panel, peakIndex } from '../panels.ts';
import { chartData, chartOptions, type Over } from './chart-options.ts';
import { writeTables } from './chart-tables.ts';
import { readPaint } from './paint.ts';

/** The width of a chart on A4 with usual margins. */
const PRINT_WIDTH = 680;
const FAST_STEP = 10;

/**
 * @param panels onSecond: hears which value is pointed at
 * @param beside over: draws over a panel's values
 */
export function drawPanels(
	panels: (Panel & { onSecond?: (index: number | null) => void })[],
	stages: DrawnStage[],
	{ faults = [], over }: { faults?: DrawnFault[]; over?: Over } = {},
) {
	const charts: Map<HTMLElement, uPlot> = new Map();

	const draw = () => {
		const paint = readPaint();
		for (const panel of panels) {
			const place = placeOf(panel);
			if (!place) continue;
			charts.get(place)?.destroy();
			const size = { width: place.clientWidth, height: panel.height };
			const surroundings = { stages, faults, over, onCursor: legendWriter(panel) };
			charts.set(place, new uPlot(chartOptions(panel, paint, size, surroundings), chartData(panel), place));
		}
	};
	const fit = (width: number | null) => {
		for (const [place, chart] of charts) {
			const wanted = width ?? place.clientWidth;
			if (wanted !== chart.width) chart.setSize({ width: wanted, height: chart.height });
		}
	};

	draw();
	writeTables(panels);
	for (const place of charts.keys()) startControls(place, () => charts.get(place));
	document.addEventListener('themechange', draw);
	addEventListener('resize', () => fit(null));
	addEventListener('beforeprint', () => fit(PRINT_WIDTH));
	addEventListener('afterprint', () => fit(null));
}

const placeOf: (panel: Panel) => HTMLElement | null = ({ id }) => document.querySelector(`figure[data-panel="${id}"] .plot`);

/** @returns writes the values of that second, or the highest ones */
function legendWriter(panel: Panel & { onSecond?: (index: number | null) => void }): (index: number | null) => void {
	const place = document.querySelector(`figure[data-panel="${panel.id}"]`);
	const second = place?.querySelector('.at');
	const values = [...(place?.querySelectorAll('.legend .value') ?? [])];
	let written: number | null | undefined;
	return (index) => {
		if (index === written || !second) return;
		written = index;
		panel.onSecond?.(index);
		second.textContent = index === null ? 'highest' : `at ${figure(panel.t_s[index])} s`;
		for (const [at, series] of panel.series.entries()) {
			const shown = index ?? peakIndex(series, panel.t_s);
			values[at].textContent = shown < 0 ? MISSING : series.text(shown);
		}
	};
}

/**
 * Keys and fingers; the library itself hears the mouse alone.
 * @param chartOf the chart is a new one after a change of theme
 */
function startControls(place: HTMLElement, chartOf: () => uPlot | undefined) {
	place.addEventListener('keydown', (event) => {
		const chart = chartOf();
		const index = chart && nextIndex(chart, event);
		if (!chart || index === null || index === undefined) return;
		event.preventDefault();
		point(chart, index < 0 ? -1 : chart.valToPos(chart.data[0][index], 'x'));
	});
	place.addEventListener('pointermove', (event) => {
		const chart = chartOf();
		if (chart && event.pointerType === 'touch') point(chart, event.clientX - chart.over.getBoundingClientRect().left);
	});
	place.addEventListener('blur', () => {
		const chart = chartOf();
		if (chart) point(chart, -1);
	});
}

/** Puts the cursor of all panels to a place; a negative one takes it away. */
function point(chart: uPlot, left: number): void {
	const off = left < 0;
	// The type knows one argument; the other two say that hooks are called and that the other panels follow.
	const setCursor = chart.setCursor as (at: { left: number; top: number }, fire: boolean, publish: boolean) => void;
	setCursor({ left: off ? -10 : left, top: off ? -10 : chart.over.clientHeight / 2 }, true, true);
}

/** null: not a key of ours; -1: no cursor */
function nextIndex(chart: uPlot, { key, shiftKey }: KeyboardEvent): number | null {
	const last = chart.data[0].length - 1;
	const step = shiftKey ? FAST_STEP : 1;
	const now = chart.cursor.idx;
	if (key === 'ArrowRight') return Math.min(last, (now ?? -1) + step);
	if (key === 'ArrowLeft') return Math.max(0, (now ?? last + 1) - step);
	if (key === 'Home') return 0;
	if (key === 'End') return last;
	return key === 'Escape' ? -1 : null;
}
