/**
 * The requests of the load by what they asked for.
 */
import { html } from '../html.js';
import { table } from '../table.js';
import { EDGE_COLUMNS, joinNotes, URL_CAPTION, URL_COLUMNS, urlEdgeRows, urlRows } from '../url-rows.js';
import { section } from './parts.js';

/** @param {import('../../record/result.js').Result} result @returns {import('../html.js').Html | null} null where no request was recorded */
export function urlsSection({ wire }) {
  const { urls = [] } = wire ?? {};
  if (!wire || urls.length === 0) return null;
  const [edges, notes] = [urlEdgeRows(urls), joinNotes(wire)];
  return section(
    'urls',
    'By URL',
    html`<p class="lead">${URL_CAPTION}</p>
${table('By URL', URL_COLUMNS, urlRows(urls), { isCards: true })}
${edges.length > 0 && html`<h3>What each asks</h3>${table('What each URL asks', EDGE_COLUMNS, edges, { isCards: true })}<p class="fine">Calm seconds are those in which no request began that failed. Time is that of all its calls on the edge together.</p>`}
${notes.length > 0 && html`<ul class="evidence">${notes.map((text) => html`<li>${text}</li>`)}</ul>`}`,
  );
}
