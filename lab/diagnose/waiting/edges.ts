/** The calls of a record by who asked whom: of each, from when to when it was waited for, and whether anybody had asked for it. */

import { grouped } from '../../base/values.ts';
import type { ConnectionRecord } from '../../wire/connection.ts';
import type { WireCall } from '../../wire/record.ts';
import { HOST } from '../../wire/tenancy.ts';
import { unreadBytes } from '../../wire/turns.ts';
import { besideOf, workedUntil } from '../joins/beside.ts';
import type { Joined } from '../joins/joined.ts';
import { Asked, Numbering } from '../joins/spans.ts';
import { middle, spread } from './spread.ts';

export type { ConnectionRecord };

export type Edge = {
	from: string;
	to: string;
	port: number;
	connections: Spoken[];
	/** whether most of what was said on it could be read */
	isRead: boolean;
};

/** a connection, with what was said on it */
export type Spoken = {
	connection: ConnectionRecord;
	edge: Edge;
	/** as they began */
	calls: number[];
};

/** by the number of a call; times as in the record */
export type Waited = {
	calls: WireCall[];
	began: Float64Array;
	/** its asker knew that it was over; endless where that was not seen */
	over: Float64Array;
	/** from here on its asker had closed its window, and did not read the rest; endless where it read */
	held: Float64Array;
	/** 1: nobody asked for it, or what asked for it is answered long before */
	isBeside: Uint8Array;
	/** 1: it makes its connection ready */
	isSetUp: Uint8Array;
	/** 1: its asker gave it up */
	isGivenUp: Uint8Array;
	/** 1: its connection is within a transaction when it is over */
	isWithin: Uint8Array;
};

/** What somebody waits for, and what makes a connection ready for it. */
const ROLES = new Set(['call', 'connect']);

/**
 * @param own names of the lab's own services that ask others; what it asks from the machine is left out anyway
 * @returns edges: with at least one connection
 */
export function edgesOf(joined: Joined, own: Set<string> = new Set()): { edges: Edge[]; waited: Waited } {
	const { wire, lines, lineAt, began, over, question, order } = joined;
	// Attempts to connect are told by their connections.
	const { calls } = wire;
	const size = calls.length;
	const held = new Float64Array(size).fill(Number.POSITIVE_INFINITY);
	const flags = () => new Uint8Array(size);
	const waited = {
		...{ calls, began, over: over.slice(0, size), held },
		...{ isBeside: flags(), isSetUp: flags(), isGivenUp: flags(), isWithin: flags() },
	};
	const { edges, spokenOn } = spokenIn(lines, own);
	const asked = [];
	for (let place = 0; place < order.length; place += 1) {
		const index = order[place];
		if (index >= size) continue;
		const spoken = lineAt[index] < 0 ? null : spokenOn[lineAt[index]];
		if (spoken === null) continue;
		const call = calls[index];
		const { role = 'call', state = 'idle' } = call;
		if (!ROLES.has(role)) continue;
		waited.isSetUp[index] = role === 'connect' ? 1 : 0;
		waited.isGivenUp[index] = call.end === 'given-up' ? 1 : 0;
		waited.isWithin[index] = state === 'idle' ? 0 : 1;
		if (over[index] === Number.POSITIVE_INFINITY) waited.over[index] = overAt(call, spoken.connection);
		if (spoken.connection.closed_window?.client) held[index] = heldFrom(call, spoken.connection.closed_window.client);
		// Most have one: a list that grows from nothing keeps room for many.
		if (spoken.calls.length === 0) spoken.calls = [index];
		else spoken.calls.push(index);
		if (role !== 'connect') asked.push(index);
	}
	markBeside(waited, asked, { lineAt, edgeAt: spokenOn.map((spoken) => spoken?.edge ?? null), question });
	return { edges, waited };
}

/** @returns spokenOn: of each line; nothing was said yet */
function spokenIn(lines: Joined['lines'], own: Set<string>): { edges: Edge[]; spokenOn: (Spoken | null)[] } {
	const edges: Edge[] = [];
	const [pairs, numbers] = [new Numbering(), new Numbering()];
	const spokenOn = lines.map(({ connection, from, to }) => {
		if (from === HOST || own.has(from)) return null;
		const { server_port: port } = connection;
		const number = numbers.of(pairs.of(from, to), port);
		edges[number] ??= { from, to, port, connections: [], isRead: true };
		const edge = edges[number];
		const spoken = { connection, edge, calls: NOTHING };
		edge.connections.push(spoken);
		return spoken;
	});
	for (const edge of edges) edge.isRead = isRead(edge);
	return { edges, spokenOn };
}

/** Until something is: an empty list of each of hundreds of thousands takes room. */
const NOTHING: number[] = [];

