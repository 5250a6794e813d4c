/** The flow picture as SVG. Its two forms, wide and narrow, are both in the page; the style sheet shows the one that fits. */

import type { Flow } from '../../record/types.js';
import { count, tierColour, tierTitle } from '../format.ts';
import type { Html } from '../html.ts';
import { html } from '../html.ts';
import type { BandStyle, DrawnEdge } from './bands.ts';
import { besideMark, passedMark, placeBands } from './bands.ts';
import type { PlacedOutlet } from './text.ts';
import { hangOutlets, outletsHeight, SIZES, shortened, textWidth, wrapText } from './text.ts';

export type { Flow };

/** The box of a node, and what it says. */
type Line = { text: string; role: 'name' | 'tier' | 'good' | 'error' | 'note' };

export type Box = { node: FlowNode; x: number; y: number; width: number; height: number; lines: Line[]; outlets: PlacedOutlet[] };

const NOTE_LINES_MOST = 2;

/**
 * A box that has no place yet.
 * @param style least: height in pixels
 */
function draftBox(node: FlowNode, { width, isNameBesideTier, least }: { width: number; isNameBesideTier: boolean; least: number }): Box {
	const lines = linesOf(node, width - 2 * SIZES.padding, isNameBesideTier);
	const height = Math.max(least, lines.length * SIZES.lineHeight + 2 * SIZES.padding - 4);
	return { node, x: 0, y: 0, width, height, lines, outlets: [] };
}

function linesOf(node: FlowNode, room: number, isNameBesideTier: boolean): Line[] {
	const title = tierTitle(node.tier);
	const fits = textWidth(node.label, SIZES.name) + textWidth(`  ${title}`, SIZES.small) < room;
	const lines: Line[] = [{ text: shortened(node.label, room, SIZES.name), role: 'name' }];
	if (!isNamedByTier(node) && !(isNameBesideTier && fits)) lines.push({ text: title, role: 'tier' });
	if (node.answered_ok !== null)
		lines.push({ text: fitting(`${count(node.answered_ok)} successful`, `${count(node.answered_ok)} good`, room), role: 'good' });
	if (node.answered_error)
		lines.push({
			text: fitting(`${count(node.answered_error)} with an error`, `${count(node.answered_error)} errors`, room),
			role: 'error',
		});
	if (node.note) lines.push(...wrapText(node.note, room, SIZES.small, NOTE_LINES_MOST).map((text) => ({ text, role: 'note' }) as Line));
	return lines;
}

const fitting: (long: string, short: string, room: number) => string = (long, short, room) =>
	textWidth(long, SIZES.small) <= room ? long : short;

const isNamedByTier = ({ label, tier }: FlowNode) => label.toLowerCase() === tierTitle(tier);

/** Whether the tier is still to be said on the line of the name. */
const saysTierBesideName = ({ node, lines }: Box) => !isNamedByTier(node) && !lines.some(({ role }) => role === 'tier');

type FlowNode = Flow['nodes'][number];

/**
 * Nodes by how far they are from where the requests start: what stands side by side has the same rank. A node's rank is
 * its longest way from the start, so that no edge goes backwards. Whom nobody asks stands before whom it asks, and where it asks nobody, last.
 */
function rankNodes({ nodes, edges: all }: Pick<Flow, 'nodes' | 'edges'>): FlowNode[][] {
	const rank = new Map(nodes.map(({ id }) => [id, 0]));
	const edges = withoutBack(nodes, all);
	// The longest way has fewer edges than there are nodes.
	for (let round = 1; round < nodes.length; round += 1) {
		for (const { from, to } of edges) {
			const start = rank.get(from);
			const end = rank.get(to);
			if (start !== undefined && end !== undefined && end <= start) rank.set(to, Math.min(start + 1, nodes.length - 1));
		}
	}
	const asked = new Set(edges.map(({ to }) => to));
	for (const { id } of nodes.filter(({ id, tier }) => tier !== 'generator' && !asked.has(id))) {
		const behind = edges.flatMap(({ from, to }) => (from === id ? (rank.get(to) ?? []) : []));
		rank.set(id, behind.length > 0 ? Math.max(0, Math.min(...behind) - 1) : Math.max(...rank.values()));
	}
	const ranks = [...new Set(rank.values())].sort((one, other) => one - other);
	return ranks.map((value) => nodes.filter(({ id }) => rank.get(id) === value));
}

/** Without those that close a circle: they lead back to where the way has been. */
function withoutBack(nodes: FlowNode[], edges: Flow['edges']): Flow['edges'] {
	const [onWay, done, back] = [new Set(), new Set(), new Set()];
	const visit = (id: string) => {
		if (done.has(id)) return;
		onWay.add(id);
		for (const edge of edges.filter(({ from }) => from === id)) {
			if (onWay.has(edge.to)) back.add(edge);
			else visit(edge.to);
		}
		onWay.delete(id);
		done.add(id);
	};
	for (const { id } of nodes) visit(id);
	return edges.filter((edge) => !back.has(edge));
}

