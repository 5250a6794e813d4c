/**
 * The relief as a small two-by-two: the accused tier and its rival, each relieved, and whether the failures went away. An
 * accusation whose failures stay when the accused is relieved has to be withdrawn.
 *
 * @typedef {import('../../record/experiment-result.js').Relief} Relief
 * @typedef {import('../../record/experiment-result.js').ReliefRow} ReliefRow
 * @typedef {import('../../record/comparison.js').Range} Range
 */
import { doubtNote } from '../doubt.js';
import { percent } from '../format.js';
import { html } from '../html.js';
import { tierChip } from '../sections/parts.js';
import { extremes } from './words.js';

/** Filled as much as of the failures is left. */
const SIGNS = { gone: '□', fewer: '◧', stay: '■', more: '▲', INCONCLUSIVE: '?' };

/**
 * @param {string} claimId
 * @param {Relief} relief
 */
export function reliefTable(claimId, { sentence, before, before_arm, rows }) {
  const most = Math.max(0, before.median ?? 0, ...rows.map(({ after }) => after.median ?? 0));
  return html`<div class="relief"><h4>Relief: does it stop when the accused is relieved?</h4>
<table aria-label="Relief of ${claimId}">
<thead><tr><td></td><th scope="col">Before <span class="arm">${before_arm}</span></th><th scope="col">After</th></tr></thead>
<tbody>${rows.map((row) => reliefRow(row, before, most))}</tbody></table>
<p class="sentence">${sentence}</p></div>`;
}

/** @type {(row: ReliefRow, before: Range, most: number) => import('../html.js').Html} */
function reliefRow({ tier, accused, arm, relief, after, failures, doubt }, before, most) {
  return html`<tr><th scope="row"><span class="role">${accused ? 'accused' : 'rival'}</span> ${tierChip(tier)} <span class="what">relieved: ${relief}</span></th>
<td>${rateCell('failures', before, most)}</td>
<td class="${failures.toLowerCase()}">${rateCell(html`<span aria-hidden="true">${SIGNS[failures]}</span> ${failures}`, after, most)}<span class="arm">${arm}</span>${doubtNote(doubt)}</td></tr>
`;
}

/** @type {(word: import('../html.js').Piece, range: Range, most: number) => import('../html.js').Html} */
function rateCell(word, range, most) {
  const width = most > 0 ? ((range.median ?? 0) / most) * 100 : 0;
  const spread = extremes(range, percent);
  return html`<b class="word">${word}</b> <span class="rate">${percent(range.median)}</span> <span class="spread">${spread !== percent(range.median) && `(${spread})`}</span><span class="amount"><span class="hatched" style="width: ${width.toFixed(1)}%; --c: var(--loss)"></span></span>`;
}
