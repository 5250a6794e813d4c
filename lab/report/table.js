/**
 * Tables. Wide ones scroll inside their own frame, which can be reached by keyboard, so that the page itself never does.
 *
 * @typedef {import('./html.js').Html} Html
 * @typedef {import('./html.js').Piece} Piece
 * @typedef {{ title: Piece, numeric?: boolean }} Column
 */
import { html } from './html.js';

/**
 * @param {string} name     for readers who do not see it
 * @param {Column[]} columns
 * @param {Piece[][]} rows  the first cell of each names the row
 * @param {{ isCards?: boolean }} [options]  isCards: on a narrow screen each row is a card, whose cells say what they are
 */
export function table(name, columns, rows, { isCards = false } = {}) {
  const classOf = (/** @type {number} */ index) => (columns[index]?.numeric ? 'number' : 'text');
  const titleOf = (/** @type {number} */ index) => isCards && html` data-column="${columns[index].title}"`;
  return html`<div class="scroll" tabindex="0" role="region" aria-label="${name}"><table${isCards && html` class="cards"`}>
<thead><tr>${columns.map(({ title }, index) => html`<th scope="col" class="${classOf(index)}">${title}</th>`)}</tr></thead>
<tbody>${rows.map(
    (cells) => html`<tr>${cells.map((cell, index) =>
      index === 0
        ? html`<th scope="row" class="${classOf(0)}">${cell}</th>`
        : html`<td class="${classOf(index)}"${titleOf(index)}>${cell}</td>`,
    )}</tr>
`,
  )}</tbody></table></div>`;
}

/**
 * The data of a figure, folded away.
 * @param {string} name
 * @param {Column[]} columns
 * @param {Piece[][]} rows
 */
export const dataTable = (name, columns, rows) =>
  html`<details class="data"><summary>Table</summary>${table(name, columns, rows)}</details>`;

/** @type {(title: Piece) => Column} */
export const numeric = (title) => ({ title, numeric: true });
