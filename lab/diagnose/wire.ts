/** What services asked of each other on the wire, by edge: who asked whom, how each call ended and who ended it, how long it took. */

import { GENERATOR_NAME } from '../base/paths.ts';
import type { Wire, WireEdge, WireGap } from '../record/types.js';
import { quantilesOf, rounded } from '../stats/numbers.ts';
import type { ConnectionRecord } from '../wire/connection.ts';
import type { NetworkRecord, WireCall } from '../wire/record.ts';
import { HOST } from '../wire/tenancy.ts';
import { isByTurns } from '../wire/turns.ts';
import type { Joined, Lined } from './joins/joined.ts';
import { failedLookups } from './joins/joined.ts';
import { isBadAnswer } from './joins/rules.ts';
import { isTurnedAway, Numbering } from './joins/spans.ts';
import type { Facts } from './ledger/facts.ts';
import type { Window } from './time/window.ts';
import { gapText } from './wire-gaps.ts';
import { outsideOf, timesOf } from './wire-outside.ts';
import type { Trees } from './wire-requests/trees.ts';
import { wireRequestsOf } from './wire-requests/trees.ts';
import { withTimeouts } from './wire-timeouts.ts';

/** What a service is asked for; heartbeats and the set-up of connections are counted beside. */
const ASKING = new Set(['call', 'wait']);
const MILLI = 1000;
const CLASS = 100;

/**
 * @param window of the load: what began in it counts
 * @param gaps what the record does not have
 * @param failedIds of requests that failed by the generator's own record; null where it has none
 * @returns null where nothing was recorded
 */
export function wireOf(lined: Lined | null, window: Window, gaps: WireGap[] = [], failedIds: Set<string> | null = null): Wire | null {
	if (!lined) return null;
	const { wire, lines, lineAt } = lined;
	const isIn = (at: number) => at >= window.from && at <= window.to;
	const edges: Gathered[] = [];
	const [pairs, numbers] = [new Numbering(), new Numbering()];
	const byLine = lines.map((line) => {
		const { connection, from, to } = line;
		const number = numbers.of(pairs.of(from, to), connection.server_port);
		edges[number] ??= emptyEdge(from, to, connection.server_port);
		const edge = edges[number];
		countProtocol(edge, connection);
		if (isIn(connection.opened_at) && !connection.midway) countConnection(edge, connection);
		// The last byte of one that was used in the load may come when that is over: what ends it is said too.
		if (connection.opened_at <= window.to && (connection.last_at ?? connection.opened_at) >= window.from) countBytes(edge, connection);
		return edge;
	});
	for (let index = 0; index < wire.calls.length; index += 1) {
		const call = wire.calls[index];
		if (lineAt[index] >= 0 && isIn(call.began_at)) countCall(byLine[lineAt[index]], call, failedIds);
	}
	const reported = edges.filter(isUsed).map(reportedOf).toSorted(byVolume);
	return {
		edges: reported,
		no_host: failedLookups(lined, window),
		networks: wire.networks.map(networkOf),
		gaps,
		doubts: [...gaps.map(gapText), ...unreadOn(reported)],
	};
}

type Gathered = {
	from: string;
	to: string;
	port: number;
	protocols: Map<string, number>;
	connections: WireEdge['connections'];
	beside: number;
	turnedAway: Map<string, number>;
	statuses: Map<string, number>;
	ends: WireEdge['ends'];
	bad: number;
	raced: number;
	late: number;
	times: number[];
	gaveUpAfter: number[];
	unknown: number;
	hidden: number;
};

function countProtocol({ protocols }: Gathered, { protocol }: ConnectionRecord) {
	if (protocol !== '') protocols.set(protocol, (protocols.get(protocol) ?? 0) + 1);
}

const emptyEdge = (from: string, to: string, port: number): Gathered => ({
	...{ from, to, port, protocols: new Map(), beside: 0, turnedAway: new Map(), statuses: new Map(), bad: 0, raced: 0, late: 0 },
	connections: { opened: 0, refused: 0, unanswered: 0, reset: 0, closed_unasked: 0 },
	ends: { answered: 0, 'given-up': 0, closed: 0, reset: 0, cut: 0, open: 0 },
	...{ times: [], gaveUpAfter: [], unknown: 0, hidden: 0 },
});

function countConnection(
	{ connections }: Gathered,
	{ transport, outcome, by, asked_at: askedAt, accepted_at: acceptedAt, calls }: ConnectionRecord,
) {
	if (transport === 'udp') return;
	connections.opened += 1;
	if (outcome === 'refused') connections.refused += 1;
	if (outcome === 'unanswered') connections.unanswered += 1;
	// Whoever asked may reset after its answer, to be rid of the connection at once.
	if (outcome === 'reset' && by === 'server') connections.reset += 1;
	// What was answered with an error in place of a login is told by its code.
	if (acceptedAt !== null && askedAt === null && calls === 0 && by === 'server') connections.closed_unasked += 1;
}

