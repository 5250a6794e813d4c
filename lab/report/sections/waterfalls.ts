/** Single requests, hop by hop: the slowest of the good ones, and some of each way in which others were lost. */

import { grouped } from '../../base/values.ts';
import { causes } from '../../record/causes.ts';
import { bearsOut, isElsewhere, RUN_ALONE } from '../../record/proof.ts';
import type { Result, WireHop, WireWaterfall } from '../../record/types.js';
import { urlName, variableTexts } from '../calibration.ts';
import { commandHtml, knownSteps } from '../commands.ts';
import type { RunDoubt, StatementKind } from '../doubts.ts';
import { doubtMark, doubtWords } from '../doubts.ts';
import { count, duration, MISSING, milliseconds, moment, percent, plural, sentencesOf, tryWords } from '../format.ts';
import type { Html } from '../html.ts';
import { html } from '../html.ts';
import { badge, failureAnchor, proofOf, quotedLine, section } from './parts.ts';

/** From here on a status says that it went wrong at whoever answered. */
const SERVER_ERROR = 500;
/** As placeOf has it: what took no time is seen all the same. */
const WIDTH_LEAST = 0.4;

/** @returns null where no request was recorded */
export function waterfallsSection({ wire }: Result): Html | null {
	const { waterfalls = [] } = wire ?? {};
	if (waterfalls.length === 0) return null;
	return section(
		'waterfalls',
		'Slowest and failed requests, call by call',
		html`<p class="lead">Each bar is one call, or several adjoining calls. It lasts from the first byte of the request to the last byte of the response. A call stands below the call that caused it. Orange calls failed. Hatched calls could also belong to another request.</p>
${groupsOf(waterfalls).map(
	(group) => html`<h3>${groupTitle(group)}</h3>
${group.map((waterfall, index) => waterfallOf(waterfall, index === 0))}`,
)}`,
	);
}

/** @returns as they stand beside each other */
const groupsOf = (waterfalls: WireWaterfall[]): WireWaterfall[][] => [
	...grouped(waterfalls, ({ why, rows }) => (why === 'slowest' ? why : endText(rows[0]))).values(),
];

function groupTitle([{ why, of_kind: ofKind, rows }]: WireWaterfall[]) {
	if (why === 'slowest') return `The slowest of ${count(ofKind)} successful requests`;
	return `Failed, ${endText(rows[0])}: ${count(ofKind)}`;
}

function waterfallOf({ id, at_s: at, took_ms: took, rows, more }: WireWaterfall, isOpen: boolean) {
	const whole = Math.max(took ?? 0, ...rows.map((row) => row.offset_ms + (row.took_ms ?? 0)));
	return html`<details class="waterfall"${isOpen && html` open`}><summary><b>${urlName(rows[0])}</b> ${milliseconds(took)}, ${milliseconds(at * 1000)} into the load${id !== null && html`, id <code>${id}</code>`}</summary>
<ol>${callsOf(rows).map((calls) => hopOf(calls, whole))}</ol>
${more > 0 && html`<p class="fine">${count(more)} more calls are not shown.</p>`}</details>
`;
}

/**
 * Calls of one that differ in nothing but their time, and none made for them, are one line where the first of them stands: a statement for each
 * row of a list, also where another is asked between.
 * @returns at least one in each
 */
function callsOf(rows: WireHop[]): WireHop[][] {
	const lines: WireHop[][] = [];
	let alike: Map<string, WireHop[]> = new Map();
	for (const [index, row] of rows.entries()) {
		const isLeaf = (rows[index + 1]?.depth ?? 0) <= row.depth;
		if (!isLeaf || rows[index - 1]?.depth !== row.depth) alike = new Map();
		const key = isLeaf ? JSON.stringify({ ...row, offset_ms: 0, took_ms: row.took_ms === null ? null : 0 }) : '';
		const line = alike.get(key) ?? [];
		if (line.length === 0) lines.push(line);
		line.push(row);
		if (isLeaf) alike.set(key, line);
	}
	return lines;
}

