/** What services asked of each other, as rows of a table, for the page and for Markdown. */

import type { StandingInterval, Wire, WireEdge, WireStanding, WireTimeout } from '../record/types.js';
import { count, figure, MISSING, milliseconds, numeric, percent, plural, withUnit } from './format.ts';

/** Time-outs that the wire measured, in words. */
type Named = Pick<WireTimeout, 'how' | 'after_ms'> & { from: string; to: string };

const SECOND_MS = 1000;
const DECIMALS = 2;

/** How equal they are shows in the hundredths. */
const after = (after_ms: number) =>
	after_ms < SECOND_MS ? withUnit(after_ms, 'ms') : `${(after_ms / SECOND_MS).toFixed(DECIMALS)}\u00a0s`;

/** `lb gave up on web after 10.00 s`. */
export function timeoutText({ how, from, to, after_ms: ms }: Named) {
	if (how === 'gave-up') return `${from} gave up on ${to} after ${after(ms)}`;
	if (how === 'connect') return `${from} gave up connecting to ${to} after ${after(ms)}`;
	if (how === 'closed') return `${to} closed connections of ${from} without an answer after ${after(ms)}`;
	return `${to} answered ${from} with an error after ${after(ms)}, while it waited for no other service`;
}

/** @returns a sentence for each, the most frequent first */
const timeoutNotes = ({ edges }: Pick<Wire, 'edges'>): string[] =>
	edges
		.flatMap(({ from, to, timeouts = [] }) => timeouts.map((timeout) => ({ ...timeout, from, to })))
		.toSorted((one, other) => other.count - one.count)
		.map((timeout) => {
			const { how, count: times, share } = timeout;
			const others = share < 1 ? ` (${percent(share)} of the calls that ${ENDED[how]})` : '';
			return `${timeoutText(timeout)}, ${times === 1 ? 'once' : `${count(times)} times`}: this is a time-out${others}`;
		});

const ENDED: Record<WireTimeout['how'], string> = {
	'gave-up': 'it gave up',
	connect: 'it gave up connecting',
	closed: 'it closed',
	answered: 'it answered with an error',
};

export const WIRE_COLUMNS = [
	'Edge',
	'Protocol',
	'Connections',
	numeric('Calls'),
	'Answered',
	'Not answered',
	numeric('p50'),
	numeric('p95'),
];

export const WIRE_CAPTION =
	'Calls between services during the load, as they passed the network. A call lasts from the first byte of the request to the last byte of the response.';

/** More edges than a reader takes in; the others are in result.json. */
const EDGES_MOST = 30;

/** @returns a text for each column */
export const wireRows = ({ edges }: Wire): string[][] =>
	edges
		.slice(0, EDGES_MOST)
		.map((edge) => [
			`${edge.from} → ${edge.to}:${edge.port}`,
			protocolText(edge),
			wireRowsConnectionsText(edge),
			count(edge.calls),
			answeredText(edge),
			unansweredText(edge),
			milliseconds(edge.time_ms.p50),
			milliseconds(edge.time_ms.p95),
		]);

/** What the table does not have. */
export const wireNotes = ({ edges, no_host: noHost, doubts, differs = [] }: Wire): string[] => [
	...timeoutNotes({ edges }),
	...differs,
	...noHost.map(({ from, to, asked }) => `${from} looked for ${to} ${count(asked)} times, but no host had its address`),
	...doubts,
	...(edges.length > EDGES_MOST ? [`${count(edges.length - EDGES_MOST)} more edges are in result.json`] : []),
];

function protocolText({ protocol, hidden_bytes: hidden }: WireEdge) {
	if (protocol === '') return MISSING;
	return hidden > 0 ? `${protocol}, not read` : protocol;
}

function wireRowsConnectionsText({
	connections: { opened, refused, unanswered, reset, closed_unasked: unasked },
	turned_away: turnedAway = {},
}: WireEdge) {
	const reported = [
		[refused, 'refused'],
		[unanswered, 'unanswered'],
		[reset, 'reset'],
		[unasked, 'closed before a request'],
	];
	const codes = Object.entries(turnedAway).map(([code, times]) => `${count(times)} turned away with ${code}`);
	return [count(opened), ...someOf(reported), ...codes].join(', ');
}

/** Others are codes of errors, which look like figures. */
const NAMED = /^(?:ok|\dxx)$/;

