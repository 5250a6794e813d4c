/**
 * Text inside a drawing, where nothing wraps by itself. Widths are estimated from the size alone: they only have to be
 * wide enough for the system fonts of today's machines.
 *
 * @import { Flow } from '../../record/types.js'
 */

import { count, percent } from '../format.ts';

/** Pixels, the same in flow.css. */
export const SIZES = Object.freeze({ name: 14, small: 12, lineHeight: 15.5, padding: 11 });

/** Mean width of a character over the font size, on the wide side. */
const WIDTH_OVER_SIZE = 0.56;
const ELLIPSIS = '…';

/**
 * @param {string} text
 * @param {number} size in pixels
 */
export const textWidth = (text, size) => text.length * size * WIDTH_OVER_SIZE;

/** As much of it as there is room for. @param {string} text @param {number} width  in pixels @param {number} size  in pixels */
export const shortened = (text, width, size) =>
	textWidth(text, size) <= width ? text : `${text.slice(0, Math.max(1, Math.floor(width / (size * WIDTH_OVER_SIZE)) - 1))}${ELLIPSIS}`;

/**
 * Breaks at spaces, and inside a word only where it alone is too wide.
 * @param {string} text
 * @param {number} width in pixels
 * @param {number} size  in pixels
 * @param {number} most  lines; what exceeds them ends in an ellipsis
 * @returns {string[]}
 */
export function wrapText(text, width, size, most) {
	const room = Math.max(1, Math.floor(width / (size * WIDTH_OVER_SIZE)));
	/** @type {string[]} */
	const lines = [];
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

/** @type {(word: string, room: number) => string[]} */
const piecesOf = (word, room) => (word.length <= room ? [word] : [word.slice(0, room), ...piecesOf(word.slice(room), room)]);

/**
 * The outlets at a box: where requests were lost, each as wide as its share of all requests, with its count and cause.
 *
 * @typedef {{ count: number, left: number, thickness: number, depth: number, textX: number, textY: number, figures: string[], cause: string[], isOneLine: boolean }} PlacedOutlet
 *   relative to the lower left corner of its box. isOneLine: the cause stands beside the figures
 */

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
 * @param {Flow['outlets']} outlets
 * @param {{ x: number, below: number, room: number, thickness: number }} style
 *   x: of the leftmost stub. below: free way before the first text. thickness: of all requests
 * @returns {PlacedOutlet[]}
 */
export function hangOutlets(outlets, { x, below, room, thickness }) {
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

/** @param {PlacedOutlet} outlet */
const linesOf = ({ figures, cause, isOneLine }) => (isOneLine ? 1 : figures.length + cause.length);

/**
 * @param {{ outlets: PlacedOutlet[] }} box
 * @returns {number} from the box's lower edge
 */
export function outletsHeight({ outlets }) {
	const last = outlets.at(-1);
	return last ? last.textY + (linesOf(last) - 1) * SIZES.lineHeight + BETWEEN_TEXTS : 0;
}
