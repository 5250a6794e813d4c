/** The page of a search for a limit as a single file. */

import { LIMIT_RECORD, RECORD } from '../base/paths.ts';
import type { LoadLimit } from '../record/types.js';
import { commandHtml } from './commands.ts';
import { curveFigure } from './experiment/curve-scales.ts';
import { count, duration, milliseconds, moment, numeric, percent, plural, rate } from './format.ts';
import { html } from './html.ts';
import { asset, renderPage } from './page.ts';
import { badge, dataDoubts, localLink, SEPARATOR, section } from './sections/parts.ts';
import { table } from './table.ts';

const STYLES = ['report', 'charts', 'stamp', 'experiment', 'experiment-curve', 'experiment-narrow', 'cards'];
const COLUMNS = [numeric('Level'), 'Run', numeric('Failed'), numeric('p95 of successes'), numeric('Goodput'), 'Why'];

/** @returns limit.html, for the folder that holds limit.json */
export const renderLimit = (limit: LoadLimit): string =>
	renderPage({
		title: `The limit of ${limit.system}: Doubletake`,
		styles: STYLES.map((name) => asset(`${name}.css`)),
		trail: html`<b>Doubletake</b> ${localLink('../../index.html', 'all runs')} <span class="run">${limit.id}</span>`,
		body: html`${finding(limit)}${section('levels', 'By level', limit.curves.map(curveFigure))}${runs(limit)}${repeat(limit)}`,
	});

const finding = ({ id, system, sentence, runs: all, took_s: took, started, machine, method, gave_way: gave }: LoadLimit) =>
	html`<section id="finding" aria-label="Finding">
<p class="run-line"><b>The limit of ${system}</b>${SEPARATOR}${plural(all.length, 'run')} in ${duration(took)}${SEPARATOR}<time datetime="${started}">${moment(started)}</time>${SEPARATOR}${machine}</p>
<h1>${sentence}</h1>
${gave && html`<p>${localLink(hrefOf(id, gave.run), 'The report of a run in which that gave way')}</p>`}
<p class="fine">${method}</p>
</section>
`;

const hrefOf: (id: string, run: string) => string = (id, run) => `${run.slice(id.length + 1)}/${RECORD.report}`;

const runs = ({ id, runs: all, unit, notes }: LoadLimit) =>
	section('runs', 'All runs', [
		table(
			'All runs in their order',
			COLUMNS,
			all.map(({ level, verdict, validity, run, failure_rate: failed, latency_ms_p95_ok: p95, goodput_rps: rps, reason, gave }) => [
				`${count(level)} ${unit}`,
				html`${localLink(hrefOf(id, run), verdict)} ${badge(validity)}`,
				...[percent(failed), milliseconds(p95), rate(rps)],
				[gave, reason].filter(Boolean).join('; '),
			]),
			{ isCards: true },
		),
		dataDoubts(notes),
	]);

const repeat = ({ command }: LoadLimit) =>
	section(
		'repeat',
		'Repeat it',
		html`<p>${commandHtml(command)}</p><p class="fine">In this folder: ${localLink(LIMIT_RECORD.data, LIMIT_RECORD.data)}</p>`,
	);
