/**
 * What services asked of each other, as it passed the networks of the run.
 */
import { html } from '../html.js';
import { OUTSIDE_CAPTION, OUTSIDE_COLUMNS, outsideRows } from '../outside-rows.js';
import { table } from '../table.js';
import {
  COMPARED_CAPTION,
  COMPARED_COLUMNS,
  comparedRows,
  ENDED_CAPTION,
  ENDED_COLUMNS,
  endedNotes,
  endedRows,
} from '../wire-beside-rows.js';
import { WIRE_CAPTION, WIRE_COLUMNS, wireNotes, wireRows } from '../wire-rows.js';
import { section } from './parts.js';

/** @param {import('../../record/result.js').Result} result */
export function wireSection({ wire }) {
  if (!wire) return null;
  const notes = wireNotes(wire);
  const { outside = [] } = wire;
  const [ended, compared, told] = [endedRows(wire), comparedRows(wire), endedNotes(wire)];
  return section(
    'wire',
    'On the wire',
    html`<p class="lead">${WIRE_CAPTION}</p>
${wire.edges.length > 0 ? table('On the wire', WIRE_COLUMNS, wireRows(wire), { isCards: true }) : html`<p>Nothing passed the networks of the run.</p>`}
${outside.length > 0 && html`<h3>Hosts outside the stack</h3><p class="lead">${OUTSIDE_CAPTION}</p>${table('Hosts outside the stack', OUTSIDE_COLUMNS, outsideRows(outside), { isCards: true })}`}
${notes.length > 0 && html`<ul class="evidence">${notes.map((text) => html`<li>${text}</li>`)}</ul>`}
${ended.length > 0 && html`<h3>How failed requests ended</h3><p class="lead">${ENDED_CAPTION}</p>${table(ENDED_CAPTION, ENDED_COLUMNS, ended, { isCards: true })}<ul class="evidence">${told.map((text) => html`<li>${text}</li>`)}</ul>`}
${compared.length > 0 && html`<h3>Beside other records</h3><p class="lead">${COMPARED_CAPTION}</p>${table(COMPARED_CAPTION, COMPARED_COLUMNS, compared, { isCards: true })}`}`,
  );
}
