/** The published figures beside the measured ones: a cell for each arm and figure, and under an arm why one is not near. */

import type { ExperimentResult, PublishedFigure } from '../../record/types.js';
import { FORMATS, MISSING } from '../format.ts';
import { html } from '../html.ts';
import { section } from '../sections/parts.ts';
import { captionOf, medianText, nearText, type PublishedRow, publishedMatrix, publishedText, ratioText } from './arms.ts';
import { extremes } from './words.ts';

/** Before a reason, which says in words that it is one. */
const AGAINST = html`<span class="mark against" aria-hidden="true">✕</span>`;

export function publishedSection(result: ExperimentResult) {
	const matrix = publishedMatrix(result);
	if (!result.published || !matrix) return null;
	return section(
		'published',
		'Published beside measured',
		html`<p class="lead">${captionOf(result.published)}</p>
<div class="scroll" tabindex="0" role="region" aria-label="Published beside measured"><table class="matrix">
<thead><tr><th scope="col">Variant</th>${matrix.columns.map(({ label }) => html`<th scope="col" class="number">${label}</th>`)}</tr></thead>
${matrix.rows.map(publishedArmRows)}
</table></div>`,
	);
}

function publishedArmRows({ arm, failed, figures, reasons }: PublishedRow) {
	return html`<tbody>
<tr><th scope="row"><b class="name">${arm}</b>${failed && html`<span class="service">${failed}</span>`}</th>${figures.map(cell)}</tr>
${reasons.length > 0 && html`<tr class="reasons"><td colspan="${figures.length + 1}"><ul class="within">${reasons.map((text) => html`<li>${AGAINST} ${text}</li>`)}</ul></td></tr>`}
</tbody>`;
}

function cell(figure: PublishedFigure | null) {
	if (!figure) return html`<td class="number">${MISSING}</td>`;
	const [range, times, near] = [extremes(figure.measured, FORMATS[figure.unit]), ratioText(figure), nearText(figure)];
	return html`<td class="number"${range !== MISSING && html` title="${range}"`}><b>${medianText(figure)}</b><span class="service">${publishedText(figure)}</span>${times && html`<span class="service times">${times}${near && mark(near)}</span>`}</td>`;
}

const mark = (near: string) =>
	html` <span class="mark ${near === 'near' ? 'for' : 'against'}"><span aria-hidden="true">${near === 'near' ? '✓' : '✕'}</span> ${near}</span>`;
