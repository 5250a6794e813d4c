/**
 * Text inside a drawing, where nothing wraps by itself. Widths are estimated from the size alone: they only have to be
 * wide enough for the system fonts of today's machines.
 */

import type { Flow } from '../../record/types.js';
import { count, percent } from '../format.ts';

/** Pixels, the same in flow.css. */
export const SIZES = Object.freeze({ name: 14, small: 12, lineHeight: 15.5, padding: 11 });

/** Mean width of a character over the font size, on the wide side. */
const WIDTH_OVER_SIZE = 0.56;
const ELLIPSIS = '…';

/** @param size in pixels */
export const textWidth = (text: string, size: number) => text.length * size * WIDTH_OVER_SIZE;

/**
 * As much of it as there is room for.
 * @param width in pixels
 * @param size in pixels
 */
export const shortened = (text: string, width: number, size: number) =>
	textWidth(text, size) <= width ? text : `${text.slice(0, Math.max(1, Math.floor(width / (size * WIDTH_OVER_SIZE)) - 1))}${ELLIPSIS}`;

/**
 * Breaks at spaces, and inside a word only where it alone is too wide.
 * @param width in pixels
 * @param size in pixels
 * @param most lines; what exceeds them ends in an ellipsis
 */
export function wrapText(text: string, width: number, size: number, most: number): string[] {
	const room = Math.max(1, Math.floor(width / (size * WIDTH_OVER_SIZE)));
	const lines: string[] = [];
	let line = '';
	for (const word of text.split(' ').flatMap((long) => piecesOf(long, room))) {
		if (line !== '' && line.length + 1 + word.length > room) {
			lines.push(line);
			line = word;
		} else line = line === '' ? word : `${line} ${word}`;
	}
	if (line !== '') lines.push(line);
	if (lines.length <= most) return lines;
	const last = `${lines[most - 1].slice(0, room - 1)}${ELLIPSIS}`;
	return [...lines.slice(0, most - 1), last];
}

const piecesOf: (word: string, room: number) => string[] = (word, room) =>
	word.length <= room ? [word] : [word.slice(0, room), ...piecesOf(word.slice(room), room)];

/** The outlets at a box: where requests were lost, each as wide as its share of all requests, with its count and cause. */
/** relative to the lower left corner of its box. isOneLine: the cause stands beside the figures */
export type PlacedOutlet = {
	count: number;
	left: number;
	thickness: number;
	depth: number;
	textX: number;
	textY: number;
	figures: string[];
	cause: string[];
	isOneLine: boolean;
};

const LEAST_THICKNESS = 2;
const BETWEEN_STUBS = 9;
const BEFORE_TEXT = 13;
const ABOVE_FIRST = 12;
const BETWEEN_TEXTS = 5;
const CAUSE_LINES_MOST = 3;
/** From this room on, figures and cause share a line where both fit. */
const ONE_LINE_ROOM = 260;
/** Below this room a cause would be torn to pieces; the table and the card say it. */
const CAUSE_LEAST_ROOM = 84;

/**
 * Side by side, the first one the highest and furthest to the right, so that no stub crosses a text.
 * @param style x: of the leftmost stub. below: free way before the first text. thickness: of all requests
 */
export function hangOutlets(
	outlets: Flow['outlets'],
	{ x, below, room, thickness }: { x: number; below: number; room: number; thickness: number },
): PlacedOutlet[] {
	const widths = outlets.map(({ share }) => Math.max(LEAST_THICKNESS, share * thickness));
	let right = x + widths.reduce((sum, width) => sum + width, 0) + BETWEEN_STUBS * (widths.length - 1);
	const textX = right + BEFORE_TEXT;
	const textRoom = room - (textX - x);
	let y = below + ABOVE_FIRST;
	return outlets.map((outlet, index) => {
		const withWord = `${count(outlet.count)} lost`;
		const lost = textWidth(withWord, SIZES.small) <= textRoom ? withWord : count(outlet.count);
		const share = percent(outlet.share);
		const both = `${lost} · ${share}`;
		const figures = textWidth(both, SIZES.small) <= textRoom ? [both] : [lost, share];
		const besideRoom = textRoom - textWidth(both, SIZES.small) - BEFORE_TEXT;
		const isOneLine = textRoom >= ONE_LINE_ROOM && textWidth(outlet.cause_title, SIZES.small) <= besideRoom;
		const causeRoom = isOneLine ? besideRoom : textRoom;
		const cause =
			causeRoom < CAUSE_LEAST_ROOM ? [] : wrapText(outlet.cause_title, causeRoom, SIZES.small, isOneLine ? 1 : CAUSE_LINES_MOST);
		const left = right - widths[index];
		const placed = {
			count: outlet.count,
			left,
			thickness: widths[index],
			depth: y + SIZES.small,
			textX,
			textY: y + SIZES.small,
			figures,
			cause,
			isOneLine,
		};
		right = left - BETWEEN_STUBS;
		y += linesOf(placed) * SIZES.lineHeight + BETWEEN_TEXTS;
		return placed;
	});
}

const linesOf = ({ figures, cause, isOneLine }: PlacedOutlet) => (isOneLine ? 1 : figures.length + cause.length);

/** @returns from the box's lower edge */
export function outletsHeight({ outlets }: { outlets: PlacedOutlet[] }): number {
	const last = outlets.at(-1);
	return last ? last.textY + (linesOf(last) - 1) * SIZES.lineHeight + BETWEEN_TEXTS : 0;
}
