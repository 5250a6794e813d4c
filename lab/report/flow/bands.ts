/** The bands between the boxes of the flow picture, as thick as the requests that passed. */

import type { Flow, FlowEdge } from '../../record/types.js';
import { count, MISSING, numeric, percent, plural } from '../format.ts';
import type { Band, Box } from './drawing.ts';
import { SIZES, textWidth } from './text.ts';

/**
 * width: of the picture.
 *   thickness: of all requests. gap: length of the free way before the next box, when narrow. at: where on a box's side bands meet it, 0 to 1
 */
export type BandStyle = { width: number; isWide: boolean; thickness: number; gap: number; at: number };

/** What passed an edge of the flow, and which record counted it. */
/** isBack: to where the way has been before, so that it is drawn against its direction */
export type DrawnEdge = FlowEdge & { isBack?: boolean };

/** As short as the picture needs it; of what is not read, connections. */
export function passedMark({ isBack, ...edge }: DrawnEdge) {
	return `${isBack ? '← ' : ''}${countMark(edge)}`;
}

function countMark({ requests, at_least: atLeast, connections }: FlowEdge) {
	if (requests !== null) return `${atLeast ? '≥ ' : ''}${count(requests)}`;
	if (connections === undefined) return 'not counted';
	return connections > 0 ? count(connections) : 'not read';
}

/**
 * Beside it: its share of what was handed out, else by which record it is.
 * @param share to be shown
 */
export const besideMark = (edge: FlowEdge, share: number | null) =>
	edge.requests !== null && share !== null && share < 1 ? percent(share) : basisMark(edge);

/** In a word, beside a count in the picture; empty where a service or the generator counted it. */
function basisMark({ requests, source, connections }: FlowEdge) {
	if (requests === null) return connections ? 'unread' : '';
	return source === 'wire' ? 'wire' : '';
}

function passedText({ requests, at_least: atLeast, connections }: FlowEdge) {
	if (requests !== null) return `${atLeast ? 'at least ' : ''}${count(requests)}`;
	return connections ? plural(connections, 'connection') : MISSING;
}

function basisText({ requests, source, connections }: FlowEdge) {
	if (requests === null) return connections === undefined ? 'not counted' : 'connections on the network';
	return source === 'wire' ? 'calls on the network' : 'the services';
}

export const PASSED_COLUMNS = ['From', 'To', numeric('Requests'), numeric('Share'), 'Counted by'];

/** @returns a text for each column: what passed, and what was lost */
export function passedRows({ nodes, edges, outlets }: Pick<Flow, 'nodes' | 'edges' | 'outlets'>): string[][] {
	const label = (id: string) => nodes.find((node) => node.id === id)?.label ?? id;
	return [
		...edges.map((edge) => [label(edge.from), label(edge.to), passedText(edge), percent(edge.share), basisText(edge)]),
		...outlets.map(({ at, cause_title: cause, count: times, share }) => [label(at), `lost: ${cause}`, count(times), percent(share), '']),
	];
}

/** What a picture with counts of the wire has to say of them; empty where it has none. */
export function wireWords({ edges }: Pick<Flow, 'edges'>) {
	const marks = new Set(edges.map(basisMark));
	const calls = marks.has('wire') ? ' Counts marked “wire” are calls on the network; a request can make several.' : '';
	return `${calls}${marks.has('unread') ? ' Counts marked “unread” are connections whose content Doubletake does not read.' : ''}`;
}

/** Keeps the labels of bands apart: one that would stand on another moves along its band, or a line up or down. Pure geometry. */
/** elsewhere: where its label may stand too, the best first */
type Movable = Band & { elsewhere: { x: number; y: number }[] };

/** Of bold letters beside others. */
const BOLD = 1.12;
/** From one label to the next. */
const BETWEEN = 4;

/** @param isWide with the second part of a label below the first */
function labelsApart(bands: Movable[], isWide: boolean): Band[] {
	const taken: Rectangle[] = [];
	return bands.map(({ elsewhere, ...band }) => {
		const places = [{ x: band.labelX, y: band.labelY }, ...elsewhere];
		const sized = places.map((place) => ({ place, own: rectangleOf(band, place, isWide) }));
		// Where nothing is free the best place is as good as any.
		const { place, own } = sized.find((one) => !taken.some((other) => covers(one.own, other))) ?? sized[0];
		taken.push(own);
		return { ...band, labelX: place.x, labelY: place.y };
	});
}

type Rectangle = { left: number; right: number; top: number; bottom: number };

