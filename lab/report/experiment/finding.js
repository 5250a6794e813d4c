/**
 * The first thing that a reader sees: what was asked, what was found, how many claims stood, and on how much it rests.
 *
 * @typedef {import('../../record/experiment-result.js').ExperimentResult} ExperimentResult
 */

import { blocksText, tooFewText } from '../blocks.js';
import { count, moment, plural } from '../format.js';
import { html } from '../html.js';
import { claimAnchor, stamp } from '../stamp.js';
import { headlineText } from './words.js';

const SEPARATOR = html` <span class="sep">·</span> `;
const VERDICTS = /** @type {const} */ ([
  ['HOLDS', 'hold'],
  ['REFUTED', 'refuted'],
  ['INCONCLUSIVE', 'inconclusive'],
]);

/** @param {ExperimentResult} result @param {import('../../record/findings.js').ReadOtherwise[]} [otherwise]  claims that come out otherwise today */
export function findingSection(result, otherwise = []) {
  return html`<section id="finding" aria-label="Finding">
<p class="run-line"><b>${result.title}</b>${SEPARATOR}${result.question}</p>
<h1>${headlineText(result.headline)}</h1>
${result.claims.length > 0 && stampStrip(result)}
${readOtherwise(otherwise)}<p class="basis">${basis(result)}</p>
${leftOut(result)}
</section>
`;
}

/** What stands on the page is what was registered. @param {import('../../record/findings.js').ReadOtherwise[]} otherwise */
function readOtherwise(otherwise) {
  if (otherwise.length === 0) return null;
  return html`<div class="finding doubts"><p><b>Read otherwise today</b>, under this load and budget. The verdicts of this page are those that were registered.</p>
<ul>${otherwise.map(
    ({ id, statement, verdict, registered, sentence, changed }) =>
      html`<li><b>${id}</b>${statement && ` “${statement}”`} ${stamp(verdict)} (registered: ${registered}) ${sentence}${changed && html` <span class="fine">${changed}</span>`}</li>`,
  )}</ul></div>`;
}

/** @param {ExperimentResult} result */
function stampStrip({ claims }) {
  return html`<div class="strip"><p class="tally"><b>${plural(claims.length, 'claim')}</b>: ${tally(claims)}</p>
<ul class="stamps">${claims.map(
    ({ id, statement, verdict }) => html`<li><a href="#${claimAnchor(id)}" title="${statement}"><b>${id}</b> ${stamp(verdict)}</a></li>`,
  )}</ul></div>`;
}

/**
 * `1 holds, 3 refuted, 1 inconclusive`.
 * @param {ExperimentResult['claims']} claims
 */
export function tally(claims) {
  return VERDICTS.map(([verdict, word]) => {
    const times = claims.filter((claim) => claim.verdict === verdict).length;
    return `${count(times)}\u00a0${word === 'hold' && times === 1 ? 'holds' : word}`;
  }).join(', ');
}

/** @param {ExperimentResult} result */
function basis(result) {
  const { blocks, load, load_title, budget, started } = result;
  return [
    html`<b>${blocksText(blocks)}</b>`,
    blocks.complete < blocks.least && html` <span class="too-few">${tooFewText(blocks)}</span>`,
    SEPARATOR,
    html`load <b>${load}</b>, ${load_title}`,
    SEPARATOR,
    html`budget <b>${budget}</b>`,
    SEPARATOR,
    html`<time datetime="${started}">${moment(started)}</time>`,
  ].flat();
}

/** @param {ExperimentResult} result */
function leftOut({ blocks: { left_out: runs } }) {
  if (runs.length === 0) return html`<p class="fine">No run was INVALID; none is left out.</p>`;
  return html`<details class="left-out"><summary>${plural(runs.length, 'INVALID run')} left out</summary>
<ul>${runs.map(({ arm, block, reasons }) => html`<li><b>${arm}</b>, block ${count(block)}: ${reasons.join(' ')}</li>`)}</ul></details>`;
}