/** A packet that was lost leaves some bytes unread; TLS leaves all, a websocket most. */
function isRead({ connections }: Edge) {
	const bytes = connections.reduce((sum, { connection }) => sum + connection.client_bytes + connection.server_bytes, 0);
	const unread = connections.reduce((sum, { connection }) => sum + unreadBytes(connection), 0);
	return unread <= bytes * UNREAD_MOST;
}
/** Of the bytes of an edge. */
const UNREAD_MOST = 0.5;

/** Of one whose end was not seen. */
function overAt({ first_at: first, began_at: began, end, hole }: WireCall, connection: ConnectionRecord) {
	// Where its connection went on, nothing is known of it.
	if (end === 'answered' || hole) return first ?? began;
	return connection.ended_at ?? Number.POSITIVE_INFINITY;
}

/**
 * From when on its asker took no more of an answer that had begun. The server then asks it again and again whether it does (RFC 9293, 3.8.6.1),
 * so that the record has the first and the last time that it said so.
 */
function heldFrom({ first_at: first, ended_at: ended }: WireCall, closed: NonNullable<ConnectionRecord['closed_window']['client']>) {
	if (first === null) return Number.POSITIVE_INFINITY;
	const isIn = (at: number) => at >= first && at <= (ended ?? Number.POSITIVE_INFINITY);
	return isIn(closed.first_at) || isIn(closed.last_at) ? Math.max(first, closed.first_at) : Number.POSITIVE_INFINITY;
}

/**
 * @param waited is changed
 * @param asked as they began
 * @param about edgeAt: of each line; question: of each call, the number of
 * its verb and template
 */
function markBeside(
	{ calls, began, over, isBeside }: Waited,
	asked: number[],
	{ lineAt, edgeAt, question }: { lineAt: Int32Array; edgeAt: (Edge | null)[]; question: Int32Array },
) {
	if (asked.length === 0) return;
	const zero = began[asked[0]];
	const [begins, worked, kind] = [new Float64Array(calls.length), new Float64Array(calls.length), new Int32Array(calls.length)];
	const kinds = new Asked();
	const services: Map<string, { served: number[]; made: number[] }> = new Map();
	const sidesOf = (name: string) => {
		const own = services.get(name) ?? { served: [], made: [] };
		services.set(name, own);
		return own;
	};
	const onEdge = (edge: Edge) => ({ kinds: kinds.on(edge), made: sidesOf(edge.from).made, served: sidesOf(edge.to).served });
	const known: Map<Edge | null, ReturnType<typeof onEdge>> = new Map();
	/** By line, for each call is asked of it. */
	const knownAt = edgeAt.map((edge) => {
		const own = known.get(edge) ?? (edge && onEdge(edge));
		if (own) known.set(edge, own);
		return own;
	});
	let length = 0;
	for (let place = 0; place < asked.length; place += 1) {
		const index = asked[place];
		begins[index] = began[index] - zero;
		worked[index] = workedUntil(calls[index], over[index]) - zero;
		length = Math.max(length, begins[index], over[index] < Number.POSITIVE_INFINITY ? over[index] - zero : 0);
		const own = knownAt[lineAt[index]] as ReturnType<typeof onEdge>;
		kind[index] = own.kinds.numberOf(question[index]);
		own.made.push(index);
		own.served.push(index);
	}
	for (const { served, made } of services.values()) {
		// Whoever serves nobody asks for itself: its calls are requests.
		if (served.length === 0 || made.length === 0) continue;
		const beside = besideOf({ began: begins, worked, kind, length_s: length }, served, made);
		for (const outliving of outlivingOf(
			{ calls, began, over },
			served,
			grouped(made, (index) => kind[index]),
		))
			beside.add(outliving);
		if (beside.size > 0) for (const index of made) if (beside.has(kind[index])) isBeside[index] = 1;
	}
}

/**
 * Kinds of calls that go on long after what they were made for was answered, such as a message to a log: no request stands there. Where callers
 * give up, what goes on behind them is what they waited for.
 * @param made by kind
 * @returns kinds
 */
function outlivingOf(
	{ calls, began, over }: Pick<Waited, 'calls' | 'began' | 'over'>,
	served: number[],
	made: Map<number, number[]>,
): number[] {
	const length = (index: number) => over[index] - began[index];
	const answered = served.filter((index) => calls[index].end === 'answered');
	if (answered.length < ANSWERED_SHARE * served.length) return [];
	const longest = spread(answered.map(length), LONG_SHARE);
	return [...made].flatMap(([kind, own]) => (own.length >= OUTLIVING_LEAST && middle(own.map(length)) > longest ? [kind] : []));
}
const ANSWERED_SHARE = 0.9;
const LONG_SHARE = 0.95;
const OUTLIVING_LEAST = 10;
