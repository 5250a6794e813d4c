/**
 * The box of a node, and what it says.
 *
 * @typedef {import('./ranks.js').FlowNode} FlowNode
 * @typedef {{ text: string, role: 'name' | 'tier' | 'good' | 'error' | 'note' }} Line
 * @typedef {{ node: FlowNode, x: number, y: number, width: number, height: number, lines: Line[], outlets: import('./outlets.js').PlacedOutlet[] }} Box
 */
import { count } from '../format.js';
import { tierTitle } from '../tiers.js';
import { SIZES, shortened, textWidth, wrapText } from './text.js';

const NOTE_LINES_MOST = 2;

/**
 * A box that has no place yet.
 * @param {FlowNode} node
 * @param {{ width: number, isNameBesideTier: boolean, least: number }} style least: height in pixels
 * @returns {Box}
 */
export function draftBox(node, { width, isNameBesideTier, least }) {
  const lines = linesOf(node, width - 2 * SIZES.padding, isNameBesideTier);
  const height = Math.max(least, lines.length * SIZES.lineHeight + 2 * SIZES.padding - 4);
  return { node, x: 0, y: 0, width, height, lines, outlets: [] };
}

/** @type {(node: FlowNode, room: number, isNameBesideTier: boolean) => Line[]} */
function linesOf(node, room, isNameBesideTier) {
  const title = tierTitle(node.tier);
  const fits = textWidth(node.label, SIZES.name) + textWidth(`  ${title}`, SIZES.small) < room;
  /** @type {Line[]} */
  const lines = [{ text: shortened(node.label, room, SIZES.name), role: 'name' }];
  if (!isNamedByTier(node) && !(isNameBesideTier && fits)) lines.push({ text: title, role: 'tier' });
  if (node.answered_ok !== null)
    lines.push({ text: fitting(`${count(node.answered_ok)} answered well`, `${count(node.answered_ok)} good`, room), role: 'good' });
  if (node.answered_error)
    lines.push({
      text: fitting(`${count(node.answered_error)} with an error`, `${count(node.answered_error)} errors`, room),
      role: 'error',
    });
  if (node.note)
    lines.push(...wrapText(node.note, room, SIZES.small, NOTE_LINES_MOST).map((text) => /** @type {Line} */ ({ text, role: 'note' })));
  return lines;
}

/** @type {(long: string, short: string, room: number) => string} */
const fitting = (long, short, room) => (textWidth(long, SIZES.small) <= room ? long : short);

/** @param {FlowNode} node */
const isNamedByTier = ({ label, tier }) => label.toLowerCase() === tierTitle(tier);

/** Whether the tier is still to be said on the line of the name. @param {Box} box */
export const saysTierBesideName = ({ node, lines }) => !isNamedByTier(node) && !lines.some(({ role }) => role === 'tier');
