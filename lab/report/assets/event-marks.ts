/**
 * What happened, on a chart: a line for each with its number above the plot, and its text where there is room. And the names of areas in them.
 */

import type { Panel, PanelSeries } from '../panels.ts';
import { chartFont } from './chart-marks.ts';
import type { Over } from './chart-options.ts';
import type { Paint } from './paint.ts';

type uPlot = import('uplot');

/** Rows of texts above the plot; what fits in none has its number alone. */
const ROWS_MOST = 3;
const ROW = 16; // CSS pixels
const GAP = 5;
/** An area of this height holds its name. */
const NAME_HEIGHT = 17;
/** Beside it: what is hardly wider than its name is no area. */
const NAME_ROOM = 40;

/** @returns CSS pixels */
const roomForEvents = ({ marks = [] }: Panel): number => {
	const reported = marks.filter(({ text }) => text !== '').length;
	return Math.min(reported, ROWS_MOST) * ROW;
};

function drawEvents(chart: uPlot, { marks = [] }: Panel, paint: Paint): void {
	const { ctx, bbox } = chart;
	const scale = devicePixelRatio;
	ctx.save();
	ctx.font = chartFont(scale);
	ctx.textBaseline = 'middle';
	ctx.textAlign = 'left';
	const rows = Math.min(marks.filter(({ text }) => text !== '').length, ROWS_MOST);
	/** Of each row, where it is free from. */
	const free = new Array(ROWS_MOST).fill(0);
	const texts = [];
	for (const [index, { t_s, kind, text }] of marks.entries()) {
		const x = Math.round(chart.valToPos(t_s, 'x', true));
		if (x < bbox.left || x > bbox.left + bbox.width) continue;
		const placed = text === '' ? null : placeText(chart, free, rows, x, `${numberSign(index + 1)} ${text}`, numberSign(index + 1));
		const top = placed ? bbox.top - (rows - placed.row - 0.2) * ROW * scale : bbox.top;
		ctx.fillStyle = paint.colour(colourOf(kind));
		ctx.globalAlpha = kind === 'limit' ? 0.55 : 1;
		ctx.fillRect(x, top, Math.max(1, Math.round(scale)), bbox.top + bbox.height - top);
		if (placed) texts.push({ ...placed, kind, y: bbox.top - (rows - placed.row - 0.5) * ROW * scale - 2 * scale });
	}
	ctx.globalAlpha = 1;
	ctx.strokeStyle = paint.colour('--paper');
	ctx.lineWidth = 4 * scale;
	ctx.lineJoin = 'round';
	for (const { text, left, y, kind } of texts) {
		// Lines of what came later may cross it.
		ctx.strokeText(text, left, y);
		ctx.fillStyle = paint.colour(colourOf(kind));
		ctx.fillText(text, left, y);
	}
	ctx.restore();
}

/** In a circle, as far as there are such signs: no count of what follows. */
const numberSign = (number: number) => (number <= 20 ? String.fromCodePoint(0x245f + number) : String(number));

const colourOf = (kind: string) => (kind === 'onset' ? '--loss-text' : '--ink');

function placeText(
	{ ctx, bbox }: uPlot,
	free: number[],
	rows: number,
	x: number,
	whole: string,
	short: string,
): { row: number; left: number; text: string } | null {
	const gap = GAP * devicePixelRatio;
	const end = bbox.left + bbox.width;
	for (const text of [whole, short]) {
		const width = ctx.measureText(text).width;
		for (let row = 0; row < rows; row += 1) {
			const right = x + gap;
			const left = x - gap - width;
			const fitsRight = right >= free[row] && right + width <= end;
			const fitsLeft = left >= free[row] && left >= bbox.left;
			if (!fitsRight && !fitsLeft) continue;
			free[row] = (fitsRight ? right + width : x) + 2 * gap;
			return { row, left: fitsRight ? right : left, text };
		}
	}
	return null;
}

/** In the middle of where it is high enough for longest; no name where another stands, for the legend has all. */
function nameAreas(chart: uPlot, { namesAreas = false }: Panel, drawn: PanelSeries[], paint: Paint): void {
	if (!namesAreas) return;
	const { ctx } = chart;
	ctx.save();
	ctx.font = chartFont(devicePixelRatio);
	ctx.textAlign = 'center';
	ctx.textBaseline = 'middle';
	ctx.fillStyle = paint.colour('--ink');
	ctx.strokeStyle = paint.colour('--paper', 55);
	ctx.lineWidth = 3 * devicePixelRatio;
	ctx.lineJoin = 'round';
	const x = (index: number) => chart.valToPos(chart.data[0][index], 'x', true);
	const y = (series: number, index: number) => chart.valToPos(series === 0 ? 0 : (chart.data[series][index] ?? 0), 'y', true);
	const named: { left: number; height: number; width: number }[] = [];
	for (const [index, { label }] of drawn.entries()) {
		const isHigh = (at: number) => y(index, at) - y(index + 1, at) >= NAME_HEIGHT * devicePixelRatio;
		const { from, to } = longestRun(chart.data[0].length, isHigh);
		const width = ctx.measureText(label).width + NAME_ROOM * devicePixelRatio;
		if (to <= from || x(to) - x(from) < width) continue;
		const middle = (from + to + 1) >> 1;
		const [left, height] = [(x(from) + x(to)) / 2, (y(index, middle) + y(index + 1, middle)) / 2];
		const isTaken = named.some(
			(one) => Math.abs(one.left - left) < (one.width + width) / 2 && Math.abs(one.height - height) < NAME_HEIGHT * devicePixelRatio,
		);
		if (isTaken) continue;
		named.push({ left, height, width });
		ctx.strokeText(label, left, height);
		ctx.fillText(label, left, height);
	}
	ctx.restore();
}

/** A value holds from the one before it. */
function longestRun(length: number, isSo: (index: number) => boolean): { from: number; to: number } {
	let best = { from: 0, to: 0 };
	let from = 0;
	for (let at = 1; at <= length; at += 1) {
		if (at < length && isSo(at)) continue;
		if (at - 1 - from > best.to - best.from) best = { from, to: at - 1 };
		from = at;
	}
	return best;
}

export const events: Over = {
	room: roomForEvents,
	draw: (chart, panel, drawn, paint) => {
		nameAreas(chart, panel, drawn, paint);
		drawEvents(chart, panel, paint);
	},
};