/** @param calls alike */
function hopOf(calls: WireHop[], whole_ms: number) {
	const [row] = calls;
	const what = [calls.length > 1 && `${count(calls.length)} times`, row.protocol, urlOf(row), endText(row)].filter(Boolean).join(' · ');
	const look = [isBad(row) && 'bad', row.ambiguous && 'hatched'].filter(Boolean).join(' ');
	return html`<li${row.depth > 0 && html` style="--depth:${row.depth}"`}><span>${row.from} → ${row.to}</span><span>${what}${joinText(row)}</span><span>${barsOf(calls, whole_ms).map(({ left, right }) => html`<i${look !== '' && html` class="${look}"`} style="left:${left.toFixed(1)}%;width:${(right - left).toFixed(1)}%"></i>`)}</span><span>${timeText(calls)}</span></li>
`;
}

/** Those that touch are one: of hundreds of short calls few stand apart. */
function barsOf(calls: WireHop[], whole_ms: number) {
	const bars: { left: number; right: number }[] = [];
	for (const { left, right } of calls.map((call) => placeOf(call, whole_ms)).toSorted((one, other) => one.left - other.left)) {
		const last = bars.at(-1);
		if (last !== undefined && left <= last.right) last.right = Math.max(last.right, right);
		else bars.push({ left, right });
	}
	return bars;
}

/** Per cent of the track. */
function placeOf({ offset_ms: offset, took_ms: took }: WireHop, whole_ms: number) {
	const share = (ms: number) => (whole_ms > 0 ? Math.min(100, Math.max(0, (ms / whole_ms) * 100)) : 0);
	const left = Math.min(share(offset), 100 - WIDTH_LEAST);
	// What has no end goes on to the end of all.
	const width = Math.max(WIDTH_LEAST, Math.min(100 - left, took === null ? 100 : share(took)));
	return { left, right: left + width };
}

/** When it began and how long it took; of several, all of them together and the longest. */
function timeText([first, ...others]: WireHop[]) {
	const began = `+${milliseconds(first.offset_ms)}`;
	if (others.length === 0 || first.took_ms === null)
		return html`${began}, <b>${first.took_ms === null ? MISSING : milliseconds(first.took_ms)}</b>`;
	const times = [first, ...others].map((call) => call.took_ms ?? 0);
	const all = times.reduce((sum, ms) => sum + ms, 0);
	return html`${began}, <b>${milliseconds(all)}</b><br>in total, longest ${milliseconds(Math.max(...times))}`;
}

/** A statement's fingerprint begins with its verb. */
const urlOf = ({ verb, template }: WireHop) =>
	template.startsWith(`${verb} `) || template === verb ? template : [verb, template].filter(Boolean).join(' ');

function joinText({ joined, ambiguous }: WireHop) {
	if (joined === null) return '';
	return ambiguous ? ` · matched by ${joined}, ambiguous` : ` · matched by ${joined}`;
}

const isBad = ({ end, status, code }: WireHop) => end !== 'answered' || code !== null || (status ?? 0) >= SERVER_ERROR;

function endText({ end, by, status, code, from, to }: WireHop) {
	const who = by === 'client' ? from : to;
	const texts = {
		answered: `answered ${code ?? status ?? ''}`.trim(),
		'given-up': `given up by ${from}`,
		closed: `closed by ${to} without an answer`,
		reset: `reset by ${to} without an answer`,
		cut: `answer cut short by ${who}`,
		open: 'open at the end of the recording',
		refused: `connection refused by ${to}`,
		unanswered: `connection not answered by ${to}`,
		'no-host': `no host had the address of ${to}`,
		'unasked-closed': `connection closed by ${to} before a request`,
		'unasked-reset': `connection reset by ${to} before a request`,
	};
	return texts[end];
}

/**
 * The first thing that a reader sees: what happened, whether to trust it, what to try, and how to do it again.
 *
 */

export function verdictSection(result: Result) {
	const words = doubtWords(result);
	const isGrave = result.validity.verdict === 'INVALID';
	return html`${isGrave && banner(words)}
<section id="verdict" aria-label="Verdict">
<p class="run-line">${runLine(result)}</p>
<div class="verdict"><div>${headline(result)}</div>
<div class="trust">${badge(words.word)}${words.word === 'SUSPECT' && html`<details><summary>${words.sentence}</summary><div id="doubts">${reasons(words.gravest)}</div></details>`}</div></div>
${result.load_end && html`<p class="fine">${result.load_end.text}</p>`}
${result.interrupted && html`<p class="doubt">The load was interrupted. The page shows the measurements until then.</p>`}
<ul class="try">${keep(result)}${tried(result)}${proof(result)}${remedy(result)}${tryNext(result)}${again(result)}</ul>
</section>
`;
}

