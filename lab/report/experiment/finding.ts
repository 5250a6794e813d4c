/** The first thing that a reader sees: what was asked, what was found, how many claims stood, and on how much it rests. */

import type { ArmRun, ExperimentArm, ExperimentResult, Outcomes, Pair, Price } from '../../record/types.js';
import { commandHtml, withMoreRepetitions } from '../commands.ts';
import { count, FORMATS, MISSING, moment, numeric, percent, plural, rate, tierTitle } from '../format.ts';
import { type Html, html } from '../html.ts';
import { badge, leftOut, localLink, SEPARATOR, section } from '../sections/parts.ts';
import { blocksText, claimAnchor, repetitionsText, stamp, tooFewText } from '../stamp.ts';
import { table } from '../table.ts';
import type { ReadOtherwise } from './read-otherwise.ts';

/** Claims whose verdict today's rules read otherwise than when they were judged. */
export type Otherwise = ReadOtherwise;

const VERDICTS = [
	['HOLDS', 'hold'],
	['REFUTED', 'refuted'],
	['INCONCLUSIVE', 'inconclusive'],
] as const;

/** @param otherwise claims that come out otherwise today */
export function findingSection(result: ExperimentResult, otherwise: ReadOtherwise[] = []) {
	return html`<section id="finding" aria-label="Finding">
<p class="run-line"><b>${result.title}</b>${SEPARATOR}${result.question}</p>
<p class="trusted">${trust(result, otherwise)}</p>
<h1>${headlineOf(result, otherwise)}</h1>
<ul class="try"><li class="next"><span class="label">Next</span> ${next(result)}</li></ul>
${result.claims.length > 0 && claimList(result, otherwise)}
${readOtherwise(otherwise)}<p class="basis">${basis(result)}</p>
${leftOut(result.blocks)}
</section>
`;
}

/** What stands above it or below it: how many claims there are, and whose runs are in doubt. */
const ELSEWHERE = /^\d+ claims?: [^.]*\. (?=\S)|(?<=\S) SUSPECT runs: [^.]*\.$/g;
export function headlineOf({ headline, claims }: ExperimentResult, otherwise: ReadOtherwise[]): string {
	// As the record has it (compare/experiment.ts), with what is said of that claim today.
	const reported = claims.find(({ relief }) => relief !== null) ?? claims[0];
	const today = otherwise.find(({ id }) => id === reported?.id);
	return culpritText(claims) ?? today?.sentence ?? headline.replace(ELSEWHERE, '');
}

/** Where the failures came from, by what ended them alone, where the accused was relieved without success. */
function culpritText(claims: ExperimentResult['claims']): string | null {
	for (const { relief } of claims) {
		const gone = relief?.rows.find(({ accused, failures }) => !accused && failures === 'gone');
		const accused = relief?.rows.filter((row) => row.accused) ?? [];
		if (!gone || accused.length === 0 || !accused.every(({ failures }) => failures === 'stay' || failures === 'more')) continue;
		const names = [...new Set(accused.map(({ tier }) => `the ${tierTitle(tier)}`))].join(' or ');
		const unrelieved = [
			...accused.map(({ arm, after }) => `${percent(after.median)} in ${arm}`),
			`${percent(relief?.before.median)} in ${relief?.before_arm}`,
		];
		return `The failures came from the ${tierTitle(gone.tier)}, not from ${names}: ${percent(gone.after.median)} failed in ${gone.arm}, ${unrelieved.join(', ')}.`;
	}
	return null;
}

/** On how many runs it rests, how many of them are in doubt, and how many verdicts are others today. */
function trust({ blocks, arms, claims }: ExperimentResult, otherwise: ReadOtherwise[]) {
	const made = repetitionsText(
		blocks,
		arms.map(({ doubt }) => doubt),
	);
	if (blocks.complete < blocks.least) return html`<b>Do not trust a verdict yet.</b> ${made} ${tooFewText(blocks)}`;
	const changed =
		otherwise.length > 0 &&
		` ${count(otherwise.length)} of ${plural(claims.length, 'verdict')} changed with rules that were corrected after the runs; each card below says why.`;
	return html`<b>Trust the ${claims.length > 0 ? 'verdicts in this list' : 'figures'}.</b> ${made}${changed}`;
}

