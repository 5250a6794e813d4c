/** What stands in a chart besides its series: the warm-up, the stages, the limit. */
import { count, faultMark } from '../format.ts';
import type { DrawnFault, DrawnStage, Panel } from '../panels.ts';
import type { Paint } from './paint.ts';

type uPlot = import('uplot');

type Stage = DrawnStage;

type FaultEffect = DrawnFault;

const FONT_SIZE = 12; // a whole number: the chart library finds no other in a font when it scales it
const NAME_ABOVE = 3; // CSS pixels between the plot and a stage's name
const NAME_GAP = 6;
/** A name may reach into the free room to the right of the plot. */
const ABOVE_RIGHT = 14;

/** @param scale 1 for CSS pixels; the device's ratio on the canvas itself */
export const chartFont = (scale: number) =>
	`${FONT_SIZE * scale}px system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif`;

export function shadeWarmup(chart: uPlot, paint: Paint): void {
	const first = chart.data[0][0];
	if (first === undefined || first >= 0) return;
	const { ctx, bbox } = chart;
	const end = Math.min(chart.valToPos(0, 'x', true), bbox.left + bbox.width);
	ctx.fillStyle = paint.colour('--ink', 7);
	ctx.fillRect(bbox.left, bbox.top, end - bbox.left, bbox.height);
}

/** Faults that the user put in: a band from the beginning to the end of each, below whatever is drawn, and its mark at the top. */
export function drawFaults(chart: uPlot, paint: Paint, faults: FaultEffect[]): void {
	const { ctx, bbox } = chart;
	ctx.save();
	ctx.font = chartFont(devicePixelRatio);
	ctx.textAlign = 'left';
	ctx.textBaseline = 'top';
	for (const [index, { began_s: began, ended_s: ended }] of faults.entries()) {
		if (began === null) continue;
		const left = Math.round(chart.valToPos(began, 'x', true));
		const right = Math.round(chart.valToPos(ended ?? began, 'x', true));
		ctx.fillStyle = paint.colour('--loss', 14);
		ctx.fillRect(left, bbox.top, Math.max(right - left, devicePixelRatio), bbox.height);
		ctx.fillStyle = paint.colour('--loss-text');
		ctx.fillRect(left, bbox.top, devicePixelRatio, bbox.height);
		ctx.fillText(faultMark(index), left + NAME_ABOVE * devicePixelRatio, bbox.top + devicePixelRatio);
	}
	ctx.restore();
}

/** Stage boundaries, and the line that is the limit. */
export function drawMarks(chart: uPlot, { reference, marksStages }: Panel, paint: Paint, stages: Stage[]): void {
	const { ctx, bbox } = chart;
	ctx.save();
	ctx.lineWidth = devicePixelRatio;
	if (reference !== null) {
		ctx.strokeStyle = paint.colour('--ink');
		const y = Math.round(chart.valToPos(reference, 'y', true)) + 0.5;
		strokeLine(ctx, bbox.left, y, bbox.left + bbox.width, y);
	}
	ctx.strokeStyle = paint.colour('--muted');
	ctx.setLineDash([3 * devicePixelRatio, 3 * devicePixelRatio]);
	for (const { from_s } of stages) {
		const x = Math.round(chart.valToPos(from_s, 'x', true)) + 0.5;
		if (x >= bbox.left && x <= bbox.left + bbox.width) strokeLine(ctx, x, bbox.top, x, bbox.top + bbox.height);
	}
	if (marksStages) nameStages(chart, paint, stages);
	ctx.restore();
}

/** Above the plot; a name that would touch the one before it is left out. */
function nameStages(chart: uPlot, paint: Paint, stages: Stage[]): void {
	const { ctx, bbox } = chart;
	ctx.font = chartFont(devicePixelRatio);
	ctx.fillStyle = paint.colour('--muted');
	ctx.textAlign = 'left';
	ctx.textBaseline = 'bottom';
	let free = 0;
	for (const { from_s, target, held } of stages) {
		const name = `${held ? '' : '→ '}${count(target)}`;
		const x = chart.valToPos(from_s, 'x', true);
		const end = x + ctx.measureText(name).width;
		if (x < free || end > bbox.left + bbox.width + ABOVE_RIGHT * devicePixelRatio) continue;
		ctx.fillText(name, x, bbox.top - NAME_ABOVE * devicePixelRatio);
		free = end + NAME_GAP * devicePixelRatio;
	}
}

function strokeLine(ctx: CanvasRenderingContext2D, x0: number, y0: number, x1: number, y1: number): void {
	ctx.beginPath();
	ctx.moveTo(x0, y0);
	ctx.lineTo(x1, y1);
	ctx.stroke();
}
