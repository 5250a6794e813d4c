/**
 * The page of an experiment as a single file. It answers in this order: what was found, which claims stood and why, how near
 * the published figures are, how the arms did, which pairs were compared, where each run is, how it is repeated.
 */

import type { ExperimentArm, ExperimentResult, PublishedFigure, Range } from '../record/types.js';
import type { Metric, Unit } from '../stats/metric.ts';
import { bundleScript } from './bundle.ts';
import { commandMarkdown } from './commands.ts';
import {
	armsSection,
	captionOf,
	failedText,
	medianText,
	nearText,
	publishedMatrix,
	publishedText,
	ratioText,
	runsText,
	shownMetrics,
} from './experiment/arms.ts';
import { claimsSection } from './experiment/claim-card.ts';
import { curveSection } from './experiment/curve-scales.ts';
import type { Otherwise } from './experiment/finding.ts';
import { findingSection, headlineOf, outcomesSection, PRICE_BASIS, pricesOf, runsSection, tally, withToday } from './experiment/finding.ts';
import { pairsSection } from './experiment/pairs.ts';
import { publishedSection } from './experiment/published.ts';
import { repeatSection } from './experiment/repeat.ts';
import { extremes } from './experiment/words.ts';
import { inFieldWords } from './field-words.ts';
import { FORMATS, MISSING, moment, numeric, percent, tierTitle } from './format.ts';
import { escapeMarkdown, html, markdown, markdownCode, markdownTable } from './html.ts';
import { asset, renderPage } from './page.ts';
import { withContents } from './report.ts';
import { blocksText, tooFewText } from './stamp.ts';

const STYLES = [
	'report',
	'charts',
	'interval-axis',
	'stamp',
	'experiment',
	'experiment-outcomes',
	'experiment-arms',
	'experiment-curve',
	'experiment-narrow',
];

/**
 * @param otherwise claims that come out otherwise today
 * @returns experiment.html, for the folder that holds experiment.json
 */
export async function renderExperiment(given: ExperimentResult, readAgain: Otherwise[] = []): Promise<string> {
	const [result, otherwise] = [inFieldWords(given), inFieldWords(readAgain)];
	return renderPage({
		title: `${result.title}: Doubletake`,
		styles: STYLES.map((name) => asset(`${name}.css`)),
		trail: html`<b>Doubletake</b> ${result.index && html`<a href="./${result.index}">all runs</a>`} <span class="run">${result.id}</span>`,
		body: withContents(
			html`${findingSection(result, otherwise)}${claimsSection(result, otherwise)}${publishedSection(result)}${curveSection(result)}${outcomesSection(result)}${armsSection(result)}${pairsSection(result)}${runsSection(result)}${repeatSection(result)}`,
		),
		script: await bundleScript('experiment.ts'),
	});
}

/**
 * An experiment as Markdown, for a job's summary or a pull request: the finding, the claims, the arms, the command.
 *
 */

/** What fits beside each other where no table can be scrolled; the page has them all. */
const METRICS_NAMED = ['goodput_rps', 'failure_rate', 'latency_ms_p95_ok', 'came_back_share', 'cpu_ms_per_good'];
/** Between the parts of a cell, where no line can be broken. */
const THEN = '; ';

/** @param otherwise claims that come out otherwise today */
export function formatExperimentMarkdown(given: ExperimentResult, readAgain: Otherwise[] = []): string {
	const [result, otherwise] = [inFieldWords(given), inFieldWords(readAgain)];
	return [
		heading(result, otherwise),
		readOtherwise(otherwise),
		claims(result, otherwise),
		published(result),
		curve(result),
		arms(result),
		price(result),
		pairs(result),
		footer(result),
	]
		.filter(Boolean)
		.join('\n');
}

function heading(result: ExperimentResult, otherwise: Otherwise[]) {
	const { title, question, blocks, load, budget, started } = result;
	const basis = [blocksText(blocks), `load ${load}`, `budget ${budget}`, moment(started)].map(escapeMarkdown).join(' · ');
	const tooFew = blocks.complete < blocks.least ? `\n\n${escapeMarkdown(tooFewText(blocks))}` : '';
	return markdown`## ${title}\n\n${question}\n\n**${headlineOf(result, otherwise)}**\n\n`.text.concat(`${basis}${tooFew}\n`);
}

/** What changed since the runs, and why. */
function readOtherwise(otherwise: Otherwise[]) {
	if (otherwise.length === 0) return null;
	const items = otherwise.map(
		({ id, statement, verdict, registered, sentence, changed }) =>
			markdown`- **${id}**${statement && ` “${statement}”`} **${verdict}** (before: ${registered}). ${sentence} ${changed}\n`.text,
	);
	return `**Verdicts that changed since the runs**, under this load and budget:\n\n${items.join('')}`;
}

function claims({ claims: registered }: ExperimentResult, otherwise: Otherwise[]) {
	if (registered.length === 0) return null;
	const all = registered.map((claim) => withToday(claim, otherwise));
	const rows = all.map((claim) => [
		claim.id,
		claim.statement,
		figures(claim.published),
		figures(claim.measured),
		markdown`**${claim.verdict}**${claim.was && ` (before: ${claim.was})`}`,
		claim.quote,
	]);
	return `### Claims: ${tally(all)}\n\n${markdownTable(['Id', 'Claim', 'Published', 'Measured', 'Verdict', 'Quote'], rows)}`;
}