/**
 * Where everything in the flow picture stands. Pure geometry: from left to right on wide screens, from top to bottom on
 * narrow ones. The thickness of a band, and of the outlet where requests are lost, is its share of all requests.
 */
/** top: of its way, with its label */
export type Band = {
	path: string;
	edge: DrawnEdge;
	share: number | null;
	labelX: number;
	labelY: number;
	anchor: 'middle' | 'start' | 'end';
	top: number;
};

type FlowLayout = { width: number; height: number; boxes: Box[]; bands: Band[] };

const WIDE = Object.freeze({ width: 1120, boxMost: 172, boxOverPitch: 0.7, gapLeast: 56, stack: 14, thickness: 56, outletsX: 16 });
const NARROW = Object.freeze({ width: 358, between: 18, gap: 52, thickness: 40, outletsAt: 0.36, bandsBesideOutletsAt: 0.18 });

export function layoutWide(flow: Flow): FlowLayout {
	const ranks = rankNodes(flow);
	const share = WIDE.width / ranks.length;
	const boxWidth = Math.min(WIDE.boxMost, share * WIDE.boxOverPitch, share - WIDE.gapLeast);
	const pitch = ranks.length > 1 ? (WIDE.width - boxWidth) / (ranks.length - 1) : 0;
	const columns = ranks.map((nodes, rank) => {
		const drafts = nodes.map((node) => draftBox(node, { width: boxWidth, isNameBesideTier: false, least: WIDE.thickness + 10 }));
		const height = Math.max(...drafts.map((box) => box.height));
		return stackColumn(
			flow,
			drafts.map((box) => ({ ...box, height, x: rank * pitch })),
		);
	});
	const boxes = columns.flat();
	// The lowest box of a column may use the free lane below all boxes to its right, where there is room for a text in one
	// line. The lane is filled from the right, so that no stub crosses a text.
	let lane = -Infinity;
	for (const box of columns.map((column) => column[column.length - 1]).reverse()) {
		const room = WIDE.width - box.x - WIDE.outletsX;
		lane = Math.max(lane, box.y + box.height);
		box.outlets = hangOutlets(outletsAt(flow, box), {
			x: WIDE.outletsX,
			below: lane - box.y - box.height,
			room,
			thickness: WIDE.thickness,
		});
		if (box.outlets.length > 0) lane = box.y + box.height + outletsHeight(box);
	}
	return fitted(flow, boxes, { width: WIDE.width, isWide: true, thickness: WIDE.thickness, gap: 0, at: 0.5 });
}

/** Centres a column on the axis, with the outlets of all but its lowest box between the boxes. */
function stackColumn(flow: Flow, column: Box[]): Box[] {
	const inner = column.map((box, index) => {
		if (index === column.length - 1) return box;
		const outlets = hangOutlets(outletsAt(flow, box), {
			x: WIDE.outletsX,
			below: 0,
			room: box.width - WIDE.outletsX,
			thickness: WIDE.thickness,
		});
		return { ...box, outlets };
	});
	const height = inner.reduce((sum, box) => sum + box.height + outletsHeight(box), 0) + WIDE.stack * (inner.length - 1);
	let y = -height / 2;
	return inner.map((box) => {
		const placed = { ...box, y };
		y += box.height + outletsHeight(box) + WIDE.stack;
		return placed;
	});
}

export function layoutNarrow(flow: Flow): FlowLayout {
	// Outlets hang on the right, so that the bands pass on the left.
	const at = flow.outlets.length > 0 ? NARROW.bandsBesideOutletsAt : 0.5;
	let y = 0;
	const boxes = rankNodes(flow).flatMap((nodes) => {
		const width = (NARROW.width - NARROW.between * (nodes.length - 1)) / nodes.length;
		const x = width * NARROW.outletsAt;
		const row = nodes.map((node, index) => {
			const box = draftBox(node, { width, isNameBesideTier: nodes.length === 1, least: 0 });
			const outlets = hangOutlets(outletsAt(flow, box), { x, below: 0, room: width - x, thickness: NARROW.thickness });
			return { ...box, outlets, x: index * (width + NARROW.between), y };
		});
		const height = Math.max(...row.map((box) => box.height));
		y += height + Math.max(...row.map(outletsHeight)) + NARROW.gap;
		return row.map((box) => ({ ...box, height }));
	});
	return fitted(flow, boxes, { width: NARROW.width, isWide: false, thickness: NARROW.thickness, gap: NARROW.gap, at });
}

const outletsAt: (flow: Flow, box: Box) => Flow['outlets'] = (flow, { node }) => flow.outlets.filter(({ at }) => at === node.id);

