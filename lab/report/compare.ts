/**
 * The comparison of two arms as a single file. It answers in this order: which is better, whether it serves and
 * fails as it should, where each loses its requests, by how much they differ, and on which runs that rests.
 */

import { knownCommand } from '../options/known-command.ts';
import type { Arm, ArmRun, Comparison, MetricComparison } from '../record/types.js';
import { bundleScript, chartStyles } from './bundle.ts';
import { commandHtml, commandMarkdown, withMoreRepetitions } from './commands.ts';
import { carryComparison, SIDES } from './compare/arms.ts';
import { dotsSection } from './compare/dots.ts';
import { gatesSection } from './compare/gates.ts';
import {
	type ArmKey,
	armName,
	estimateNote,
	estimateText,
	failedText,
	flowsSection,
	medianText,
	metricsSection,
	survivorshipText,
} from './compare/parts.ts';
import { timelineSection } from './compare/timeline.ts';
import { armDoubtSentence, armDoubts } from './doubts.ts';
import { intervalText, onScale } from './experiment/words.ts';
import { inFieldWords } from './field-words.ts';
import { count, MISSING, moment, numeric, percent, rate } from './format.ts';
import { escapeMarkdown, type Html, html, jsonText, markdown, markdownCode, markdownTable } from './html.ts';
import { asset, renderPage } from './page.ts';
import { withContents } from './report.ts';
import {
	badge,
	copyButton,
	dataDoubts,
	factList,
	leftOut,
	leftOutText,
	localLink,
	machineFacts,
	madeFacts,
	SEPARATOR,
	section,
} from './sections/parts.ts';
import { blocksText, repetitionsText, stamp, tooFewText } from './stamp.ts';
import { doubtShort, table } from './table.ts';

const STYLES = [
	'report.css',
	'flow.css',
	'charts.css',
	'interval-axis.css',
	'stamp.css',
	'compare.css',
	'compare-runs.css',
	'compare-narrow.css',
];
const SECTIONS = [verdictSection, gatesSection, flowsSection, metricsSection, dotsSection, timelineSection, runsSection, repeatSection];

/** @returns compare.html, for the folder that holds compare.json */
export async function renderCompare(given: Comparison): Promise<string> {
	const comparison = inFieldWords(given);
	const { title, verdict, id, links } = comparison;
	return renderPage({
		title: `${title}, ${verdict.word}: Doubletake`,
		styles: [chartStyles(), ...STYLES.map(asset)],
		trail: html`<b>Doubletake</b> ${links.index && html`<a href="./${links.index}">all runs</a>`} ${links.experiment && html`<a href="./${links.experiment}">the experiment</a>`} <span class="run">${id}</span>`,
		body: withContents(html`${SECTIONS.map((section) => section(comparison))}`),
		data: jsonText(carryComparison(comparison)),
		script: await bundleScript('compare.ts'),
	});
}

/**
 * A comparison as Markdown, for a pull request: the verdict, the gates, every metric with its interval, the command.
 *
 */

export function formatCompareMarkdown(given: Comparison): string {
	const comparison = inFieldWords(given);
	return [heading(comparison), gates(comparison), doubts(comparison), metrics(comparison), footer(comparison)].filter(Boolean).join('\n');
}

function heading({ title, verdict, blocks, load, budget, started }: Comparison) {
	const basis = [blocksText(blocks), leftOutText(blocks.left_out.length), `load ${load}`, `budget ${budget}`, moment(started)];
	const tooFew = blocks.complete < blocks.least ? markdown`\n\n${tooFewText(blocks)}` : '';
	return markdown`## ${title}: ${verdict.word.toUpperCase()}\n\n**${verdict.sentence}**\n\n`.text.concat(
		`${basis.map(escapeMarkdown).join(' · ')}${tooFew}\n`,
	);
}

function gates({ metrics: all }: Comparison) {
	const lines = all
		.filter(({ gate }) => gate)
		.map(
			(metric) =>
				markdown`- ${metric.label}: **${metric.verdict}**, ${medianText(metric, 'base')} → ${medianText(metric, 'other')} (${estimateText(metric)})`
					.text,
		);
	return `### Goodput and failure rate\n\n${lines.join('\n')}\n`;
}

