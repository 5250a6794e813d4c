/** The requests of the load by what they asked for. */

import type { Result } from '../../record/types.js';
import { EDGE_COLUMNS, joinNotes, URL_CAPTION, URL_COLUMNS, urlEdgeRows, urlRows } from '../calibration.ts';
import { type Html, html } from '../html.ts';
import { table } from '../table.ts';
import { section } from './parts.ts';

/** @returns null where no request was recorded */
export function urlsSection({ wire }: Result): Html | null {
	const { urls = [] } = wire ?? {};
	if (!wire || urls.length === 0) return null;
	const [edges, notes] = [urlEdgeRows(urls), joinNotes(wire)];
	return section(
		'urls',
		'Requests by URL',
		html`<p class="lead">${URL_CAPTION}</p>
${table('Requests by URL', URL_COLUMNS, urlRows(urls), { isCards: true })}
${edges.length > 0 && html`<h3>Calls for each URL</h3>${table('Calls for each URL', EDGE_COLUMNS, edges, { isCards: true })}<p class="fine">A second is calm if every request that began in it succeeded. The time per request is the sum over all its calls on the edge.</p>`}
${notes.length > 0 && html`<ul class="evidence">${notes.map((text) => html`<li>${text}</li>`)}</ul>`}`,
	);
}
