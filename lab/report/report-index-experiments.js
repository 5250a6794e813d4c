/**
 * The experiments and comparisons in the list of everything that was measured.
 *
 * @typedef {object} ExperimentRow
 * @property {'experiment' | 'comparison' | 'capacity plan'} kind
 * @property {string} href      of its page, relative to the folder of the index
 * @property {string} id        folder below reports/
 * @property {string} title
 * @property {string} started   ISO 8601
 * @property {string} sentence  what was found
 * @property {{ label: string, word: string }[]} stamps  verdicts: of claims, or of the comparison
 * @property {{ complete: number, wanted: number }} blocks
 */

import { headlineText } from './experiment/words.js';
import { count, MISSING, moment } from './format.js';
import { html } from './html.js';
import { stamp } from './stamp.js';

const COLUMNS = ['Found', 'Verdicts', 'Blocks'];

/** @param {ExperimentRow[]} rows in their order */
export function experimentTable(rows) {
  return html`<table class="runs experiments"><thead><tr>${COLUMNS.map((title) => html`<th scope="col">${title}</th>`)}</tr></thead>
<tbody>${rows.map(experimentRow)}</tbody></table>`;
}

/** @param {ExperimentRow} row */
function experimentRow({ kind, href, id, title, started, sentence, stamps, blocks }) {
  return html`<tr>
<th scope="row"><a href="./${href}"><b>${title}</b></a><span class="run">${kind} · ${moment(started)} · ${id}</span><span class="headline">${headlineText(sentence)}</span></th>
<td data-column="${COLUMNS[1]}">${stamps.length > 0 ? html`<ul class="verdicts">${stamps.map(({ label, word }) => html`<li><b>${label}</b> ${stamp(word)}</li>`)}</ul>` : MISSING}</td>
<td data-column="${COLUMNS[2]}"><span>${count(blocks.complete)} of ${count(blocks.wanted)}</span></td>
</tr>
`;
}
