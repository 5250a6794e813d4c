/**
 * The outlets at a box: where requests were lost, each as wide as its share of all requests, with its count and cause.
 *
 * @typedef {import('../../record/result.js').Flow} Flow
 * @typedef {{ count: number, left: number, thickness: number, depth: number, textX: number, textY: number, figures: string[], cause: string[], isOneLine: boolean }} PlacedOutlet
 *   relative to the lower left corner of its box. isOneLine: the cause stands beside the figures
 */
import { count, percent } from '../format.js';
import { SIZES, textWidth, wrapText } from './text.js';

const LEAST_THICKNESS = 2;
const BETWEEN_STUBS = 9;
const BEFORE_TEXT = 13;
const ABOVE_FIRST = 12;
const BETWEEN_TEXTS = 5;
const CAUSE_LINES_MOST = 3;
/** From this room on, figures and cause share a line. */
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
    const isOneLine = textRoom >= ONE_LINE_ROOM;
    const withWord = `${count(outlet.count)} lost`;
    const lost = textWidth(withWord, SIZES.small) <= textRoom ? withWord : count(outlet.count);
    const share = percent(outlet.share);
    const both = `${lost} · ${share}`;
    const figures = textWidth(both, SIZES.small) <= textRoom ? [both] : [lost, share];
    const causeRoom = isOneLine ? textRoom - textWidth(both, SIZES.small) - BEFORE_TEXT : textRoom;
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
