/**
 * Where failed requests failed when they are followed from the entry along whom each service waited for.
 */
import { html } from '../html.js';
import { basisOf, conclusionOf, isTold, linesOf, notesOf, WAITING_CAPTION } from '../waiting-texts.js';
import { section } from './parts.js';

/** @param {import('../../define/result.js').Result} result @returns {import('../html.js').Html | null} null where nothing failed on the wire, or there is no record of it */
export function waitingSection({ waiting }) {
  if (!isTold(waiting)) return null;
  return section(
    'waiting',
    'Following the waiting',
    html`<p class="lead">${WAITING_CAPTION}</p>
${waiting.findings.map(
  (finding) => html`<h3>${conclusionOf(finding)}</h3>
<ul class="evidence">${linesOf(finding).map((text) => html`<li>${text}</li>`)}</ul>
<p class="fine">${basisOf(finding)}</p>`,
)}
<ul class="evidence">${notesOf(waiting).map((text) => html`<li>${text}</li>`)}</ul>`,
  );
}