export function rectangleOf({ edge, share, anchor }: Band, { x, y }: { x: number; y: number }, isWide: boolean): Rectangle {
	const parts = [passedMark(edge), besideMark(edge, share)].filter(Boolean);
	const lines = isWide ? parts : [parts.join(' · ')];
	const width = Math.max(...lines.map((line) => textWidth(line, SIZES.small) * BOLD));
	const left = { start: x, middle: x - width / 2, end: x - width }[anchor];
	const half = (lines.length * SIZES.lineHeight) / 2;
	return { left, right: left + width, top: y - half, bottom: y + half };
}

const covers: (one: Rectangle, other: Rectangle) => boolean = (one, other) =>
	one.left < other.right + BETWEEN && other.left < one.right + BETWEEN && one.top < other.bottom && other.top < one.bottom;

const LEAST_THICKNESS = 2;
const LABEL_BESIDE = 8; // narrow: from a band to its label
const LABEL_FROM_BOX = 12; // narrow: from the box's edge to the middle of a label
const LABEL_HALF = 16; // wide: of two lines
const LANE_GAP = 6; // wide: between ways past boxes
const LABELS_AT = [0.35, 0.65, 0.25, 0.75]; // wide: along a band, where another label stands in its middle
const LINES_AWAY = [1, 2]; // narrow: from where a label would stand on another
const SHARE_LEAST_WIDTH = 150; // narrow: of a box that has room for a share beside the count

/** start and end: centre across the way */
type Run = { edge: DrawnEdge; thickness: number; from: Box; to: Box; start: number; end: number };

export function placeBands({ edges }: Flow, boxes: Box[], style: BandStyle): Band[] {
	// A request may make many calls: what is counted on the wire is no measure of requests.
	const most = Math.max(1, ...edges.map(({ requests, source }) => (source === 'wire' ? 0 : (requests ?? 0))));
	const boxOf = new Map(boxes.map((box) => [box.node.id, box]));
	const runs = edges.flatMap((edge) => {
		const from = boxOf.get(edge.from);
		const to = boxOf.get(edge.to);
		if (!from || !to) return [];
		const thickness = Math.max(LEAST_THICKNESS, Math.min(1, (edge.requests ?? 0) / most) * style.thickness);
		const isBack = style.isWide ? to.x < from.x : to.y < from.y;
		// Between two that ask each other there is one band; the table has both.
		if (isBack && edges.some((other) => other.from === edge.to && other.to === edge.from)) return [];
		return [{ ...(isBack ? { edge: { ...edge, isBack }, from: to, to: from } : { edge, from, to }), thickness, start: 0, end: 0 }];
	});
	// What goes farthest leaves and comes on top: its way is above.
	const ordered = style.isWide ? runs.toSorted((one, other) => distanceOf(other) - distanceOf(one)) : runs;
	for (const box of boxes) {
		spread(
			ordered.filter(({ from }) => from === box),
			({ to }) => across(to, style),
			across(box, style),
			(run, centre) => {
				run.start = centre;
			},
		);
		spread(
			ordered.filter(({ to }) => to === box),
			({ from }) => across(from, style),
			across(box, style),
			(run, centre) => {
				run.end = centre;
			},
		);
	}
	if (style.isWide) {
		const lanes = lanesOf(runs, boxes);
		return labelsApart(
			runs.map((run) => (lanes.has(run) ? { ...wideDetour(run, lanes.get(run) as Lane), elsewhere: [] } : wideBand(run))),
			true,
		);
	}
	const fansOut = (run: Run) => runs.some((other) => other !== run && other.from === run.from);
	const bands = runs.map((run) => {
		const band = narrowBand(run, style, fansOut(run));
		// Away from the box beside which it stands.
		const way = fansOut(run) ? -1 : 1;
		return { ...band, elsewhere: LINES_AWAY.map((lines) => ({ x: band.labelX, y: band.labelY + way * lines * SIZES.lineHeight })) };
	});
	return labelsApart(bands, false);
}

const distanceOf = ({ from, to }: Run) => to.x - from.x;

const across: (box: Box, style: BandStyle) => number = (box, { isWide, at }) => (isWide ? box.y + box.height * at : box.x + box.width * at);

/** Puts bands side by side around a centre, in the order of their other ends so that they do not cross. */
function spread(runs: Run[], orderOf: (run: Run) => number, centre: number, put: (run: Run, centre: number) => void): void {
	let edge = centre - runs.reduce((sum, { thickness }) => sum + thickness, 0) / 2;
	for (const run of runs.toSorted((one, other) => orderOf(one) - orderOf(other))) {
		put(run, edge + run.thickness / 2);
		edge += run.thickness;
	}
}

