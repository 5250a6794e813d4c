/** The wire beside other records, and how failed requests ended on it, as rows of tables, for the page and for Markdown. */

import type { Result, Wire, WireComparison, WireFailureEnd, WireOutside } from '../record/types.js';
import { count, duration, MISSING, milliseconds, numeric, percent, plural, rate } from './format.ts';
import { timeoutText } from './wire-rows.ts';

export const COMPARED_COLUMNS = ['Edge', 'Quantity', numeric('On the network'), numeric('Other record'), 'Source', 'Difference'];

export const COMPARED_CAPTION =
	'Counts and times of the network capture, compared with the other records of the run. Counts may differ by 0.1 %, times by 1 ms. A larger difference is explained here, or it puts the run in doubt.';

export const ENDED_COLUMNS = ['Ending', 'Ended by', numeric('Requests'), numeric('Found by id'), 'Place and cause'];

const ENDS: Record<WireFailureEnd, string> = {
	answered: 'answered with an error',
	'given-up': 'caller gave up before the first byte of the answer',
	closed: 'connection closed after the request, without an answer',
	reset: 'connection reset after the request, without an answer',
	cut: 'cut short within the answer',
	open: 'still open when the recording ended',
	raced: 'sent on a connection that had been closed',
	refused: 'connection refused',
	unanswered: 'connection asked for, and not answered',
	'unasked-closed': 'connection accepted, and closed before a request was sent',
	'unasked-reset': 'connection accepted, and reset before a request was sent',
	'unasked-open': 'connection accepted, and no request was sent',
	unseen: 'not on the network',
};

export const comparedRows = ({ compared = [] }: Wire): string[][] =>
	compared.map((one) => [
		`${one.from} → ${one.to}`,
		one.what,
		valueText(one.unit, one.wire),
		valueText(one.unit, one.other),
		one.source,
		differenceText(one),
	]);

const valueText = (unit: WireComparison['unit'], value: number) => (unit === 'ms' ? milliseconds(value) : count(value));

function differenceText({ unit, explained, left, holds }: WireComparison) {
	const words = explained.map(({ kind, count: times, of }) => `${count(times)}${of > times ? ` of ${count(of)}` : ''} ${kind}`);
	if (left !== 0)
		words.push(
			`${valueText(unit, Math.abs(left))} ${unit === 'ms' ? 'more' : 'only'} ${left > 0 ? 'in the other record' : 'on the network'}`,
		);
	return `${words.join(', ') || 'none'}${holds ? '' : '; this exceeds the allowed difference'}`;
}

/** @returns none where no request failed */
export const endedRows = ({ failures }: Wire): string[][] =>
	(failures?.rows ?? []).map(({ end, by, count: times, by_id: byId, placed, timeouts = [] }) => [
		[ENDS[end], ...timeouts.map((timeout) => `${count(timeout.count)} by a time-out: ${timeoutText(timeout)}`)].join('; '),
		by || MISSING,
		count(times),
		count(byId),
		placed.map((one) => `${count(one.count)} ${one.service === '' ? 'not placed' : `at ${one.service}: ${one.cause_title}`}`).join('; '),
	]);

export function endedNotes({ failures }: Wire): string[] {
	if (!failures) return [];
	const { failed, explained, agreed, apart } = failures;
	return [
		`The network record shows how ${count(explained)} of ${count(failed)} failed requests ended (${percent(failed === 0 ? null : explained / failed)}). The diagnosis agrees for ${plural(agreed, 'request')}: it names the service where the network record ends, or a service behind it.`,
		...apart.map(apartText),
	];
}

const apartText = ({ wire, ledger, cause_title: title, count: times, arrived = false }: NonNullable<Wire['failures']>['apart'][number]) =>
	arrived
		? `${count(times)} passed through ${wire} on the network. The diagnosis places them at ${ledger}: ${title}. That is therefore only inferred.`
		: `${count(times)} were last seen at ${wire} on the network. The diagnosis places them at ${ledger}: ${title}.`;

export const ENDED_CAPTION = 'How failed requests ended at the entry, as seen on the network.';

/**
 * Hosts that are none of the stack, as rows of a table, for the page and for Markdown.
 *
 */

export const OUTSIDE_COLUMNS = [
	'Edge',
	'Protocol',
	'Connections',
	numeric('Calls'),
	numeric('Failed'),
	numeric('p50'),
	numeric('p95'),
	'Lookups of its name',
];

export const OUTSIDE_CAPTION =
	'Each host has the name that was looked up for it. Times are those of calls. For unread protocols such as TLS, they are those of connections, from the first packet to the last byte.';

/** @returns a text for each column */
export const outsideRows = (outside: WireOutside[]): string[][] =>
	outside.map((row) => {
		const times = row.calls === null ? row.open_ms : row.time_ms;
		return [
			`${row.from} → ${hostText(row)}`,
			row.protocol === '' ? MISSING : `${row.protocol}${row.calls === null ? ', not read' : ''}`,
			row.connections === 0
				? MISSING
				: `${count(row.connections)}${row.unopened > 0 ? `, ${count(row.unopened)} refused or not answered` : ''}`,
			row.connections === 0 ? MISSING : count(row.calls),
			row.calls === null || row.connections === 0 ? MISSING : count(row.failed),
			milliseconds(times.p50),
			milliseconds(times.p95),
			lookupsText(row),
		];
	});

function hostText({ name, addresses, port }: WireOutside) {
	if (port === null) return `${name}, not found`;
	if (name === 'host') return `this machine:${port}`;
	return name === '' ? `${addresses[0]}:${port}` : `${name}:${port} (${addresses[0]}${addresses.length > 1 ? ' and others' : ''})`;
}

function lookupsText({ lookups, lookups_failed: failed }: WireOutside) {
	if (lookups === 0) return MISSING;
	return failed > 0 ? `${count(lookups)}, ${count(failed)} failed` : count(lookups);
}

/**
 * What became of the writes that a queue had taken, in words.
 *
 */

/** @returns null where there is no queue */
export function queueText({
	queue,
	gone_writes: gone,
	duration_s: seconds,
}: Pick<Result, 'queue' | 'gone_writes' | 'duration_s'>): string | null {
	if (queue === null || queue.accepted === 0) return null;
	const {
		accepted,
		completed,
		completed_in_load: inLoad,
		failed,
		left,
		lost,
		backlog,
		oldest_s: oldest,
		lag_ms: lag,
		drained_after_s: drained,
	} = queue;
	const ends = [
		`${count(completed)} were completed (${percent(completed / accepted)})`,
		`${count(failed)} failed${failed > 0 ? ', and are gone' : ''}`,
		left === null ? 'how many are still in the queue is not known' : `${count(left)} are still in the queue`,
		// Beside writes that are gone nobody says that none was lost.
		...(lost === null
			? ['how many were lost is not known']
			: lost === 0 && (failed > 0 || (gone?.count ?? 0) > 0)
				? []
				: [`${count(lost)} were lost`]),
	];
	return [
		`${count(accepted)} writes were accepted, ${rate(accepted / seconds)}; ${rate(inLoad / seconds)} were completed during the load.`,
		`Of all ${ends.join(', ')}.`,
		`The backlog reached ${count(Math.max(0, ...backlog))}, its oldest waited ${duration(Math.max(0, ...oldest))}${drained === null ? '' : `; the last was completed ${duration(drained)} after the load`}.`,
		`Time from acceptance to completion: p50 ${milliseconds(lag.p50)}, p95 ${milliseconds(lag.p95)}, p99 ${milliseconds(lag.p99)}.`,
	].join(' ');
}