const figures = (list: { label: string; text: string }[]) =>
	list.length > 0 ? list.map(({ label, text }) => `${label}: ${text}`).join(THEN) : MISSING;

function published(result: ExperimentResult) {
	const matrix = publishedMatrix(result);
	if (!result.published || !matrix) return null;
	const heads = ['Variant', ...matrix.columns.map(({ label }) => numeric(label))];
	const rows = matrix.rows.map(({ arm, failed, figures: cells }) => [
		markdown`**${arm}**${failed && ` (${failed})`}`,
		...cells.map((figure) => (figure ? besideText(figure) : MISSING)),
	]);
	const reasons = matrix.rows.flatMap((row) => row.reasons.map((text) => markdown`- **${row.arm}**: ${text}\n`.text)).join('');
	const caption = escapeMarkdown(captionOf(result.published));
	return `### Published beside measured\n\n${caption}\n\n${markdownTable(heads, rows)}${reasons && `\n${reasons}`}`;
}

/** `98.9 rps (published 97.8, 1.01×, near)`. */
const besideText = (figure: PublishedFigure) =>
	`${medianText(figure)} (${[publishedText(figure), ratioText(figure), nearText(figure)].filter(Boolean).join(', ')})`;

function measuredText({ unit, measured }: { unit: Unit; measured: Range }, failed: string | null): string {
	if (typeof measured.median !== 'number') return MISSING;
	const text = `${FORMATS[unit](measured.median)} (${extremes(measured, FORMATS[unit])})`;
	return failed === null ? text : `${text}, ${failed}`;
}

function curve({ curve: found }: ExperimentResult) {
	if (!found) return null;
	const { x_label, metric_label, unit, points, sentence, usl_refused: refused, is_setting: isSetting } = found;
	const rows = points.map(({ x, value, efficiency, failure_rate: failed, interval }) => [
		x,
		FORMATS[unit](value.median),
		extremes(value, FORMATS[unit]),
		isSetting ? extremes(interval, FORMATS[unit]) : percent(efficiency),
		percent(failed.median),
	]);
	const heads = [x_label, `${metric_label}, median`, 'range', isSetting ? '95 % interval' : 'of linear', 'failed'].map(numeric);
	return `### ${isSetting ? `By ${x_label}` : 'Scaling curve'}\n\n${escapeMarkdown(sentence)}${refused ? ` ${escapeMarkdown(refused)}` : ''}\n\n${markdownTable(heads, rows)}`;
}

function arms({ arms: all }: ExperimentResult) {
	const shown = shownMetrics(all).filter(({ id }) => METRICS_NAMED.includes(id));
	const heads = ['Variant', 'Runs', ...shown.map(({ label }) => numeric(label)), 'Lost where'];
	const rows = all.map((arm) => [
		markdown`**${arm.id}** ${arm.title}`,
		runsText(arm),
		...shown.map((metric) => cell(arm, metric)),
		arm.ledger.map(({ tier, cause_title, share }) => `${tierTitle(tier)}: ${cause_title} (${percent(share)})`).join(THEN) || MISSING,
	]);
	return `### Variants\n\nMedian over the runs that count, and the range; more metrics are on the page.\n\n${markdownTable(heads, rows)}`;
}

function cell(arm: ExperimentArm, { id, unit, success_only }: Metric): string {
	const measured = arm.metrics[id];
	return measured ? measuredText({ unit, measured }, success_only ? failedText(arm) : null) : MISSING;
}

/** Where all arms are of the same containers, what differs stands in the table of the arms. */
function price({ arms: all }: ExperimentResult) {
	const prices = pricesOf(all);
	if (prices === null || new Set(all.map((arm) => arm.price?.containers)).size === 1) return null;
	const heads = ['Variant', ...prices.titles.map(numeric)];
	return `### The price\n\n${escapeMarkdown(PRICE_BASIS)}\n\n${markdownTable(
		heads,
		prices.rows.map(({ arm, cells }) => [arm.id, ...cells]),
	)}`;
}

function pairs({ pairs: all }: ExperimentResult) {
	if (all.length === 0) return null;
	const rows = all.map(({ base, other, verdict }) => [`${base} against ${other}`, markdown`**${verdict.word}**`, verdict.sentence]);
	return `### Pairs\n\n${markdownTable(['Compared', 'Verdict', 'In words'], rows)}`;
}

function footer({ command, id, notes, claims_hash: hash }: ExperimentResult) {
	return [
		...notes.map((text) => markdown`- Doubt: ${text}`.text),
		hash && markdown`- The claims were fixed before the first run: SHA-256 ${markdownCode(hash)}`.text,
		markdown`- Repeat this experiment: ${commandMarkdown(command)}`.text,
		markdown`- Page: ${markdownCode(`reports/${id}/experiment.html`)}`.text,
		'',
	]
		.filter((line) => line !== null)
		.join('\n');
}