/** The change that ended the failures, or the better of two; else what would decide. */
function next({ claims, pairs, command }: ExperimentResult) {
	const relief = claims.flatMap(({ relief: found }) => found?.rows ?? []).find(({ failures }) => failures === 'gone');
	if (relief) return html`Change the ${tierTitle(relief.tier)} as in <b>${relief.arm}</b>: ${relief.relief}. This ended the failures.`;
	const better = pairs.find(({ verdict }) => verdict.word === 'better');
	if (better) return html`Use <b>${better.other}</b> instead of ${better.base}: it is ${localLink(better.href, 'better')}.`;
	const more = withMoreRepetitions(command);
	const isOpen = [...pairs.map(({ verdict }) => verdict.word), ...claims.map(({ verdict }) => verdict)].includes('INCONCLUSIVE');
	if (isOpen && more !== null) return html`Run ${commandHtml(more)}: more repetitions may decide what is open.`;
	return 'Change nothing: no variant was better.';
}

/** What stands in the cards is what was registered. */
function readOtherwise(otherwise: ReadOtherwise[]) {
	if (otherwise.length === 0) return null;
	return html`<details class="left-out"><summary>${plural(otherwise.length, 'verdict')} changed since, and why</summary><p>The cards below have the tests and figures of then, folded.</p>
<ul>${otherwise.map(
		({ id, statement, verdict, registered, sentence, changed }) =>
			html`<li><b>${id}</b>${statement && ` “${statement}”`} ${stamp(verdict)} (registered: ${registered}) ${sentence}${changed && html` <span class="fine">${changed}</span>`}</li>`,
	)}</ul></details>`;
}

/** A claim with the verdict of today's rules. */
export function withToday(claim: ExperimentResult['claims'][number], otherwise: ReadOtherwise[]) {
	const again = otherwise.find(({ id }) => id === claim.id);
	const { verdict, statement, quote } = claim;
	return again
		? { ...claim, verdict: again.verdict, statement: again.statement ?? statement, quote: again.sentence, was: again.registered }
		: { ...claim, verdict, statement, quote, was: null };
}

/** Each claim in its words. */
function claimList({ claims }: ExperimentResult, otherwise: ReadOtherwise[]) {
	const today = claims.map((claim) => withToday(claim, otherwise));
	return html`<p class="tally"><b>${plural(claims.length, 'claim')}</b>: ${tally(today)}</p>
<ul class="stamps">${today.map(
		({ id, statement, verdict }) => html`<li><a href="#${claimAnchor(id)}">${stamp(verdict)} <span>${statement}</span></a></li>`,
	)}</ul>`;
}

/** `1 holds, 3 refuted, 1 inconclusive`. */
export function tally(claims: { verdict: string }[]) {
	return VERDICTS.map(([verdict, word]) => {
		const times = claims.filter((claim) => claim.verdict === verdict).length;
		return `${count(times)}\u00a0${word === 'hold' && times === 1 ? 'holds' : word}`;
	}).join(', ');
}

