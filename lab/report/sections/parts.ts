/** Small pieces that several sections share. */

import { RECORD } from '../../base/paths.ts';
import { ownOf } from '../../base/values.ts';
import type { Judged } from '../../diagnose/expectations.ts';
import type { wordOf } from '../../record/touches.ts';
import type { Breakdown, Comparison, Evidence, Resource, Result, Stage } from '../../record/types.js';
import { calibrationText, THRESHOLD_COLUMNS, thresholdRows, variableTexts } from '../calibration.ts';
import { doubtMark } from '../doubts.ts';
import { PASSED_COLUMNS, passedRows, wireWords } from '../flow/bands.ts';
import { flowDrawings } from '../flow/drawing.ts';
import {
	bytes,
	cores,
	count,
	FORMATS,
	figure,
	inTierOrder,
	MISSING,
	moment,
	numeric,
	percent,
	plural,
	tierColour,
	tierTitle,
} from '../format.ts';
import { type Content, type Html, html, type Piece } from '../html.ts';
import { dataTable, table } from '../table.ts';

const BADGE_SIGNS = { VALID: '✓', SUSPECT: '!', 'IN DOUBT': '!', INVALID: '✕' };

export const section = (id: string, title: Content, content: Content) => html`<section id="${id}" aria-labelledby="${id}-title">
<h2 id="${id}-title">${title}</h2>
${content}
</section>
`;

export const badge = (verdict: ReturnType<typeof wordOf>) =>
	html`<span class="badge ${verdict.toLowerCase().replace(' ', '-')}"><span aria-hidden="true">${BADGE_SIGNS[verdict]}</span> ${verdict}</span>`;

/** A patch of the tier's colour and its name, or another label. */
export const tierChip = (tier: string, label: string = tierTitle(tier)) =>
	html`<span class="chip" style="--c: var(${tierColour(tier)})">${label}</span>`;

/** What a stage does to the load: `to 500` or `at 500`. */
export const stageTarget = ({ target, held }: Pick<Stage, 'target' | 'held'>) => `${held ? 'at' : 'to'} ${count(target)}`;

/** @param proof of it, what stands at the top */
export function evidenceList(evidence: Evidence[], proof: Evidence[] = []) {
	const here = evidence.filter((item) => !proof.includes(item));
	return html`<ul class="evidence">${here.map((item) => html`<li>${evidenceItem(item)}</li>`)}${proof.length > 0 && html`<li><a href="#proof">${proof.length === 1 ? '1 more piece of evidence is' : `${count(proof.length)} more pieces of evidence are`} at the top of the page</a></li>`}</ul>`;
}

/**
 * Where the evidence of a failure stands whole.
 * @param index of the ledger's failures
 */
export const failureAnchor = (index: number) => `failure-${index + 1}`;

/** The rest stands in the evidence. */
const READINGS_SHOWN = 2;

/** A sentence that quotes a log (lab/diagnose/waiting/saying.ts): of whom, how often, and what. */
const QUOTING = /^(?:(?:Its|Their) logs?|The logs? of (?<of>.+?)) says?, (?<often>.+?): “(?<line>.+)”\.?$/s;
/** Those that stand one to one with the failures, then those of failing seconds alone. */
const TELLING = [/^\D*[\d,]+ times? for |^once for /, /while requests failed, (?:never|and not once)/];

/** @param service whose is meant by `its` */
export function quotedLine(text: string, service: string) {
	const found = QUOTING.exec(text)?.groups;
	return found ? { of: found.of ?? service, often: found.often, line: found.line } : null;
}

/** @returns at most one */
function mostTelling(evidence: string[]): string[] {
	const quoting = evidence.filter((text) => QUOTING.test(text));
	const often = (text: string) => quotedLine(text, '')?.often ?? '';
	const [found = quoting[0]] = TELLING.flatMap((words) => quoting.filter((text) => words.test(often(text))));
	return found === undefined ? [] : [found];
}

/**
 * What most failures rest on, as it was read on the way, or else a log line in the words of the tier that lost them: it stands at the top of the
 * page, and nowhere else.
 * @returns of: index of the failure; no items where there is none
 */