const doubts = ({ survivorship }: Comparison) => survivorship && markdown`> **Survivorship:** ${survivorshipText(survivorship)}\n`.text;

function metrics({ metrics: all, base, other, paired, correction }: Comparison) {
	const heads = ['Metric', ...[headOf(base), headOf(other), 'estimate', '95 % interval'].map(numeric), 'verdict'];
	const rows = all.map((metric) => [
		metric.label,
		...SIDES.map((side) => withFailed(metric, side)),
		onScale(metric.scale, metric.estimate),
		intervalText(metric),
		metric.held_back ? markdown`**${metric.verdict}**: ${metric.held_back}` : markdown`**${metric.verdict}**`,
	]);
	return `### Metrics\n\n${markdownTable(heads, rows)}\n${escapeMarkdown(`${estimateNote(paired)} ${correction}`)}\n`;
}

/** `2a (8 of 8 SUSPECT)`. */
const headOf = ({ id, doubt }: Arm) => [id, doubt && `(${doubtShort(doubt)})`].filter(Boolean).join(' ');

function withFailed(metric: MetricComparison, side: ArmKey): string {
	const failed = failedText(metric, side);
	return failed === null ? medianText(metric, side) : `${medianText(metric, side)}, ${failed}`;
}

function footer({ command, id, notes }: Comparison) {
	return [
		...notes.map((text) => markdown`- Doubt: ${text}`.text),
		markdown`- Repeat this comparison: ${commandMarkdown(command)}`.text,
		markdown`- Folder: ${markdownCode(`reports/${id}`)}`.text,
		'',
	].join('\n');
}

/** The first thing that a reader sees: which of the two is better, whether to trust that, what to do, and what was left out. */
function verdictSection(comparison: Comparison) {
	const { verdict, base, other, blocks } = comparison;
	const doubted = armDoubts([base, other]);
	return html`<section id="verdict" aria-label="Verdict">
<p class="run-line"><b>${comparison.title}</b>${SEPARATOR}${basis(comparison)}</p>
<p class="trusted">${stamp(verdict.word, 'large')} ${trust(comparison)}</p>
<h1>${withoutDoubts(verdict.sentence, doubted)}</h1>
<ul class="try"><li class="next"><span class="label">Next</span> ${next(comparison)}</li></ul>
${costs(comparison)}
<ul class="sides">${SIDES.map((side) => html`<li>${armName(side, comparison[side].id)} ${comparison[side].title}, ${ROLES[side]}</li>`)}</ul>
<div class="disclosures">${blocks.left_out.length > 0 && leftOut(blocks)}${inDoubt(doubted)}${reasons(comparison)}</div>
</section>
`;
}

const ROLES = { base: 'baseline', other: 'candidate' };

/** On how many runs it rests, and how many of them are in doubt. */
function trust({ verdict, blocks, base, other }: Comparison) {
	const made = repetitionsText(blocks, [base.doubt, other.doubt]);
	if (blocks.complete < blocks.least)
		return html`<b>Do not trust a winner yet.</b> ${made} <span class="too-few">${tooFewText(blocks)}</span>`;
	return html`<b>${verdict.word === 'INCONCLUSIVE' ? 'Trust the figures; they show no winner.' : 'Trust the verdict.'}</b> ${made}`;
}

/** What a winner is not chosen by first, and a reader asks for: latency, and what an answer cost. */
const BESIDE = ['latency_ms_p95_ok', 'cpu_ms_per_good'];

function costs({ metrics: all, base, other }: Comparison) {
	const beside = all.filter(({ id, base: one, other: two }) => BESIDE.includes(id) && one.median !== null && two.median !== null);
	if (beside.length === 0) return null;
	return html`<p class="costs">${beside.map((metric, index) => html`${index > 0 && '; '}${metric.label}: <b>${medianText(metric, 'base')}</b> in ${base.id}, <b>${medianText(metric, 'other')}</b> in ${other.id}`)}.</p>`;
}

