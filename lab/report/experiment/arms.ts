/** The arms: medians and extremes over the runs that count, and where each arm's failures were lost. */

import { metrics } from '../../catalog/metrics.ts';
import type { ExperimentArm, ExperimentResult, LedgerRow, PublishedFigure, PublishedTable } from '../../record/types.js';
import type { Metric } from '../../stats/metric.ts';
import { count, FORMATS, MISSING, percent, plural, ratio, tierTitle } from '../format.ts';
import { type Html, html } from '../html.ts';
import { breakdownTable, localLink, section, tierChip } from '../sections/parts.ts';
import { doubtNote } from '../table.ts';
import { extremes } from './words.ts';

export function armsSection({ arms }: ExperimentResult) {
	const shown = shownMetrics(arms);
	return section(
		'arms',
		'Variants',
		html`<p class="lead">Each figure is the median over the runs that count, below it the least and the most. A latency of successes says nothing about the requests that failed, so their share stands with it.</p>
<div class="scroll" tabindex="0" role="region" aria-label="Variants"><table class="arms">
<thead><tr><th scope="col">Variant</th>${shown.map(({ label }) => html`<th scope="col" class="number">${label}</th>`)}</tr></thead>
${arms.map((arm) => armRows(arm, shown))}
</table></div>`,
	);
}

/** Those of the metrics table that any arm has a figure for, in its order. */
export const shownMetrics = (arms: ExperimentArm[]): Metric[] =>
	metrics.filter(({ id }) => arms.some((arm) => typeof arm.metrics[id]?.median === 'number'));

function armRows(arm: ExperimentArm, shown: Metric[]): Html {
	return html`<tbody>
<tr><th scope="row"><b class="name">${arm.id}</b><span class="service">${arm.title}</span>${doubtNote(arm.doubt)}</th>${shown.map((metric) => html`<td class="number">${metricCell(arm, metric)}</td>`)}</tr>
<tr class="lost"><td colspan="${shown.length + 1}"><div class="within"><span class="runs">${runsText(arm)}</span> ${losses(arm.ledger, arm)} ${arm.typical_run && localLink(arm.typical_run, 'typical run')}</div>${armBreakdowns(arm)}</td></tr>
</tbody>`;
}

/** The scenario's own tables of an arm. */
function armBreakdowns({ id, runs, breakdowns }: ExperimentArm) {
	if (breakdowns.length === 0) return null;
	return html`<details class="breakdowns"><summary>Breakdowns of ${id}</summary><p class="lead">Each figure is the median over ${plural(runs, 'run')}.</p>${breakdowns.map(breakdownTable)}</details>`;
}

function metricCell(arm: ExperimentArm, { id, unit, success_only }: Metric): Html {
	const range = arm.metrics[id];
	const median = FORMATS[unit](range?.median);
	const isLoss = id === 'failure_rate' && (range?.median ?? 0) > 0;
	return html`<b class="${isLoss && 'loss'}">${median}</b>${median !== MISSING && html`<span class="service">${extremes(range, FORMATS[unit])}</span>`}${success_only && median !== MISSING && html`<span class="service failed">${failedText(arm)}</span>`}`;
}

/** What stands beside every latency of successes. */
export function failedText({ metrics: { failure_rate: failed } }: ExperimentArm) {
	return typeof failed?.median === 'number' ? `${percent(failed.median)} failed` : 'failed: not known';
}

/**
 * `8 runs count, 1 INVALID left out, 1 of 8 runs SUSPECT: why`.
 * @param arm one from before reasons were kept has numbers alone
 */
export function runsText({ runs, suspect, invalid, doubt }: ExperimentArm) {
	return [
		`${plural(runs, 'run')} ${runs === 1 ? 'counts' : 'count'}`,
		invalid > 0 && `${count(invalid)} INVALID left out`,
		suspect > 0 && (doubt?.text ?? `${count(suspect)} of them SUSPECT`),
	]
		.filter(Boolean)
		.join(', ');
}

function losses(ledger: LedgerRow[], { runs }: ExperimentArm): Html {
	if (runs === 0) return html`<span>Nothing was measured.</span>`;
	if (ledger.length === 0) return html`<span class="calm">✓ No request was lost.</span>`;
	return html`<ul aria-label="Where its failures were lost">${ledger.map(({ tier, cause_title: cause, count: times, share }) => html`<li>${tierChip(tier, `${tierTitle(tier)}:`)} ${cause} <b>${count(times)}</b> <span class="share">${percent(share)}</span></li>`)}</ul>`;
}

/**
 * What the source measured, beside what was measured here, as a matrix: a row for each arm, a column for each figure, and
 * why figures are not near each other. The page and the Markdown write the same.
 *
 */

type PublishedMatrix = {
	columns: { metric: string; label: string }[];
	rows: PublishedRow[];
};

export type PublishedRow = {
	arm: string;
	/** the failed share; a latency of successes says nothing of what failed */
	failed: string | null;
	/** one for each column; null where the source has none */
	figures: (PublishedFigure | null)[];
	/** why figures are not near, each in a sentence with their names */
	reasons: string[];
};

const SPACE = '\u00a0';

/** @returns null without any figure */
export function publishedMatrix({ published, arms }: ExperimentResult): PublishedMatrix | null {
	const rows = published?.arms ?? [];
	const labels = new Map(rows.flatMap(({ figures }) => figures.map(({ metric, label }) => [metric, label])));
	if (labels.size === 0) return null;
	const columns = [...labels].map(([metric, label]) => ({ metric, label }));
	return {
		columns,
		rows: rows.map(({ arm: id, figures }) => {
			const arm = arms.find((one) => one.id === id);
			return {
				arm: id,
				failed: arm ? failedText(arm) : null,
				figures: columns.map(({ metric }) => figures.find((figure) => figure.metric === metric) ?? null),
				reasons: reasonsOf(figures),
			};
		}),
	};
}

/** A reason is found for an arm, so figures that have the same share a sentence. */
function reasonsOf(figures: PublishedFigure[]) {
	const apart = figures.filter(({ near }) => near === false);
	const textOf = ({ reason }: PublishedFigure) => reason ?? 'not explained';
	return [...new Set(apart.map(textOf))].map((text) => {
		const labels = apart.filter((figure) => textOf(figure) === text).map(({ label }) => label);
		return `${labels.join(', ')} not near: ${text}`;
	});
}

/** What is to be seen in the matrix, and what its figures are. */
export const captionOf = ({ source, within }: PublishedTable) =>
	`See where the ratio is far from 1×. First is the median over the runs that count, then what was published, then measured over published.${
		within === null ? '' : ` Where the two are expected to be within ${percent(within)}, a mark says whether they are near.`
	} The range of each median is under Variants. A latency of successes says nothing of requests that failed, so their share stands with the arm. Published: ${source}.`;

/** The measured median. */
export const medianText = ({ unit, measured }: PublishedFigure) => FORMATS[unit](measured.median);

/** Its unit only where the measured median has another. */
export function publishedText(figure: PublishedFigure) {
	const [amount, unit] = FORMATS[figure.unit](figure.published).split(SPACE);
	if (unit === undefined || medianText(figure).endsWith(`${SPACE}${unit}`)) return `published ${amount}`;
	return `published ${amount}${SPACE}${unit}`;
}

/** Measured over published; null where nothing was measured. */
export function ratioText({ ratio: times }: PublishedFigure) {
	const text = ratio(times, 1);
	return text === MISSING ? null : text;
}

/** Null where nothing is expected. */
export const nearText = ({ near }: PublishedFigure) => (near === null ? null : near ? 'near' : 'not near');