export function proofOf({ ledger: { failures }, waiting }: Pick<Result, 'ledger' | 'waiting'>): { items: Evidence[]; of: number } {
	const [followed] = waiting?.findings ?? [];
	const read = followed?.evidence ?? [];
	const wanted = [...mostTelling(read), ...read.filter((text) => !QUOTING.test(text)).slice(0, READINGS_SHOWN)];
	const isProof = (item: Evidence) => (followed ? item.kind === 'reading' && wanted.includes(item.text) : item.kind === 'log');
	const of = failures.findIndex(({ evidence }, index) => (followed ? evidence.some(isProof) : index === 0));
	const items = failures[of]?.evidence.filter(isProof) ?? [];
	// The log line comes first.
	const isQuoting = (item: Evidence) => item.kind === 'reading' && QUOTING.test(item.text);
	return { items: followed ? items.toSorted((one, other) => Number(isQuoting(other)) - Number(isQuoting(one))) : items.slice(0, 1), of };
}

function evidenceItem(item: Evidence) {
	if (item.kind === 'reading') return item.text;
	const source = html`<span class="source">${item.source}</span>`;
	if (item.kind === 'log') return html`<code>${item.line}</code> ${source} <b>${count(item.count)}×</b>`;
	if (item.kind === 'counter') return html`${source} ${item.name}: ${count(item.before)} → <b>${count(item.after)}</b>`;
	return html`${source} ${item.text}: <b>${count(item.count)}</b>`;
}

/**
 * A link to another page of the lab. It always stays a path from this folder, whatever the text says.
 * @param href relative to the folder of the page
 */
export const localLink = (href: string, text: Content) => html`<a href="./${href}">${text}</a>`;

/**
 * Copies the text of the element beside it. The script shows it: without one it would do nothing.
 * @param what for those who do not see what it stands beside
 */
export const copyButton = (what: string) => html`<button type="button" class="copy" aria-label="Copy ${what}" hidden>Copy</button>`;

/** Between facts of one line. */
export const SEPARATOR = html`\u00a0<span class="sep">·</span> `;

export const dataDoubts = (notes: string[]) =>
	notes.length > 0 &&
	html`<div class="finding doubts"><p><b>Doubts about the data</b></p><ul>${notes.map((text) => html`<li>${text}</li>`)}</ul></div>`;

export function leftOut({ left_out: runs }: Comparison['blocks']) {
	if (runs.length === 0) return html`<p class="fine">No run was INVALID; none is left out.</p>`;
	return html`<details class="left-out"><summary>${leftOutText(runs.length)}</summary>
<ul>${runs.map(({ arm, block, reasons }) => html`<li><b>${arm}</b>, repetition ${count(block)}: ${reasons.join(' ')}</li>`)}</ul></details>`;
}

export const leftOutText = (runs: number) => (runs === 0 ? 'no run was INVALID' : `${plural(runs, 'INVALID run')} left out`);

/** @returns for a list of facts */
export const madeFacts = (
	{ id, load, budget, started, ended }: Pick<Comparison, 'id' | 'load' | 'budget' | 'started' | 'ended'>,
	seed: string,
): [string, string][] => [
	['folder', `reports/${id}`],
	['seed', seed],
	['load', load],
	['budget', budget],
	['started', moment(started)],
	['ended', moment(ended)],
];

export const machineFacts = (machine: Comparison['machine']): [string, string][] => [
	['machine', machine.text],
	['processor', `${machine.cpu_model}, ${count(machine.cores)} cores`],
	['memory', bytes(machine.memory_bytes)],
	['system', machine.os],
];

export const factList = (facts: [string, Content][]) =>
	html`<dl class="facts">${facts.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`;

/**
 * The tables of a scenario's own: figures by something that it tells apart, such as operation or file.
 *
 */

export function breakdownsSection({ breakdowns = [] }: Pick<Result, 'breakdowns'>) {
	return breakdowns.length > 0 ? section('breakdowns', 'Breakdowns', breakdowns.map(breakdownTable)) : null;
}

