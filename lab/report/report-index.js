/**
 * The list of everything that was measured: experiments and comparisons above, runs below, newest first.
 *
 * @typedef {import('../record/types.js').Result} Result
 * @typedef {Pick<Result, 'run' | 'architecture' | 'architecture_title' | 'load' | 'budget' | 'started' | 'interrupted' | 'validity' | 'metrics' | 'headline'> & { href: string }} IndexRow
 *   href: of the run's report, relative to the folder of the index
 * @typedef {{ href: string, headline: string }} FindingsLink  href: of their page, relative to the folder of the index
 */

import { formatCommand } from '../base/format-command.js';
import { count, MISSING, milliseconds, moment, percent, plural, rate } from './format.js';
import { html } from './html.js';
import { badge, localLink } from './sections/parts.js';
import { asset, renderPage, stamp } from './stamp.js';

/**
 * The experiments and comparisons in the list of everything that was measured.
 *
 * @typedef {object} ExperimentRow
 * @property {'experiment' | 'comparison' | 'capacity plan'} kind
 * @property {string} href      of its page, relative to the folder of the index
 * @property {string} id        folder below reports/
 * @property {string} title
 * @property {string} started   ISO 8601
 * @property {string} sentence  what was found
 * @property {{ label: string, word: string }[]} stamps  verdicts: of claims, or of the comparison
 * @property {{ complete: number, wanted: number }} blocks
 */

const COLUMNS = ['Found', 'Verdicts', 'Blocks'];

/** @param {ExperimentRow[]} rows in their order */
function experimentTable(rows) {
  return html`<table class="runs experiments"><thead><tr>${COLUMNS.map((title) => html`<th scope="col">${title}</th>`)}</tr></thead>
<tbody>${rows.map(experimentRow)}</tbody></table>`;
}

/** @param {ExperimentRow} row */
function experimentRow({ kind, href, id, title, started, sentence, stamps, blocks }) {
  return html`<tr>
<th scope="row"><a href="./${href}"><b>${title}</b></a><span class="run">${kind} · ${moment(started)} · ${id}</span><span class="headline">${sentence}</span></th>
<td data-column="${COLUMNS[1]}">${stamps.length > 0 ? html`<ul class="verdicts">${stamps.map(({ label, word }) => html`<li><b>${label}</b> ${stamp(word)}</li>`)}</ul>` : MISSING}</td>
<td data-column="${COLUMNS[2]}"><span>${count(blocks.complete)} of ${count(blocks.wanted)}</span></td>
</tr>
`;
}

const REPORT_INDEX_COLUMNS = ['Run', 'Load', 'Validity', 'Throughput', 'Goodput', 'p95 of successes', 'Failed'];
const FIRST_NUMERIC = 3;

/**
 * @param {{ runs: IndexRow[], experiments: ExperimentRow[], findings: FindingsLink | null }} content rows in any order
 * @returns {string} index.html
 */
export function renderIndex({ runs, experiments, findings }) {
  const title = plural(runs.length, 'run');
  return renderPage({
    title: 'Runs: Doubletake',
    styles: [asset('stamp.css'), asset('index.css')],
    trail: html`<b>Doubletake</b>`,
    body: html`${findings && html`<p class="findings-link"><b>${localLink(findings.href, 'Findings')}</b> ${findings.headline}</p>`}
${experiments.length > 0 && html`<h1>Experiments and comparisons</h1>${experimentTable(newestFirst(experiments))}`}
${experiments.length > 0 ? html`<h2>${title}</h2>` : html`<h1>${title}</h1>`}
${runs.length > 0 ? runTable(newestFirst(runs)) : html`<p class="lead">Nothing has been run yet. <code class="command">${formatCommand(['run', 'a'])}</code> makes the first one.</p>`}`,
  });
}

/** @type {<Row extends { started: string }>(rows: Row[]) => Row[]} */
const newestFirst = (rows) => rows.toSorted((one, other) => Date.parse(other.started) - Date.parse(one.started));

/** @param {IndexRow[]} rows */
function runTable(rows) {
  return html`<table class="runs"><thead><tr>${REPORT_INDEX_COLUMNS.map((title, index) => html`<th scope="col"${index >= FIRST_NUMERIC && html` class="number"`}>${title}</th>`)}</tr></thead>
<tbody>${rows.map(runRow)}</tbody></table>`;
}

/** @param {IndexRow} row */
function runRow(row) {
  const { metrics, validity } = row;
  const failed = percent(metrics.failure_rate);
  // Each cell names its column too: on a narrow screen a row is a card, and the head is not shown.
  return html`<tr>
<th scope="row"><a href="./${row.href}"><b>${row.architecture}</b> ${row.architecture_title}</a><span class="run">${moment(row.started)} · ${row.run}</span><span class="headline">${row.headline}</span></th>
<td data-column="${REPORT_INDEX_COLUMNS[1]}"><span>${row.load}, ${row.budget}${row.interrupted && ', cut short'}</span></td>
<td data-column="${REPORT_INDEX_COLUMNS[2]}"><span title="${validity.reasons.join(' ')}">${badge(validity.verdict)}</span></td>
<td data-column="${REPORT_INDEX_COLUMNS[3]}" class="number">${rate(metrics.throughput_rps)}</td>
<td data-column="${REPORT_INDEX_COLUMNS[4]}" class="number">${rate(metrics.goodput_rps)}</td>
<td data-column="${REPORT_INDEX_COLUMNS[5]}" class="number">${milliseconds(metrics.latency_ms.ok.p95)}</td>
<td data-column="${REPORT_INDEX_COLUMNS[6]}" class="number">${metrics.failures > 0 ? html`<b class="loss">${failed}</b>` : failed}</td>
</tr>
`;
}