function basis(result: ExperimentResult) {
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

/**
 * All runs, by block and arm, each with its validity and a link to its own report: nothing that was measured is hidden.
 *
 */

export function runsSection({ arms }: ExperimentResult) {
	const blocks = [...new Set(arms.flatMap((arm) => arm.all_runs.map(({ block }) => block)))].sort((one, other) => one - other);
	const total = arms.reduce((sum, arm) => sum + arm.all_runs.length, 0);
	return section(
		'runs',
		'All runs',
		html`<details class="all-runs"><summary>${plural(total, 'run')} in ${plural(blocks.length, 'repetition')}</summary>
<p class="lead">Goodput and failed share of each run, and with INTEGRITY=1 its writes that are lost or stored more than once. A run that was repeated stands there twice, and what does not count is struck through.</p>
${table(
	'All runs by repetition and variant',
	[numeric('Repetition'), ...arms.map(({ id }) => id)],
	blocks.map((block) => [count(block), ...arms.map((arm) => cell(arm, block))]),
)}</details>`,
	);
}

function cell(arm: ExperimentArm, block: number): Html | string {
	const runs = arm.all_runs.filter((run) => run.block === block);
	return runs.length === 0 ? MISSING : html`<ul class="run-list">${runs.map((run) => html`<li>${runLine(arm, run)}</li>`)}</ul>`;
}

/** Of a run whose stored ids are known. */
const writesIn = ({ writes_lost: lost, writes_duplicated: duplicated }: ArmRun['metrics']): string[] => [
	...(typeof lost === 'number' ? [`${plural(lost, 'write')} lost`] : []),
	...(typeof duplicated === 'number' ? [`${count(duplicated)} stored more than once`] : []),
];

function runLine({ id }: ExperimentArm, { block, href, validity, counts, metrics }: ArmRun): Html {
	const figures = [`${rate(metrics.goodput_rps)}, ${percent(metrics.failure_rate)} failed`, ...writesIn(metrics)].join(', ');
	const left = html`<span class="hidden">${id}, repetition ${count(block)}: </span>${counts ? figures : html`<s>${figures}</s>`}`;
	return html`${href === null ? html`<span class="figures-only">${left}</span>` : localLink(href, left)} <span title="${validity.reasons.join(' ')}">${badge(validity.verdict)}</span>${!counts && validity.verdict !== 'INVALID' && html` <span class="fine">left out</span>`}`;
}

/**
 * Rows of arms that have loads of their own, by their load.
 *
 */

/** @returns a body for each load, with the load above it; one alone, and nothing above it, where arms have none of their own */
const byLoad = <Row extends { arm: ExperimentArm }>(rows: Row[], columns: number, render: (row: Row) => Html): Html[] =>
	[...new Set(rows.map(({ arm }) => arm.load))].map(
		(load) =>
			html`<tbody>${load && html`<tr class="load"><th scope="rowgroup" colspan="${columns}">load ${load}</th></tr>`}${rows.filter(({ arm }) => arm.load === load).map(render)}</tbody>`,
	);

/**
 * What an arm is called where its load stands above.
 * @param id its own, or that of another arm of the same load
 */
const nameOf = ({ load }: ExperimentArm, id: string) => (load ? id.replace(` (${load})`, '') : id);

/**
 * What each arm takes, and what it leaves for later, beside what became of its requests.
 *
 */

const CPU = 'cpu_ms_per_good';
const P95 = 'latency_ms_p95_ok';
const THOUSAND = 1000;

type Priced = { arm: ExperimentArm; price: Price };

const COLUMNS: { title: string; text: (priced: Priced) => string }[] = [
	{ title: 'p95 of successes', text: ({ arm }) => median(arm, P95) },
	{ title: 'CPU per 1,000 done', text: ({ arm }) => median(arm, CPU, THOUSAND) },
	{ title: 'Containers', text: ({ price }) => count(price.containers) },
	{ title: 'Database connections', text: ({ price }) => count(price.database_connections) },
	{ title: 'Left for later', text: ({ price }) => later(price) },
];

export const PRICE_BASIS =
	'Containers, connections and what was left for later are of the typical run; p95 and CPU of all tiers are medians over the runs.';

/** @returns null where fewer than two have one */
export function pricesOf(arms: ExperimentArm[]): { titles: string[]; rows: { arm: ExperimentArm; cells: string[] }[] } | null {
	const priced = arms.flatMap((arm) => (arm.price ? [{ arm, price: arm.price }] : []));
	if (priced.length < 2) return null;
	const isLate = priced.some(({ price }) => later(price) !== MISSING);
	const columns = COLUMNS.slice(0, isLate ? COLUMNS.length : -1);
	return {
		titles: columns.map(({ title }) => title),
		rows: priced.map((one) => ({ arm: one.arm, cells: columns.map(({ text }) => text(one)) })),
	};
}

function priceTable(arms: ExperimentArm[]) {
	const prices = pricesOf(arms);
	if (prices === null) return null;
	const { titles, rows } = prices;
	return html`<h3>The price</h3><p class="lead">${PRICE_BASIS}</p><div class="scroll"><table class="price"><thead><tr><th scope="col">Arm</th>${titles.map((title) => html`<th scope="col" class="number">${title}</th>`)}</tr></thead>
${byLoad(rows, titles.length + 1, ({ arm, cells }) => html`<tr><th scope="row">${nameOf(arm, arm.id)}</th>${cells.map((cell) => html`<td class="number">${cell}</td>`)}</tr>`)}</table></div>`;
}

function median({ metrics }: ExperimentArm, metric: string, times: number = 1): string {
	const value = metrics[metric]?.median;
	return typeof value === 'number' ? FORMATS.ms(value * times) : MISSING;
}

function later({ backlog, drained_after_s: drained, stale_share: stale }: Price) {
	const parts = [
		...(backlog === null ? [] : [`${count(backlog)} writes queued`]),
		...(drained === null ? [] : [`${FORMATS.ms(drained * THOUSAND)} to drain`]),
		...(stale === null ? [] : [`${percent(stale)} of reads stale`]),
	];
	return parts.length === 0 ? MISSING : parts.join(', ');
}

/** What became of the requests in each arm, as bars of one scale: what a remedy cures, and what it only calls otherwise. */
type Drawn = { arm: ExperimentArm; outcomes: Outcomes };

const PARTS = [
	{ key: 'done_rps', name: 'done', title: 'done' },
	{ key: 'accepted_rps', name: 'accepted', title: 'accepted, not done in the load' },
	{ key: 'refused_rps', name: 'refused', title: 'refused' },
	{ key: 'failed_rps', name: 'lost', title: 'failed' },
] as const;

export function outcomesSection({ arms, pairs = [] }: ExperimentResult) {
	const drawn = arms.flatMap((arm) => (arm.outcomes ? [{ arm, outcomes: arm.outcomes }] : []));
	if (drawn.length < 2) return null;
	const most = Math.max(...drawn.map(({ outcomes }) => totalOf(outcomes)));
	const isCompared = pairs.length > 0;
	const parts = PARTS.filter(({ key }) => drawn.some(({ outcomes }) => outcomes[key] > 0));
	return section('outcomes', 'What became of the requests', [
		html`<p class="lead">Requests a second of each variant’s typical run, which has the median of the goodput.</p>`,
		html`<ul class="legend outcome-legend">${parts.map(({ name, title }) => html`<li><span class="key part ${name}" aria-hidden="true"></span><span class="name">${title}</span></li>`)}</ul>`,
		html`<table class="outcomes"><thead><tr><th scope="col">Arm</th><th scope="col">Requests a second</th><th scope="col" class="number">Done</th><th scope="col" class="number">Not accepted</th>${isCompared && html`<th scope="col">Verdict</th>`}</tr></thead>
${byLoad(drawn, isCompared ? 5 : 4, (one) => row(one, most, isCompared ? pairs : null))}</table>`,
		priceTable(arms),
	]);
}

function row({ arm, outcomes }: Drawn, most: number, pairs: Pair[] | null): Html {
	const total = totalOf(outcomes);
	const said = PARTS.filter(({ key }) => outcomes[key] > 0).map(({ key, title }) => `${rate(outcomes[key])} ${title}`);
	return html`<tr><th scope="row"><b class="name">${nameOf(arm, arm.id)}</b>${arm.typical_run && html` ${localLink(arm.typical_run, 'run')}`}</th>
<td class="became"><span class="stack" role="img" aria-label="${said.join(', ')}" title="${said.join(', ')}">${PARTS.filter(({ key }) => outcomes[key] > 0).map(({ key, name }) => html`<span class="part ${name}" style="width:${widthOf(outcomes[key], most)}%"></span>`)}</span></td>
<td class="number" data-title="done">${rate(outcomes.done_rps)}</td>
<td class="number" data-title="not accepted">${total > 0 ? percent((outcomes.refused_rps + outcomes.failed_rps) / total) : MISSING}</td>${pairs && html`<td class="verdicts">${verdictsOn(arm, pairs)}</td>`}</tr>`;
}

const verdictsOn: (arm: ExperimentArm, pairs: Pair[]) => Html[] = (arm, pairs) =>
	pairs
		.filter(({ other }) => other === arm.id)
		.map(({ base, href, verdict }) => html`<span>${stamp(verdict.word)} ${localLink(href, `against ${nameOf(arm, base)}`)}</span>`);

const totalOf = (outcomes: Outcomes) => PARTS.reduce((total, { key }) => total + outcomes[key], 0);

/** A hundredth of a percent is finer than any screen. */
const widthOf: (value: number, most: number) => number = (value, most) => Number(((value / most) * 100).toFixed(2));