export function breakdownTable(breakdown: Breakdown) {
	const { title, caption, rows_label: name, columns } = breakdown;
	const heads = [{ title: name }, ...columns.map(({ label }) => numeric(label))];
	return html`<div class="breakdown"><h3>${title}</h3><p class="lead">${caption}</p>
${table(title, heads, breakdownRows(breakdown))}</div>
`;
}

/** Each row's name, then its figures as their units are written. */
export const breakdownRows = ({ columns, rows }: Breakdown): string[][] =>
	rows.map(({ name, values }) => [name, ...columns.map(({ unit }, index) => FORMATS[unit](values[index]))]);

/** What was asked of the system, and by which thresholds it was judged. */
export function loadSection(result: Result, judged: Judged[]) {
	const { load, load_title: title, load_facts: facts, wire } = result;
	const { source = null, think_time_s: think = null, requests = [] } = facts ?? {};
	const rows: [string, Content][] = [
		['load', `${load}: ${title}`],
		['requests from', source],
		['think time', think === null ? source?.startsWith('k6 script') && 'set by the script' : `${figure(think)} s`],
		[
			'requests',
			requests.length > 0
				? requests.map((text) => html`<code>${text}</code><br>`)
				: wire?.urls?.length && html`<a href="#urls">Requests by URL</a>`,
		],
	];
	return section('load', 'Load and thresholds', [
		factList(rows.filter(([, value]) => Boolean(value))),
		judged.length > 0 && table('Thresholds', THRESHOLD_COLUMNS, thresholdRows(judged), { isCards: true }),
	]);
}

/**
 * What it ran on, and what each service was given and used.
 *
 */

/** What a file is called where its name does not say it. */
const NAMES: Record<string, string> = { [RECORD.k6Report]: "k6's own report" };

export function machineSection(result: Result, files: string[]): Html {
	return section('machine', 'Machine and versions', [
		html`<h3>Resources${doubtMark(result, ['resources'])}</h3>`,
		resourceTable(result),
		...(result.hosts ? [html`<h3>Hosts</h3>`, hostTable(result.hosts)] : []),
		html`<div class="columns"><div><h3>Machine</h3>${factList(conditions(result))}</div><div><h3>Versions</h3>${factList(Object.entries(result.versions))}</div></div>`,
		html`<p class="links">${files.length > 0 && 'In this folder: '}${files.map((file) => html`<a href="${file}">${NAMES[file] ?? file}</a> `)}</p>`,
	]);
}

function resourceTable({ resources }: Result) {
	return table(
		'Resources',
		[{ title: 'Service' }, ...['CPU quota', 'CPU mean', 'CPU highest', 'Throttled', 'Memory mean', 'Memory highest'].map(numeric)],
		inTierOrder(Object.keys(resources), (service) => resources[service].tier).map((service) => resourceRow(service, resources[service])),
		{ isCards: true },
	);
}

function hostTable(hosts: NonNullable<Result['hosts']>) {
	return table(
		'Hosts',
		[{ title: 'Host' }, { title: 'Ran' }, ...['Cores', 'Busy', 'Memory'].map(numeric), { title: 'Clock' }, { title: 'System' }],
		hosts.map(({ name, beside, services, cores: number, busy_share: busy, memory_bytes: memory, os, kernel, engine, ...clock }) => [
			beside.length > 0 ? `${name} (the same machine as ${beside.join(', ')})` : name,
			services.join(', ') || 'nothing',
			count(number),
			percent(busy),
			bytes(memory),
			clockText(clock),
			`${os}, kernel ${kernel}, ${engine}`,
		]),
	);
}

function clockText({
	clock_offset_s: offset,
	clock_within_s: within,
}: Pick<NonNullable<Result['hosts']>[number], 'clock_offset_s' | 'clock_within_s'>) {
	if (offset === null) return "Doubletake's own";
	return `${offset < 0 ? '−' : '+'}${machineMilliseconds(Math.abs(offset))} ± ${machineMilliseconds(within)}`;
}

