/**
 * The published figures beside the measured ones: a cell for each arm and figure, and under an arm why one is not near.
 *
 * @typedef {import('../../record/experiment-result.js').PublishedFigure} PublishedFigure
 * @typedef {import('./published-matrix.js').PublishedRow} PublishedRow
 */
import { MISSING } from '../format.js';
import { html } from '../html.js';
import { section } from '../sections/parts.js';
import { captionOf, medianText, nearText, publishedMatrix, publishedText, ratioText } from './published-matrix.js';
import { extremes, FORMATS } from './words.js';

/** Before a reason, which says in words that it is one. */
const AGAINST = html`<span class="mark against" aria-hidden="true">✕</span>`;

/** @param {import('../../record/experiment-result.js').ExperimentResult} result */
export function publishedSection(result) {
  const matrix = publishedMatrix(result);
  if (!result.published || !matrix) return null;
  return section(
    'published',
    'Published beside measured',
    html`<p class="lead">${captionOf(result.published)}</p>
<div class="scroll" tabindex="0" role="region" aria-label="Published beside measured"><table class="matrix">
<thead><tr><th scope="col">Arm</th>${matrix.columns.map(({ label }) => html`<th scope="col" class="number">${label}</th>`)}</tr></thead>
${matrix.rows.map(armRows)}
</table></div>`,
  );
}

/** @param {PublishedRow} row */
function armRows({ arm, failed, figures, reasons }) {
  return html`<tbody>
<tr><th scope="row"><b class="name">${arm}</b>${failed && html`<span class="service">${failed}</span>`}</th>${figures.map(cell)}</tr>
${reasons.length > 0 && html`<tr class="reasons"><td colspan="${figures.length + 1}"><ul class="within">${reasons.map((text) => html`<li>${AGAINST} ${text}</li>`)}</ul></td></tr>`}
</tbody>`;
}

/** @param {PublishedFigure | null} figure */
function cell(figure) {
  if (!figure) return html`<td class="number">${MISSING}</td>`;
  const [range, times, near] = [extremes(figure.measured, FORMATS[figure.unit]), ratioText(figure), nearText(figure)];
  return html`<td class="number"${range !== MISSING && html` title="${range}"`}><b>${medianText(figure)}</b><span class="service">${publishedText(figure)}</span>${times && html`<span class="service times">${times}${near && mark(near)}</span>`}</td>`;
}

/** @param {string} near */
const mark = (near) =>
  html` <span class="mark ${near === 'near' ? 'for' : 'against'}"><span aria-hidden="true">${near === 'near' ? '✓' : '✕'}</span> ${near}</span>`;
