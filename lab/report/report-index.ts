/** The list of everything that was measured: experiments and comparisons above, runs below, newest first. */

import { formatCommand } from '../base/format-command.ts';
import { wordOf } from '../record/touches.ts';
import type { Result } from '../record/types.js';
import { count, MISSING, milliseconds, moment, percent, plural, rate } from './format.ts';
import { html } from './html.ts';
import { asset, renderPage } from './page.ts';
import { badge, localLink } from './sections/parts.ts';
import { stamp } from './stamp.ts';

/** href: of the run's report, relative to the folder of the index */
export type IndexRow = Pick<
	Result,
	'run' | 'architecture' | 'architecture_title' | 'load' | 'budget' | 'started' | 'interrupted' | 'validity' | 'metrics' | 'headline'
> & { href: string };

/** href: of their page, relative to the folder of the index */
export type FindingsLink = { href: string; headline: string };

/** The experiments and comparisons in the list of everything that was measured. */
export type ExperimentRow = {
	kind: 'experiment' | 'comparison' | 'capacity plan' | 'limit';
	/** of its page, relative to the folder of the index */
	href: string;
	/** folder below reports/ */
	id: string;
	title: string;
	/** ISO 8601 */
	started: string;
	/** what was found */
	sentence: string;
	/** verdicts: of claims, or of the comparison */
	stamps: { label: string; word: string }[];
	blocks: { complete: number; wanted: number };
};

const FOUND_COLUMNS = ['Found', 'Verdicts', 'Repetitions'];

/** @param rows in their order */
function experimentTable(rows: ExperimentRow[]) {
	return html`<table class="runs experiments"><thead><tr>${FOUND_COLUMNS.map((title) => html`<th scope="col">${title}</th>`)}</tr></thead>
<tbody>${rows.map(foundRow)}</tbody></table>`;
}

function foundRow({ kind, href, id, title, started, sentence, stamps, blocks }: ExperimentRow) {
	return html`<tr>
<th scope="row"><a href="./${href}"><b>${title}</b></a><span class="run">${kind} · ${moment(started)} · ${id}</span><span class="headline">${sentence}</span></th>
<td data-column="${FOUND_COLUMNS[1]}">${stamps.length > 0 ? html`<ul class="verdicts">${stamps.map(({ label, word }) => html`<li><b>${label}</b> ${stamp(word)}</li>`)}</ul>` : MISSING}</td>
<td data-column="${FOUND_COLUMNS[2]}"><span>${count(blocks.complete)} of ${count(blocks.wanted)}</span></td>
</tr>
`;
}

const RUN_COLUMNS = ['Run', 'Load', 'Validity', 'Throughput', 'Goodput', 'p95 of successes', 'Failed'];
const FIRST_NUMERIC = 3;

/**
 * @param content rows in any order
 * @returns index.html
 */
export function renderIndex({
	runs,
	experiments,
	findings,
}: {
	runs: IndexRow[];
	experiments: ExperimentRow[];
	findings: FindingsLink | null;
}): string {
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

const newestFirst: <Row extends { started: string }>(rows: Row[]) => Row[] = (rows) =>
	rows.toSorted((one, other) => Date.parse(other.started) - Date.parse(one.started));

function runTable(rows: IndexRow[]) {
	return html`<table class="runs"><thead><tr>${RUN_COLUMNS.map((title, index) => html`<th scope="col"${index >= FIRST_NUMERIC && html` class="number"`}>${title}</th>`)}</tr></thead>
<tbody>${rows.map(runRow)}</tbody></table>`;
}

function runRow(row: IndexRow) {
	const { metrics, validity } = row;
	const failed = percent(metrics.failure_rate);
	// Each cell names its column too: on a narrow screen a row is a card, and the head is not shown.
	return html`<tr>
<th scope="row"><a href="./${row.href}"><b>${row.architecture}</b> ${row.architecture_title}</a><span class="run">${moment(row.started)} · ${row.run}</span><span class="headline">${row.headline}</span></th>
<td data-column="${RUN_COLUMNS[1]}"><span>${row.load}, ${row.budget}${row.interrupted && ', cut short'}</span></td>
<td data-column="${RUN_COLUMNS[2]}"><span title="${validity.reasons.join(' ')}">${badge(wordOf(validity))}</span></td>
<td data-column="${RUN_COLUMNS[3]}" class="number">${rate(metrics.throughput_rps)}</td>
<td data-column="${RUN_COLUMNS[4]}" class="number">${rate(metrics.goodput_rps)}</td>
<td data-column="${RUN_COLUMNS[5]}" class="number">${milliseconds(metrics.latency_ms.ok.p95)}</td>
<td data-column="${RUN_COLUMNS[6]}" class="number">${metrics.failures > 0 ? html`<b class="loss">${failed}</b>` : failed}</td>
</tr>
`;
}
