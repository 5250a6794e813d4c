/** Single requests, hop by hop: the slowest of the good ones, and some of each way in which others were lost. */

import { grouped } from '../../base/values.ts';
import type { Result, WireHop, WireWaterfall } from '../../record/types.js';
import { urlName } from '../calibration.ts';
import { count, MISSING, milliseconds } from '../format.ts';
import type { Html } from '../html.ts';
import { html } from '../html.ts';
import { section } from './parts.ts';

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