/** Of two sentences, in characters: what failed, from when and under which load; where and why. The rest stands below, smaller. */
const HEADLINE_MOST = 240;
/** How sure it is. */
const SURE = /^(?:Place|Cause|Place and cause): /;
/** What is not torn from its figure at the end of a line. */
const UNIT = /(?<=\d) (?=%|(?:ms|s|MiB|GiB)\b)/g;

function headline(result: Result) {
	const { proof } = result;
	// What a proof came to stands below.
	const all = sentencesOf(
		result.headline
			.replace(proof?.sentence ?? '', '')
			.replace(RUN_ALONE, '')
			.trim(),
	).map((sentence) => sentence.replace(UNIT, '\u00a0'));
	const sure = all.filter((sentence) => SURE.test(sentence));
	const sentences = all.filter((sentence) => !SURE.test(sentence));
	const marked = (some: string[]) =>
		some.map((sentence, index) => html`${index > 0 && ' '}${sentence}${doubtMark(result, statementsIn(sentence))}`);
	const [what = '', where = '', ...others] =
		proof === undefined || !isElsewhere(proof)
			? sentences
			: [sentences[0], sentencesOf(proof.sentence)[0].replace(UNIT, '\u00a0'), `${RUN_ALONE}${sentences[1] ?? ''}`, ...sentences.slice(2)];
	const room = HEADLINE_MOST - what.length;
	const isLong = where.length > room;
	const shown = isLong ? where.slice(0, Math.max(0, room)).replace(/\s+\S*$/, ' …') : where.replace(/;$/, '.');
	// Of several causes the others stand below, and a long one in full.
	const rest = isLong ? [where, ...others] : where.endsWith(';') && others.length > 0 ? [`Also: ${others[0]}`, ...others.slice(1)] : others;
	const known = proof?.outcome === 'proved' ? surePlace(proof, sure) : sure;
	return html`<h1>${marked([what, shown].filter(Boolean))}</h1>${known.length > 0 && html`<p class="sure">${known.map((text) => html`<a href="#evidence">${text.replace(/\.$/, '')}</a> `)}${doubtMark(result, ['placements', 'timed-placements'])}</p>`}${rest.length > 0 && html`<p class="rest">${marked(rest)}</p>`}`;
}

const surePlace = (proof: NonNullable<Result['proof']>, sure: string[]): string[] => [
	...(isElsewhere(proof) ? [] : sure.flatMap(placeAlone)),
	bearsOut(proof) ? 'Cause: proved by a change.' : 'Change: proved.',
];

/** @returns none of a cause */
const placeAlone = (sure: string): string[] => (sure.startsWith('Place') ? [sure.replace(' and cause', '')] : []);

/** What a sentence of a headline states beside counts and places, by its words. */
const SENTENCES: [RegExp, StatementKind[]][] = [
	[/ failed\b.*[.:]$/, ['rates']],
	[/ per second\b.*[.:]$/, ['rates', 'latencies']],
	[/^(?:Bottleneck: |No bottleneck |No tier was |Nearest )/, ['bottleneck']],
	[/^METASTABLE: /, ['fault-effects']],
	[/accepted writes /, ['completions']],
];

const statementsIn = (sentence: string) => SENTENCES.flatMap(([words, kinds]) => (words.test(sentence) ? kinds : []));

/** What is in doubt, what stands, and why; a doubt that alone would make no run INVALID stands apart. */
function banner({ word, sentence, gravest, others }: ReturnType<typeof doubtWords>) {
	const [first, ...rest] = word === 'INVALID' ? [`${word}.`, sentence] : sentencesOf(sentence);
	const why = html`${reasons(gravest)}
${others.length > 0 && html`<p class="less">Minor doubts:</p>${reasons(others)}`}`;
	return html`<aside class="banner ${word.toLowerCase().replace(' ', '-')}" id="doubts" role="alert"><p><b>${first}</b> ${[...rest, 'Comparisons leave this run out.'].join(' ')}</p>${word === 'INVALID' ? why : html`<details><summary>Reasons</summary>${why}</details>`}</aside>`;
}

