/**
 * The findings as a single file: how many claims stood, and a table of all of them by experiment, each with its verdict, a
 * sentence to quote and a link to its evidence; below it numbered notes.
 *
 * @typedef {import('../record/findings.js').ClaimFinding} ClaimFinding
 * @typedef {import('../record/findings.js').ExperimentFinding} ExperimentFinding
 * @typedef {import('../record/findings.js').Findings} Findings
 */
import { FINDINGS_RECORD } from '../record/findings.js';
import { blocksText } from './blocks.js';
import { conditionText, isReadOtherwise, LEGEND, notesOf } from './finding-notes.js';
import { count, MISSING, moment } from './format.js';
import { html } from './html.js';
import { asset, renderPage } from './page.js';
import { localLink, section } from './sections/parts.js';
import { claimAnchor, stamp } from './stamp.js';

const STYLES = ['stamp', 'findings'];
const COLUMNS = ['Claim', 'Published', 'Verdict', 'In one sentence', 'Evidence'];
const SEPARATOR = html` <span class="sep">·</span> `;

/**
 * @param {Findings} findings
 * @returns {string} findings.html, for the folder that holds findings.json
 */
export function renderFindings(findings) {
  const { index } = findings;
  return renderPage({
    title: 'Findings: Doubletake',
    styles: STYLES.map((name) => asset(`${name}.css`)),
    trail: html`<b>Doubletake</b> ${index && localLink(index, 'all runs')} <span>findings</span>`,
    body: html`${headline(findings)}${section('claims', 'The claims', claimTable(findings))}${notes(findings)}${questions(findings)}${repeat(findings)}`,
  });
}

/** @param {Findings} findings */
function headline({ headline: sentence, counts, started, ended, machines }) {
  const when = started && ended && [moment(started), moment(ended)];
  return html`<section id="finding" aria-label="Finding">
<h1>${sentence}</h1>
${tally('Publications’ claims', counts.publications)}${tally('The lab’s own', counts.own)}
<p class="basis">${machines.map((machine) => html`${machine}${SEPARATOR}`)}${when ? html`measured from ${when[0]} to ${when[1]}` : 'nothing was measured'}</p>
</section>
`;
}

/** @type {(label: string, counts: import('../record/findings.js').VerdictCounts) => import('./html.js').Html | null} nothing where there are none */
function tally(label, counts) {
  const found = Object.entries(counts).filter(([, times]) => times > 0);
  if (found.length === 0) return null;
  return html`<ul class="counts"><li class="label">${label}</li>${found.map(([verdict, times]) => html`<li><b>${count(times)}</b> ${stamp(verdict)}</li>`)}</ul>`;
}

/** @param {Findings} findings */
function claimTable(findings) {
  const numbers = new Map(notesOf(findings).map(({ id, number }) => [id, number]));
  const { experiments } = findings;
  return html`<table class="findings"><thead><tr>${COLUMNS.map((title) => html`<th scope="col">${title}</th>`)}</tr></thead>
${experiments.map((experiment) => experimentRows(experiment, numbers))}</table>`;
}

/** @type {(experiment: ExperimentFinding, numbers: Map<string, number>) => import('./html.js').Html} numbers: of the claims' notes */
function experimentRows(experiment, numbers) {
  const { title, question, href, source, incomplete, grading, claims } = experiment;
  return html`<tbody><tr class="group"><th scope="rowgroup" colspan="${COLUMNS.length}"><b class="title">${href === null ? title : localLink(href, title)}</b> <span class="question">${question}</span>
<span class="basis">${source}${basis(experiment)}</span>${[incomplete, grading].map((text) => text && html`<span class="incomplete">${text}</span>`)}</th></tr>
${claims.map((claim) => claimRow(claim, numbers.get(claim.id), grading !== null))}</tbody>
`;
}

/** @param {ExperimentFinding} experiment */
function basis({ blocks, load, budget, started }) {
  return [
    blocks && blocksText(blocks),
    load && html`load <b>${load}</b>`,
    budget && html`budget <b>${budget}</b>`,
    started && html`<time datetime="${started}">${moment(started)}</time>`,
  ].flatMap((part) => (part ? [SEPARATOR, part] : []));
}

