/** What services asked of each other, as it passed the networks of the run. */

import type { Result } from '../../record/types.js';
import { html } from '../html.ts';
import { table } from '../table.ts';
import {
	COMPARED_CAPTION,
	COMPARED_COLUMNS,
	comparedRows,
	ENDED_CAPTION,
	ENDED_COLUMNS,
	endedNotes,
	endedRows,
	OUTSIDE_CAPTION,
	OUTSIDE_COLUMNS,
	outsideRows,
} from '../wire-beside-rows.ts';
import { WIRE_CAPTION, WIRE_COLUMNS, wireNotes, wireRows } from '../wire-rows.ts';
import { section } from './parts.ts';

export function wireSection({ wire }: Result) {
	if (!wire) return null;
	const notes = wireNotes(wire);
	const { outside = [] } = wire;
	const [ended, compared, reported] = [endedRows(wire), comparedRows(wire), endedNotes(wire)];
	return section(
		'wire',
		'Calls on the network',
		html`<p class="lead">${WIRE_CAPTION}</p>
${wire.edges.length > 0 ? table('Calls on the network', WIRE_COLUMNS, wireRows(wire), { isCards: true }) : html`<p>No traffic was recorded on the networks of the run.</p>`}
${outside.length > 0 && html`<h3>Hosts outside the stack</h3><p class="lead">${OUTSIDE_CAPTION}</p>${table('Hosts outside the stack', OUTSIDE_COLUMNS, outsideRows(outside), { isCards: true })}`}
${notes.length > 0 && html`<ul class="evidence">${notes.map((text) => html`<li>${text}</li>`)}</ul>`}
${ended.length > 0 && html`<h3>Endings of failed requests</h3><p class="lead">${ENDED_CAPTION}</p>${table(ENDED_CAPTION, ENDED_COLUMNS, ended, { isCards: true })}<ul class="evidence">${reported.map((text) => html`<li>${text}</li>`)}</ul>`}
${compared.length > 0 && html`<h3>Comparison with other records</h3><p class="lead">${COMPARED_CAPTION}</p>${table(COMPARED_CAPTION, COMPARED_COLUMNS, compared, { isCards: true })}`}`,
	);
}