const reasons = (doubts: RunDoubt[]) =>
	doubts.length > 0 && html`<ul class="reasons">${doubts.map(({ reason }) => html`<li>${reason}</li>`)}</ul>`;

function runLine(result: Result) {
	const { architecture, architecture_title, load, budget, started, duration_s } = result;
	const variables = variableTexts(result).map((text) => html` <b class="variable">${text}</b>`);
	const put =
		result.faults.length > 0 && html` <span class="sep">·</span> <a href="#faults">${result.faults.map(({ text }) => text).join(', ')}</a>`;
	return html`<b>${architecture}</b> ${architecture_title}${variables} <span class="sep">·</span> load <b>${load}</b>${put} <span class="sep">·</span> budget <b>${budget}</b> <span class="sep">·</span> <time datetime="${started}">${moment(started)}</time> <span class="sep">·</span> ${duration(duration_s)}`;
}

/** What would have kept the writes that are gone. */
const keep = ({ gone_writes: gone }: Result) => gone?.to_do.map((text) => html`<li><span class="label">Writes gone</span> ${text}</li>`);

function tryNext({ try_next, command: own }: Result) {
	return knownSteps(try_next)
		.filter(({ command }) => command !== own)
		.map(
			({ command, why, once_valid }) =>
				html`<li><span class="label">${tryWords(once_valid)}</span> <code class="command">${command}</code> ${why}</li>`,
		);
}

/** The same once more, and what to do before, where that is advised. */
const again = ({ command, try_next }: Result) =>
	html`<li><span class="label">Repeat</span> ${commandHtml(command)} ${try_next.find((advice) => advice.command === command)?.why}</li>`;

/** What most failures rest on; of a log line, of which of them where there are others. */
function proof(result: Result) {
	const { items, of } = proofOf(result);
	const [first] = items;
	if (first === undefined) return null;
	const rest = html`<a href="#${failureAnchor(of)}">All evidence</a>`;
	if (first.kind === 'log') {
		const most = result.ledger.failures[of];
		const ofSome = most.share < 1 && ` It stands for ${percent(most.share)} of the failures: ${most.cause_title}.`;
		return html`<li id="proof"><span class="label">Log</span> <code>${first.line}</code> ${plural(first.count, 'line')} in the ${first.source}${hiddenByDefault(first.line) && ', which its default level hides'}.${ofSome} ${rest}</li>`;
	}
	const { service } = result.ledger.failures[of];
	return items.map((item, index) => {
		if (item.kind !== 'reading') return null;
		const line = quotedLine(item.text, service);
		const text = line ? html`<code>${line.line}</code> ${line.of} logged this ${line.often}.` : item.text;
		return html`<li${index === 0 && html` id="proof"`}><span class="label">${line ? 'Log' : 'Evidence'}</span> ${text}${index === items.length - 1 && html` ${rest}`}</li>`;
	});
}

const tried = ({ proof: of }: Result) =>
	of && html`<li><span class="label">Proof</span> ${of.sentence} <a href="#relief">All changes</a></li>`;

/** What a proof changed, where it stands in the user's files; else what helps against the cause of most failures. */
function remedy({ ledger: { failures }, proof: proved }: Result) {
	const change = proved?.probes.find(({ verdict }) => verdict === 'proved');
	if (change)
		return html`<li><span class="label">Remedy</span> ${change.line !== '' && html`<code>${change.line}</code>: `}${change.title} <b>(proved)</b></li>`;
	const text = failures[0] === undefined ? null : causes[failures[0].cause]?.remedy;
	return text && html`<li><span class="label">Remedy</span> ${failures[0].service}: ${text}</li>`;
}

/** What begins with its level in brackets is logged from level error on unless told otherwise. */
const hiddenByDefault = (line: string) => /^\[(debug|info|notice|warn)\]/.test(line);