const machineMilliseconds = (seconds: number | null) => (seconds === null ? '–' : `${figure(seconds * 1000)} ms`);

const resourceRow: (service: string, resource: Resource) => Piece[] = (service, resource) => [
	tierChip(resource.tier, service),
	resource.cpu_quota_cores === null ? 'none' : cores(resource.cpu_quota_cores),
	cores(resource.cpu_cores.mean),
	cores(resource.cpu_cores.max),
	percent(resource.cpu_throttled_fraction),
	bytes(resource.memory_bytes.mean),
	bytes(resource.memory_bytes.max),
];

function conditions(result: Result): [string, string][] {
	const { machine, budget, calibration, run } = result;
	const variables = variableTexts(result).join(' ');
	return [
		['run', run],
		...((variables ? [['variables', variables]] : []) as [string, string][]),
		['budget', budget],
		...((calibration ? [['calibration', calibrationText(calibration)]] : []) as [string, string][]),
		['processor', `${machine.cpu_model}, ${count(machine.cores)} cores`],
		['memory', bytes(machine.memory_bytes)],
		['system', `${machine.os}, kernel ${machine.kernel}`],
		['engine', machine.engine],
		['images', machine.images],
	];
}

/** The hero picture: the way of the requests through the tiers, and where they were lost. */
type FlowNode = Result['flow']['nodes'][number];

export function flowSection(result: Result) {
	return section(
		'flow',
		'Flow of requests',
		html`<figure class="flow-figure">
<div class="stage">${flowDrawings(result.flow)}${result.flow.nodes.map((node) => card(result, node))}</div>
<figcaption>${caption(result)}</figcaption>
${dataTable('Flow of requests', PASSED_COLUMNS, passedRows(result.flow))}
</figure>`,
	);
}

function caption({ metrics, ledger, flow }: Result) {
	const pointing = 'Select a tier to see its figures.';
	if (metrics.failures === 0)
		return html`The width of a band shows how many requests passed. No request failed.${wireWords(flow)} ${pointing}`;
	const outlets = flow.outlets.length > 0 && ' A hatched outlet shows the share that a tier lost.';
	const unplaced = ledger.unattributed > 0 && ` ${plural(ledger.unattributed, 'failure')} could not be placed.`;
	return html`The width of a band shows how many requests passed.${outlets}${unplaced}${wireWords(flow)} ${pointing}`;
}

/** What is said of a node when it is pointed at. */
function card(result: Result, node: FlowNode) {
	const books = result.ledger.hops.find(({ service }) => service === node.id);
	const cpu = ownOf(result.resources, node.id);
	const quota = cpu?.cpu_quota_cores;
	const facts = [
		['received', count(books?.received ?? node.received)],
		['successful', count(books?.answered_ok ?? node.answered_ok)],
		['errors', count(books?.answered_error ?? node.answered_error)],
		['without a response', count(books?.aborted)],
		['health checks and others without an id, not counted', count(books?.left_out)],
		['CPU use, mean share of the quota', quota && cpu.cpu_cores.mean !== null ? percent(cpu.cpu_cores.mean / quota) : MISSING],
	].filter(([, value]) => value !== MISSING);
	return html`<div class="card" data-card="${node.id}" hidden>
<p><b>${tierChip(node.tier, node.label)}</b> ${node.note}</p>
<dl>${facts.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>
${failuresAt(result, node)}
</div>`;
}

function failuresAt({ ledger, flow }: Result, node: FlowNode) {
	const isDrawn = (service: string) => flow.nodes.some(({ id, tier }) => id === service && tier === node.tier);
	const rows = ledger.failures.flatMap((failure, index) =>
		failure.tier === node.tier && (failure.service === node.id || !isDrawn(failure.service)) ? [{ failure, index }] : [],
	);
	if (rows.length === 0) return html`<p class="calm">No failure is attributed to this tier.</p>`;
	return rows.map(
		({ failure, index }) =>
			html`<p><b class="loss">${count(failure.count)}</b> ${failure.cause_title} <a href="#${failureAnchor(index)}">Evidence</a></p>`,
	);
}