/** Moves everything below the upper edge, and puts the bands in. */
function fitted(flow: Flow, boxes: Box[], style: BandStyle): FlowLayout {
	const top = Math.min(...boxes.map(({ y }) => y), ...placeBands(flow, boxes, style).map((band) => band.top));
	const moved = boxes.map((box) => ({ ...box, y: box.y - top }));
	const height = Math.max(...moved.map((box) => box.y + box.height + outletsHeight(box)));
	return { width: style.width, height, boxes: moved, bands: placeBands(flow, moved, style) };
}

const EDGE = 2; // room for strokes and the focus ring
const ARROW = 5;

export const flowDrawings = (flow: Flow) => html`${drawing('wide', layoutWide(flow))}${narrowDrawing(flow)}`;

/**
 * The narrow form alone, for a page that has several flows beside each other.
 * @param name tells its parts from those of the page's other flows
 */
export const narrowDrawing = (flow: Flow, name: string = '') => drawing('narrow', layoutNarrow(flow), name);

function drawing(form: 'wide' | 'narrow', { width, height, boxes, bands }: FlowLayout, name: string = ''): Html {
	const hatch = `hatch-${form}${name && `-${name}`}`;
	return html`<svg class="flow ${form}" viewBox="${-EDGE} ${-EDGE} ${width + 2 * EDGE} ${Math.ceil(height) + 2 * EDGE}" role="group" aria-label="Flow of the requests">
<defs><pattern id="${hatch}" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect width="6" height="6" class="hatch-ground"/><rect width="2.5" height="6" class="hatch-line"/></pattern></defs>
${bands.map(bandShape)}
${boxes.map((box) => boxShape(box, hatch))}
${bands.map((band) => bandLabel(band, form))}
</svg>
`;
}

/**
 * Tenths of a pixel are as much as anybody sees.
 * @param drawn a figure, or a path of them
 */
const fine = (drawn: string | number): string => String(drawn).replace(/\d+\.\d{2,}/g, (long) => String(Number(Number(long).toFixed(1))));

const bandShape = ({ path, edge }: Band) => html`<path class="band${edge.requests === null && ' unknown'}" d="${fine(path)}"/>`;

function bandLabel({ edge, share, labelX, labelY, anchor }: Band, form: 'wide' | 'narrow'): Html {
	const passed = passedMark(edge);
	const part = besideMark(edge, share);
	if (form === 'narrow')
		return html`<text class="passed" x="${fine(labelX)}" y="${fine(labelY + 4)}" text-anchor="${anchor}">${passed}${part && ` · ${part}`}</text>`;
	const first = part ? labelY - 3 : labelY + 4;
	return html`<text class="passed" x="${fine(labelX)}" y="${fine(first)}" text-anchor="${anchor}">${passed}${part && html`<tspan class="part" x="${fine(labelX)}" dy="14">${part}</tspan>`}</text>`;
}

function boxShape(box: Box, hatch: string): Html {
	const { node, x, y, width, height, lines, outlets } = box;
	const first = (height - lines.length * SIZES.lineHeight) / 2 + SIZES.small;
	return html`<g class="node" data-node="${node.id}" transform="translate(${fine(x)} ${fine(y)})" style="--c: var(${tierColour(node.tier)})">
<rect class="box" width="${fine(width)}" height="${height}" rx="3"/><rect class="tier" width="5" height="${height}"/>
${lines.map(({ text, role }, index) => html`<text class="${role}" x="${SIZES.padding + 3}" y="${first + index * SIZES.lineHeight}">${text}${role === 'name' && tierBesideName(box)}</text>`)}
${outlets.length > 0 && outletShapes(box, hatch)}
</g>
`;
}

const tierBesideName = (box: Box) => saysTierBesideName(box) && html` <tspan class="tier" dx="3">${tierTitle(box.node.tier)}</tspan>`;

function outletShapes({ outlets, height }: Box, hatch: string): Html {
	const shapes = outlets.map(({ left, thickness, depth, textX, textY, figures, cause, isOneLine }) => {
		const right = left + thickness;
		const neck = depth - ARROW;
		const arrow = `M${left},0V${neck}H${left - ARROW / 2}L${(left + right) / 2},${depth + ARROW / 2}L${right + ARROW / 2},${neck}H${right}V0Z`;
		const nextLine = html`x="${fine(textX)}" dy="${SIZES.lineHeight}"`;
		const lines = [
			...figures.map((line, index) => html`<tspan class="lost-count"${index > 0 && html` ${nextLine}`}>${line}</tspan> `),
			...cause.map((line) => html`<tspan ${isOneLine ? html`dx="8"` : nextLine}>${line}</tspan> `),
		];
		return html`<path class="lost" d="${fine(arrow)}" fill="url(#${hatch})"/><text class="lost" x="${fine(textX)}" y="${fine(textY)}">${lines}</text>`;
	});
	return html`<g class="outlets" transform="translate(0 ${height})">${shapes}</g>`;
}