function countBytes(edge: Gathered, { unknown_bytes: unknown, hidden_bytes: hidden }: ConnectionRecord) {
	edge.unknown += unknown;
	edge.hidden += hidden;
}

function countCall(edge: Gathered, call: WireCall, failedIds: Set<string> | null) {
	if (!ASKING.has(call.role ?? 'call')) {
		edge.beside += 1;
		if (isTurnedAway(call) && call.end === 'answered') countStatus(edge.turnedAway, call);
		return;
	}
	edge.ends[call.end] += 1;
	if (call.raced) edge.raced += 1;
	if (call.late_at !== undefined) edge.late += 1;
	if (call.end === 'given-up' && call.ended_at !== null) edge.gaveUpAfter.push((call.ended_at - call.began_at) * MILLI);
	if (call.end !== 'answered') return;
	// What came when nobody waited any more is reported as late.
	if (isBad(edge, call, failedIds)) edge.bad += 1;
	countStatus(edge.statuses, call);
	if (call.ended_at !== null && call.role !== 'wait') edge.times.push((call.ended_at - call.began_at) * MILLI);
}

const isBad = ({ from }: Gathered, call: WireCall, failedIds: Set<string> | null) =>
	isBadAnswer(call, from === GENERATOR_NAME ? failedIds : null);

/** @param counts is changed */
function countStatus(counts: Map<string, number>, call: WireCall) {
	const status = statusOf(call);
	counts.set(status, (counts.get(status) ?? 0) + 1);
}

/** Its class, or the code of an error. */
function statusOf({ status, code, bad }: WireCall) {
	if (code !== null) return code;
	if (status === null) return bad ? 'error' : 'ok';
	const hundred = Math.floor(status / CLASS);
	CLASSES[hundred] ??= `${hundred}xx`;
	return CLASSES[hundred];
}
/** Of hundreds of thousands of calls each is one text. */
const CLASSES: string[] = [];

const isUsed = ({ connections, ends, beside, unknown, hidden }: Gathered) =>
	connections.opened + beside + unknown + hidden > 0 || Object.values(ends).some((times) => times > 0);

function reportedOf({
	from,
	to,
	port,
	protocols,
	connections,
	ends,
	bad,
	raced,
	late,
	beside,
	turnedAway,
	statuses,
	times,
	gaveUpAfter,
	unknown,
	hidden,
}: Gathered): WireEdge {
	const [protocol = ''] = [...protocols].toSorted(([, one], [, other]) => other - one)[0] ?? [];
	return {
		...{ from, to, port, protocol, connections, ends, bad, raced, late, beside },
		calls: Object.values(ends).reduce((all, number) => all + number, 0),
		statuses: mostOf(statuses),
		turned_away: mostOf(turnedAway),
		time_ms: timesOf(times),
		gave_up_after_ms: spreadOf(gaveUpAfter),
		timeouts: [],
		...{ unknown_bytes: unknown, hidden_bytes: hidden },
	};
}

const mostOf = (counts: Map<string, number>) =>
	Object.fromEntries([...counts].toSorted(([, one], [, other]) => other - one).slice(0, STATUSES_MOST));
/** A server that makes a code of its own for each error has more than anybody reads. */
const STATUSES_MOST = 20;

/**
 * Equal times are a time-out of whoever gave up.
 * @returns null of none
 */
export function spreadOf(after: number[]): WireEdge['gave_up_after_ms'] {
	if (after.length === 0) return null;
	const [p10, p50, p90] = quantilesOf(after, [0.1, 0.5, 0.9]).map((value) => rounded(value, 1) ?? 0);
	return { p10, p50, p90 };
}

const byVolume = (one: WireEdge, other: WireEdge) => other.calls - one.calls || other.connections.opened - one.connections.opened;

const networkOf = ({ network, dropped, cpu_s, counters }: NetworkRecord): Wire['networks'][number] => ({
	name: network,
	packets: counters?.packets ?? null,
	dropped,
	cpu_s: rounded(cpu_s, 3),
});

/** @returns a sentence for each on which something could not be read */
const unreadOn = (edges: WireEdge[]): string[] =>
	edges
		// What the lab itself asks services, it asks from the machine.
		.filter(({ from, unknown_bytes: unknown }) => unknown > 0 && from !== HOST)
		.map(({ from, to, port, protocol, calls, unknown_bytes: unknown }) => {
			const reported = isByTurns({ protocol, calls }) ? ': calls there are told by turns, and an error in an answer is not seen' : '';
			return `${unknown.toLocaleString('en-US')} bytes between ${from} and ${to}:${port} could not be read${reported}`;
		});

export function wireWithRequests(wire: Wire | null, { raw, window }: Facts, joined: Joined | null, trees: Trees | null) {
	if (!wire || !joined || !trees) return { reported: null, timedOut: new Map() };
	const { timeouts, of: timedOut, ...requests } = wireRequestsOf(raw, window, joined, trees);
	const outside = outsideOf(joined, window);
	return { reported: { ...wire, edges: withTimeouts(wire, timeouts), ...requests, outside }, timedOut };
}