/** @type {(claim: ClaimFinding, number: number | undefined, isRegraded: boolean) => import('./html.js').Html} number: of its note; isRegraded: by rules replaced since */
function claimRow(claim, number, isRegraded) {
  const { id, own, statement, published, verdict, sentence, elsewhere, href } = claim;
  // Each cell names its column too: on a narrow screen a row is a card, and the head is not shown.
  return html`<tr class="claim" id="${claimAnchor(id)}">
<th scope="row"><b class="id">${id}</b> ${statement}${own && html`<span class="own">the lab’s own question</span>`}</th>
<td data-column="${COLUMNS[1]}">${published.length > 0 ? html`<ul class="published">${published.map(({ label, text }) => html`<li><span class="label">${label}:</span> ${text}</li>`)}</ul>` : MISSING}</td>
<td data-column="${COLUMNS[2]}">${stamp(verdict)}${was(claim)}${isRegraded && html`<span class="graded">runs graded by earlier rules</span>`}</td>
<td data-column="${COLUMNS[3]}"><span class="sentence">${sentence ?? MISSING}</span>${elsewhere.length > 0 && html`<ul class="elsewhere">${elsewhere.map(elsewhereItem)}</ul>`}${number && html` <a class="note" href="#${noteAnchor(id)}">note ${number}<span class="hidden"> on ${id}</span></a>`}</td>
<td data-column="${COLUMNS[4]}">${href === null ? MISSING : localLink(href, html`evidence<span class="hidden"> on ${id}</span>`)}</td>
</tr>
`;
}

/** What was registered stays visible. @param {ClaimFinding} claim */
function was(claim) {
  if (claim.registered === null || !isReadOtherwise(claim)) return null;
  const { verdict, statement } = claim.registered;
  return html`<span class="was">registered: ${verdict}${statement !== claim.statement && ', of another statement'}</span>`;
}

/** @param {ClaimFinding['elsewhere'][number]} reading */
const elsewhereItem = ({ load, budget, verdict, text, instead }) =>
  html`<li>Under ${conditionText({ load, budget })} <b>${verdict}</b>${instead && ' (other arms)'}, ${text}</li>`;

const noteAnchor = (/** @type {string} */ id) => claimAnchor(id).replace('claim-', 'note-');

/** @param {Findings} findings */
function notes(findings) {
  const all = notesOf(findings);
  const { registered, grading } = findings;
  const about = [LEGEND, registered, grading].map((text) => text && html`<p class="registered">${text}</p>`);
  return section(
    'notes',
    'Notes',
    html`${about}<ol class="notes">${all.map(
      ({ id, sentences, doubt }) =>
        html`<li id="${noteAnchor(id)}"><b class="id">${id}</b> ${sentences.map((text) => html`<p>${text}</p>`)}${doubt && html`<p class="doubt">In doubt: ${doubt}.</p>`}</li>`,
    )}</ol>`,
  );
}

/** @param {Findings} findings */
function questions({ unclaimed }) {
  if (unclaimed.length === 0) return null;
  return section('questions', 'Without a claim', html`<ul class="questions">${unclaimed.map(questionItem)}</ul>`);
}

/** @param {ExperimentFinding} experiment */
function questionItem(experiment) {
  const { title, question, href, headline: found, incomplete } = experiment;
  return html`<li><b class="title">${href === null ? title : localLink(href, title)}</b> <span class="question">${question}</span>
<p>${found ?? MISSING}</p>
<p class="basis">${basis(experiment).slice(1)}</p>${incomplete && html`<p class="incomplete">${incomplete}</p>`}</li>
`;
}

/** @param {Findings} findings */
function repeat({ command }) {
  return section(
    'repeat',
    'Repeat it',
    html`<p><code class="command">${command}</code></p>
<p class="fine">In this folder: ${localLink(FINDINGS_RECORD.data, FINDINGS_RECORD.data)} ${localLink(FINDINGS_RECORD.markdown, FINDINGS_RECORD.markdown)}</p>`,
  );
}