/** Of bands whose straight way is behind boxes: above these and all beside them, and each above the one before. Below, outlets hang. */
function lanesOf(runs: Run[], boxes: Box[]): Map<Run, Lane> {
	const lanes: Map<Run, Lane> = new Map();
	let above = Math.min(...boxes.map(({ y }) => y));
	for (const run of runs) {
		const { from, to, start, end, thickness } = run;
		const half = thickness / 2;
		const between = boxes.filter(({ x, width }) => x > from.x && x + width < to.x);
		const isCrossed = ({ y, height }: Box) => y < Math.max(start, end) + half && y + height > Math.min(start, end) - half;
		if (!between.some(isCrossed)) continue;
		const room = Math.max(half, LABEL_HALF);
		const [x0, x1] = [Math.min(...between.map(({ x }) => x)), Math.max(...between.map(({ x, width }) => x + width))];
		lanes.set(run, { x0, x1, y: above - LANE_GAP - room });
		above -= LANE_GAP + 2 * room;
	}
	return lanes;
}

type Lane = { x0: number; x1: number; y: number };

function wideDetour({ edge, thickness, from, to, start, end }: Run, { x0, x1, y }: Lane): Band {
	const half = thickness / 2;
	const [begin, stop] = [from.x + from.width, to.x];
	const [rise, fall] = [(begin + x0) / 2, (x1 + stop) / 2];
	const side = (by: number) => ({ start: start + by, y: y + by, end: end + by });
	const [upper, lower] = [side(-half), side(half)];
	const there = `M${begin},${upper.start}C${rise},${upper.start} ${rise},${upper.y} ${x0},${upper.y}H${x1}C${fall},${upper.y} ${fall},${upper.end} ${stop},${upper.end}`;
	const back = `V${lower.end}C${fall},${lower.end} ${fall},${lower.y} ${x1},${lower.y}H${x0}C${rise},${lower.y} ${rise},${lower.start} ${begin},${lower.start}Z`;
	const top = y - Math.max(half, LABEL_HALF);
	return { edge, share: edge.share, path: there + back, labelX: (x0 + x1) / 2, labelY: y, anchor: 'middle', top };
}

function wideBand({ edge, thickness, from, to, start, end }: Run): Movable {
	const x0 = from.x + from.width;
	const x1 = to.x;
	const middle = (x0 + x1) / 2;
	const half = thickness / 2;
	const path = `M${x0},${start - half}C${middle},${start - half} ${middle},${end - half} ${x1},${end - half}V${end + half}C${middle},${end + half} ${middle},${start + half} ${x0},${start + half}Z`;
	const top = Math.min(start, end) - half;
	// On the curve.
	const elsewhere = LABELS_AT.map((at) => {
		const [first, second] = [(1 - at) ** 2 * (1 + 2 * at), at ** 2 * (3 - 2 * at)];
		return { x: x0 * (1 - at) ** 3 + middle * 3 * at * (1 - at) + x1 * at ** 3, y: start * first + end * second };
	});
	return { edge, share: edge.share, path, labelX: middle, labelY: (start + end) / 2, anchor: 'middle', top, elsewhere };
}

/**
 * Straight past what hangs below the box, then over to the next one. Where bands spread or meet, the label stands at the
 * side where they are apart.
 */
function narrowBand({ edge, thickness, from, to, start, end }: Run, { gap, width }: BandStyle, fansOut: boolean): Band {
	const y0 = from.y + from.height;
	const bend = Math.max(y0, to.y - gap);
	const y1 = to.y;
	const middle = (bend + y1) / 2;
	const half = thickness / 2;
	const path = `M${start - half},${y0}V${bend}C${start - half},${middle} ${end - half},${middle} ${end - half},${y1}H${end + half}C${end + half},${middle} ${start + half},${middle} ${start + half},${bend}V${y0}Z`;
	const isStraight = Math.abs(end - start) < 1;
	const beside = fansOut ? end : start;
	const labelY = isStraight ? middle : fansOut ? y1 - LABEL_FROM_BOX : bend + LABEL_FROM_BOX;
	const share = to.width < SHARE_LEAST_WIDTH ? null : edge.share;
	const label = [passedMark(edge), besideMark(edge, share)].filter(Boolean).join(' · ');
	const right = beside + half + LABEL_BESIDE;
	const placed = { edge, share, path, labelY, top: y0 };
	const length = textWidth(label, SIZES.small);
	const isOut = right + length > width;
	// On the left the one beside it may have its own.
	if (isOut && fansOut && beside + length / 2 <= width) return { ...placed, labelX: beside, anchor: 'middle' };
	// On the left where the picture ends before it does.
	if (isOut) return { ...placed, labelX: beside - half - LABEL_BESIDE, anchor: 'end' };
	return { ...placed, labelX: right, anchor: 'start' };
}