/** What follows from it, for whoever has to choose. */
function next(comparison: Comparison) {
	const { verdict, base, other, command } = comparison;
	if (verdict.word === 'better')
		return html`Use <b>${other.id}</b> under this load: it is better, and no worse in any figure that was judged.${comparison.survivorship && ` The p95 of ${comparison.survivorship.arm} leaves out its failed requests.`}`;
	if (verdict.word === 'worse') return html`Keep <b>${base.id}</b>: ${other.id} is worse.`;
	if (verdict.word === 'same') return html`Choose by cost: ${base.id} and ${other.id} serve alike.`;
	if (verdict.word === 'mixed') return html`Decide which matters more: ${other.id} is better in some figures, and worse in others.`;
	const more = withMoreRepetitions(command);
	return more === null
		? html`Compare again with more repetitions.`
		: html`Run ${commandHtml(more)}: more repetitions may tell the two apart.`;
}

/** What the doubts of the arms are stands below it, folded. */
const withoutDoubts = (sentence: string, doubted: string[]) => sentence.replace(armDoubtSentence(doubted), '').trim();

const inDoubt = (doubted: string[]) =>
	doubted.length > 0 &&
	html`<details><summary>What is in doubt</summary><ul>${doubted.map((text) => html`<li>${text}</li>`)}</ul></details>`;

function basis({ load, load_title, budget, started }: Comparison) {
	return html`load <b>${load}</b>, ${load_title}${SEPARATOR}budget <b>${budget}</b>${SEPARATOR}<time datetime="${started}">${moment(started)}</time>`;
}

function reasons({ verdict }: Comparison) {
	if (verdict.reasons.length === 0) return null;
	return html`<details><summary>Why, metric by metric</summary><ul>${verdict.reasons.map((text) => html`<li>${text}</li>`)}</ul></details>`;
}

/**
 * All runs by block, each with its validity and a link to its own report; then how to do it again, and on what it was done.
 *
 */

function runsSection(comparison: Comparison) {
	const { base, other } = comparison;
	const blocks = [...new Set([...base.runs, ...other.runs].map(({ block }) => block))].sort((one, two) => one - two);
	if (blocks.length === 0) return section('runs', 'All runs', html`<p class="fine">There are none.</p>`);
	return section('runs', 'All runs', [
		html`<p class="lead">Goodput and failed share, with a link to the report of each run. What does not count is struck through.</p>`,
		table(
			'All runs by repetition and variant',
			[numeric('Repetition'), ...SIDES.map((side) => ({ title: armName(side, comparison[side].id) }))],
			blocks.map((block) => [count(block), ...SIDES.map((side) => cell(comparison[side], block))]),
		),
	]);
}

function cell({ id, runs }: Arm, block: number): Html | string {
	const found = runs.filter((run) => run.block === block);
	return found.length === 0 ? MISSING : html`<ul class="run-list">${found.map((run) => html`<li>${runLine(id, run)}</li>`)}</ul>`;
}

function runLine(arm: string, { block, href, validity, counts, metrics }: ArmRun): Html {
	const figures = html`${rate(metrics.goodput_rps)}, ${percent(metrics.failure_rate)} failed`;
	const words = html`<span class="hidden">${arm}, repetition ${count(block)}: </span>${counts ? figures : html`<s>${figures}</s>`}`;
	const link = href === null ? words : localLink(href, words);
	const reasons = validity.reasons.join(' ');
	return html`${link} ${badge(validity.verdict)}${!counts && validity.verdict !== 'INVALID' && html` <span class="fine">its partner is INVALID</span>`}${reasons && html`<span class="service">${reasons}</span>`}`;
}

function repeatSection(comparison: Comparison) {
	const { command, seed, machine, notes } = comparison;
	return section('repeat', 'Repeat it', [
		html`<p class="repeat" data-copied>${commandHtml(command)} ${knownCommand(command) !== null && copyButton('the command')}</p>`,
		dataDoubts(notes),
		html`<div class="columns"><div><h3>Comparison</h3>${factList(madeFacts(comparison, `${seed}, of the order of the runs`))}</div><div><h3>Machine</h3>${factList(machineFacts(machine))}</div></div>`,
		html`<p class="links">In this folder: <a href="compare.json">compare.json</a> <a href="compare.md">compare.md</a></p>`,
	]);
}
