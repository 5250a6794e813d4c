/**
 * The findings as a single file: how many claims stood, and a table of all of them by experiment, each with its verdict, a
 * sentence to quote and a link to its evidence.
 *
 * @typedef {import('../define/findings.js').ClaimFinding} ClaimFinding
 * @typedef {import('../define/findings.js').ExperimentFinding} ExperimentFinding
 * @typedef {import('../define/findings.js').Findings} Findings
 */
import { FINDINGS_RECORD } from '../define/findings.js';
import { blocksText } from './blocks.js';
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
    body: html`${headline(findings)}${section('claims', 'The claims', claimTable(findings))}${questions(findings)}${repeat(findings)}`,
  });
}

/** @param {Findings} findings */
function headline({ headline: sentence, counts, started, ended, machines }) {
  const when = started && ended && [moment(started), moment(ended)];
  return html`<section id="finding" aria-label="Finding">
<h1>${sentence}</h1>
<ul class="counts">${Object.entries(counts).map(([verdict, times]) => times > 0 && html`<li><b>${count(times)}</b> ${stamp(verdict)}</li>`)}</ul>
<p class="basis">${machines.map((machine) => html`${machine}${SEPARATOR}`)}${when ? html`measured from ${when[0]} to ${when[1]}` : 'nothing was measured'}</p>
</section>
`;
}

/** @param {Findings} findings */
function claimTable({ experiments }) {
  return html`<table class="findings"><thead><tr>${COLUMNS.map((title) => html`<th scope="col">${title}</th>`)}</tr></thead>
${experiments.map(experimentRows)}</table>`;
}

/** @param {ExperimentFinding} experiment */
function experimentRows(experiment) {
  const { title, question, href, source, incomplete, claims } = experiment;
  return html`<tbody><tr class="group"><th scope="rowgroup" colspan="${COLUMNS.length}"><b class="title">${href === null ? title : localLink(href, title)}</b> <span class="question">${question}</span>
<span class="basis">${source}${basis(experiment)}</span>${incomplete && html`<span class="incomplete">${incomplete}</span>`}</th></tr>
${claims.map(claimRow)}</tbody>
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

/** @param {ClaimFinding} claim */
function claimRow({ id, statement, published, verdict, quote, doubt, reread, href }) {
  // Each cell names its column too: on a narrow screen a row is a card, and the head is not shown.
  return html`<tr class="claim" id="${claimAnchor(id)}">
<th scope="row"><b class="id">${id}</b> ${statement}</th>
<td data-column="${COLUMNS[1]}">${published.length > 0 ? html`<ul class="published">${published.map(({ label, text }) => html`<li><span class="label">${label}:</span> ${text}</li>`)}</ul>` : MISSING}</td>
<td data-column="${COLUMNS[2]}">${stamp(verdict)}</td>
<td data-column="${COLUMNS[3]}"><span class="sentence">${quote ?? MISSING}</span>${doubt && html`<span class="doubt">In doubt: ${doubt}.</span>`}${reread.map(rereadNote)}</td>
<td data-column="${COLUMNS[4]}">${href === null ? MISSING : localLink(href, html`evidence<span class="hidden"> on ${id}</span>`)}</td>
</tr>
`;
}

/** What came after the runs stands beside the verdict and is none. @param {import('../define/findings.js').Reread} reread */
function rereadNote({ id, statement, verdict, sentence }) {
  return html`<span class="reread"><b>Re-read after the runs:</b> <span class="id">${id}</span> ${statement} ${verdict && stamp(verdict)} ${sentence}</span>`;
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
