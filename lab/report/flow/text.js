/**
 * Text inside a drawing, where nothing wraps by itself. Widths are estimated from the size alone: they only have to be
 * wide enough for the system fonts of today's machines.
 */

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