function answeredText({ ends, statuses, beside, bad }: WireEdge) {
	const kinds = Object.entries(statuses).map(([status, times]) => `${count(times)} ${NAMED.test(status) ? status : `with ${status}`}`);
	const errors = Object.entries(statuses).reduce((sum, [status, times]) => sum + (status === '5xx' || !NAMED.test(status) ? times : 0), 0);
	return (
		[
			...(kinds.length > 0 ? kinds : ends.answered > 0 ? [count(ends.answered)] : []),
			...someOf([
				// Those that are errors by their codes are told already.
				[bad === errors ? 0 : bad, 'failed'],
				[beside, 'others: set-ups, heartbeats or pushes'],
			]),
		].join(', ') || MISSING
	);
}

function unansweredText({ ends, gave_up_after_ms: after, late, raced }: WireEdge) {
	const reported = someOf([
		[ends.closed, 'closed by the callee'],
		[ends.reset, 'reset by the callee'],
		[ends.cut, 'cut short'],
		[ends.open, 'open at the end'],
		[late, 'answered too late'],
		[raced, 'on a connection closed before'],
	]);
	const gaveUp = ends['given-up'] > 0 ? [`${count(ends['given-up'])} given up${afterText(after, ends['given-up'])}`] : [];
	return [...gaveUp, ...reported].join(', ') || MISSING;
}

/** @returns begins with a space; empty where there was none */
function afterText(after: WireEdge['gave_up_after_ms'], times: number): string {
	if (after === null) return '';
	const [least, usual, most] = [after.p10, after.p50, after.p90].map(milliseconds);
	return least === most
		? ` after ${usual}${times === 1 ? '' : ' each'}`
		: `, at the median after ${usual} (most between ${least} and ${most})`;
}

const someOf = (reported: (string | number)[][]) =>
	reported.filter(([times]) => Number(times) > 0).map(([times, words]) => `${count(Number(times))} ${words}`);

/** Who waited for whom, as rows for the page, its script and Markdown. */
export type Waits = Pick<StandingInterval['edges'][number], 'from' | 'to' | 'port' | 'waiting' | 'connections' | 'gave_up'> &
	Partial<Pick<StandingInterval['edges'][number], 'gave_up_after_ms'>>;

/** Less is not told. */
const REPORTED_LEAST = 0.05;

const STATES = [
	['asking', 'in use'],
	['unread', 'with an unread response'],
	['in_transaction', 'idle in a transaction'],
	['opening', 'opening'],
	['idle', 'idle'],
	['refused', 'refused'],
] as const;

export const edgeName = ({ from, to, port }: Waits) => `${from} → ${to}:${port}`;

export const waitingText = ({ waiting }: Waits) => (waiting < REPORTED_LEAST ? '0' : someText(waiting));

/** A mean number of things: of many of them a tenth is nothing. */
const someText = (value: number) => (value < TENTHS_BELOW ? figure(Number(value.toFixed(1))) : count(value));
const TENTHS_BELOW = 10;

/** @returns of its connections */
export const connectionsText = ({ connections }: Waits): string =>
	STATES.filter(([state]) => connections[state] >= REPORTED_LEAST)
		.map(([state, words]) => `${someText(connections[state])} ${words}`)
		.join(', ') || 'none';

/** @returns empty where none was given up */
export const gaveUpText = ({ from, gave_up: times, gave_up_after_ms: after = null }: Waits): string =>
	times === 0 ? '' : `${from} gave up ${plural(times, 'call')}${afterText(after, times)}`;

/** What a step was like. */
export const waitsAt = ({ edges }: Pick<WireStanding, 'edges'>, step: number): Waits[] =>
	edges.map(({ connections, waiting, gave_up, ...edge }) => ({
		...edge,
		waiting: waiting[step],
		gave_up: gave_up[step],
		connections: Object.fromEntries(Object.entries(connections).map(([state, values]) => [state, values[step]])) as Waits['connections'],
	}));

export const worstText = ({ from_s: from, to_s: to }: StandingInterval) =>
	`Means over seconds ${figure(from)} to ${figure(to)} of the load, when the most calls were waiting`;

export const STANDING_COLUMNS = ['Edge', numeric('Waiting'), 'Connections', 'Given up'];

/** @returns a text for each column */
export const standingRows = ({ edges }: StandingInterval): string[][] =>
	edges.map((edge) => [edgeName(edge), waitingText(edge), connectionsText(edge), gaveUpText(edge)]);

export const STOOD_COLUMNS = ['Service', numeric('Requests in flight'), numeric('Highest'), numeric('In second')];

/** @returns a text for each column, in the order of a request's way */
export const stoodRows = ({ services, worst, step_s: step, from_s: from }: WireStanding): string[][] =>
	services.map(({ name, standing }) => {
		const highest = standing.reduce((best, value, at) => (value > standing[best] ? at : best), 0);
		const mean = worst.services.find((service) => service.name === name)?.standing ?? 0;
		return [name, someText(mean), someText(standing[highest] ?? 0), figure(from + (highest + 1) * step)];
	});
