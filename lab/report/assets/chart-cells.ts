/** A grid of counts: a column for each second, a row for each range of values, as strong a colour as there are requests in a cell. */
import type { Panel } from '../panels.ts';
import type { Paint } from './paint.ts';

type uPlot = import('uplot');

/** Shades, which are told apart, from a single request to the most of any cell. */
const SHADES = 8;
/** Per cent: of the first, which is to be seen on the paper. */
const LEAST_SHADE = 18;
/** CSS pixels: one failed request among thousands is to be seen. */
const FAILED_LEAST = 3;

export function drawCells(chart: uPlot, { t_s: seconds, series, grid }: Panel, paint: Paint): void {
	if (!grid) return;
	const { ctx, bbox } = chart;
	const most = Math.max(1, ...series.flatMap(({ values }) => values.map((value) => value ?? 0)));
	const hatch = paint.hatch(ctx, '--loss');
	ctx.save();
	ctx.beginPath();
	ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
	ctx.clip();
	for (const [row, { values, failed = [], colour }] of series.entries()) {
		const [bottom, top] = [row, row + 1].map((edge) => Math.round(chart.valToPos(edge, 'y', true)));
		for (const [index, value] of values.entries()) {
			if (!value) continue;
			// A second is around its point on the axis, at which the cursor finds it.
			const [left, right] = [-0.5, 0.5].map((side) => Math.round(chart.valToPos(seconds[index] + side, 'x', true)));
			const share = shadeOf(value, most);
			const lost = failed[index] ?? 0;
			const height = bottom - top;
			const hatched = lost === 0 ? 0 : Math.max(Math.round((height * lost) / value), Math.min(height, FAILED_LEAST * devicePixelRatio));
			ctx.fillStyle = paint.colour(colour, LEAST_SHADE + (100 - LEAST_SHADE) * share);
			ctx.fillRect(left, top + hatched, right - left, height - hatched);
			ctx.globalAlpha = 0.5 + share / 2;
			ctx.fillStyle = hatch;
			if (hatched > 0) ctx.fillRect(left, top, right - left, hatched);
			ctx.globalAlpha = 1;
		}
	}
	ctx.restore();
}

/** @returns 0 of one request, 1 of the most, in so many steps */
const shadeOf = (value: number, most: number) =>
	most === 1 ? 1 : Math.round((Math.log(value) / Math.log(most)) * (SHADES - 1)) / (SHADES - 1);
