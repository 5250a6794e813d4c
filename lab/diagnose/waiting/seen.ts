/**
 * The record of the wire as who asked whom: calls and attempts to connect as columns, by service and by edge, and which call was made for
 * which. Everything that follows the waiting reads it. Pure.
 *
 * An attempt to connect that came to nothing is a call here, so that it is joined with the request that it was made for: refused, not
 * answered, closed before anything was asked; so is a set-up that the callee refused (a database that turns a client away says so before it
 * was asked anything).
 *
 * A host outside of the stack goes by the name that was looked up for it.
 */

import { newCall } from '../../wire/calls.ts';
import type { ConnectionRecord } from '../../wire/connection.ts';
import { FIRST_BAD_STATUS } from '../../wire/contract.ts';
import type { WireCall, WireRecord } from '../../wire/record.ts';
import { HOST, NAMES } from '../../wire/tenancy.ts';
import type { Joins } from '../joins/join-calls.ts';
import { Children } from '../joins/join-calls.ts';
import type { Joined, Lined, Line as LineOfJoined } from '../joins/joined.ts';
import { Numbering, those } from '../joins/spans.ts';

/** seconds since 1970 */
export type Load = { warmupFrom: number; from: number; to: number };

/** a connection with what passed on it; calls: as they began */
export type Line = LineOfJoined & { calls: number[] };

/** calls are numbers, those of `calls`; times are seconds since 1970 */
export type Seen = {
	calls: WireCall[];
	/** who asked, by the name of its container */
	from: string[];
	to: string[];
	began: Float64Array;
	/** when its asker knew that it was over; the record's end where it did not */
	over: Float64Array;
	/** the same; of an answer whose rest its asker did not take, when it stopped to */
	waited: Float64Array;
	/** 1: its connection is within a transaction when it is over */
	isWithin: Uint8Array;
	/** verb and template, with a space between; empty of an attempt to connect */
	kind: string[];
	/** how it ended: GOOD, a status from 400 on, `code …`, an end of the wire's contract, `raced`, `refused`, `unanswered`, `unasked` */
	sign: string[];
	/** in the order of their beginnings */
	servedBy: (service: string) => number[];
	madeBy: (service: string) => number[];
	onEdge: (from: string, to: string) => number[];
	calleesOf: (service: string) => string[];
	/** calls that were made for it */
	childrenOf: (call: number) => number[];
	/** whether it has any */
	isAsking: (call: number) => boolean;
	isAttempt: (call: number) => boolean;
	lines: (from: string, to: string) => Line[];
	linesTo: (service: string) => Line[];
	/** undefined where its connection is not on record */
	lineOf: (call: number) => Line | undefined;
	/** names of hosts that are none of the stack */
	outside: Set<string>;
	joins: Joins;
	wire: WireRecord;
	load: Load;
	/** end of the record */
	until: number;
};

/**
 * Lookups of names on the wire, as whoever asked had them, and the names of hosts outside of the stack.
 *
 * What a container asks its engine's own resolver for never leaves its network namespace; on record is what that resolver asks others for, from
 * the container's address: names of services are answered within and are not on record, all others are.
 *
 */

/**
 * So long Docker's resolver waits for an answer before it asks the next server (extIOTimeout in libnetwork's resolver.go); programs that ask by
 * themselves wait for 5 s, or ask again.
 */
const WAITED_S = 4;

/** A question in a datagram has no end where no answer came: whoever asked it gave it up a while after it was sent, the last time. */
export function withLookupsEnded({ connections, calls }: WireRecord): WireCall[] {
	const last = new Map(connections.filter(({ protocol }) => protocol === NAMES).map(({ id, last_at: at }) => [id, at ?? 0]));
	if (last.size === 0) return calls;
	return calls.map((call) => {
		const at = call.end === 'open' ? last.get(call.connection) : undefined;
		if (at === undefined) return call;
		const { began_at: began, verb, template, connection } = call;
		const over = Math.max(at, began) + WAITED_S;
		const given = { end: 'given-up' as const, by: 'client' as const, ended_at: over };
		return { ...newCall(began), verb, template, connection, ...given };
	});
}

/**
 * @returns nameOf: of whom it
 * leads to; of a host outside the name that was looked up for its address, else the address, as of whom names are asked of
 */
export function serversOf({ wire, tenantAt, nameLookedUp }: Pick<Lined, 'wire' | 'tenantAt' | 'nameLookedUp'>): {
	nameOf: (connection: ConnectionRecord) => string;
	isOutside: (connection: ConnectionRecord) => boolean;
} {
	return {
		nameOf: ({ client, server, opened_at: at, protocol }) =>
			tenantAt(server, at)?.name ?? ((protocol === NAMES ? '' : nameLookedUp(client, server, at)) || server),
		// A record that names nobody tells nothing of who is outside.
		isOutside: ({ server, opened_at: at }) => wire.services.length > 0 && (tenantAt(server, at)?.service ?? HOST) === HOST,
	};
}

export const GOOD = 'good';
/** Before an error's code. */
export const CODE = 'code ';
/** A callee that accepts and closes so soon turned its client away; one that closes later may be tired of an idle connection. */
const TURNED_AWAY_S = 1;
/** An answer of which so long nothing came on, while its asker's window was closed, is not being read. */
const UNREAD_S = 0.5;
/** States of a connection. */
const TRANSACTION: Set<string | undefined> = new Set(['transaction', 'failed-transaction']);
/** Who waits for an answer; heartbeats, blocking reads and what is pushed wait for nobody's sake. */
const WAITED_FOR = new Set(['call', 'wait']);

export function seenOf(joined: Joined, load: Load): Seen {
	const { wire, lineAt, order, joins } = joined;
	const calls = withLookupsEnded({ ...wire, calls: joined.calls });
	const servers = serversOf(joined);
	const outside: Set<string> = new Set();
	const lines: Line[] = joined.lines.map(({ connection, from }) => {
		const to = servers.nameOf(connection);
		if (servers.isOutside(connection)) outside.add(to);
		return { connection, from, to, calls: NONE };
	});
	const lineOf = (call: number) => (lineAt[call] < 0 ? undefined : lines[lineAt[call]]);
	const attempts = attemptsOf(wire, calls, lineOf);
	const until = endOf(joined, load);
	const columns = columnsOf(joined, calls, { lineOf, attempts, until });
	const [served, made, edges] = [new Listed(), new Listed(), new Listed()];
	const numbers = new Numbering();
	/** Of each line, the number of its edge: it is asked for each call. */
	const edgeAt = Int32Array.from(lines, ({ from, to }) => numbers.of(from, to));
	const isWaitedFor = (call: number) => WAITED_FOR.has(calls[call].role ?? 'call') || attempts.has(call);
	/** Of each edge, the lists that its calls are in. */
	const lists: [served: number[], made: number[], both: number[]][] = [];
	for (let at = 0; at < lines.length; at += 1)
		lists[edgeAt[at]] ??= [served.list(lines[at].to), made.list(lines[at].from), edges.list(edgeAt[at])];
	const waitedFor = those(order, isWaitedFor);
	for (let place = 0; place < waitedFor.length; place += 1) {
		const call = waitedFor[place];
		if (lineAt[call] < 0) continue;
		const line = lines[lineAt[call]];
		const [ofService, ofCaller, ofBoth] = lists[edgeAt[lineAt[call]]];
		ofService.push(call);
		ofCaller.push(call);
		ofBoth.push(call);
		// Most have one: a list that grows from nothing keeps room for many.
		if (line.calls.length === 0) line.calls = [call];
		else line.calls.push(call);
	}
	const children = new Children(joins.parent, waitedFor);
	const [byEdge, byCallee, callees] = [new Listed(), new Listed(), new Listed()];
	for (let at = 0; at < lines.length; at += 1) {
		const [line, edge] = [lines[at], edgeAt[at]];
		if (byEdge.of(edge).length === 0) callees.add(line.from, line.to);
		byEdge.add(edge, line);
		byCallee.add(line.to, line);
	}
	return {
		...{ calls, ...columns, joins, wire, load, until, lineOf, outside },
		servedBy: (service) => served.of(service),
		madeBy: (service) => made.of(service),
		onEdge: (from, to) => edges.of(numbers.of(from, to)),
		calleesOf: (service) => callees.of(service),
		childrenOf: (call) => children.of(call),
		isAsking: (call) => children.countOf(call) > 0,
		isAttempt: (call) => attempts.has(call),
		lines: (from, to) => byEdge.of(numbers.of(from, to)),
		linesTo: (service) => byCallee.of(service),
	};
}

class Listed {
	#all: Map<any, any[]> = new Map();

	/** @returns to be filled */
	list(key: unknown): any[] {
		const own = this.#all.get(key) ?? [];
		this.#all.set(key, own);
		return own;
	}

	add(key: unknown, value: unknown) {
		this.list(key).push(value);
	}

	of(key: unknown): any[] {
		return this.#all.get(key) ?? NONE;
	}
}
const NONE: any[] = [];

/** Attempts to connect that came to nothing, and how each ended. */
function attemptsOf(wire: WireRecord, calls: WireCall[], lineOf: Seen['lineOf']): Map<number, string> {
	const attempts: Map<number, string> = new Map();
	for (let index = 0; index < calls.length; index += 1) {
		if (calls[index].role !== 'connect' || !calls[index].bad) continue;
		const sign = index < wire.calls.length ? signOfSetUp(calls[index]) : signOfAttempt((lineOf(index) as Line).connection);
		if (sign !== null) attempts.set(index, sign);
	}
	return withFailedLookups(attempts, calls, lineOf);
}

/**
 * Who was turned away before it asked may have sent its question by then, on a connection that was over, or after a word that was no answer to
 * any: that is no call of its own.
 * @param attempts is changed
 */
function withFailedLookups(attempts: Map<number, string>, calls: WireCall[], lineOf: Seen['lineOf']) {
	const turnedAway = new Map([...attempts].flatMap(([call, sign]) => (calls[call].end === 'answered' ? [[lineOf(call), sign]] : [])));
	for (let index = 0; index < calls.length; index += 1) {
		const { end, role, bad, raced } = calls[index];
		if (end === 'answered') {
			if (role === 'push' && bad && isClosedSoon(lineOf(index))) turnedAway.set(lineOf(index), signOf(calls[index]));
			continue;
		}
		if (attempts.has(index)) continue;
		const line = lineOf(index);
		const sign = turnedAway.get(line) ?? (raced && isClosedSoon(line) && line?.connection.server_bytes === 0 ? 'unasked' : undefined);
		if (sign !== undefined) attempts.set(index, sign);
	}
	return attempts;
}

/** By its server, before anything can have gone well on it. */
const isClosedSoon = (line: Line | undefined) => {
	if (line === undefined) return false;
	const { accepted_at: accepted, ended_at: ended, by } = line.connection;
	return by === 'server' && accepted !== null && ended !== null && ended - accepted <= TURNED_AWAY_S;
};

/** The callee said so. */
const signOfSetUp = (call: WireCall) => (call.end !== 'answered' && call.code !== null ? call.code : signOf(call));

/** @returns null of one that was there, and on which nothing was sent */
function signOfAttempt({ accepted_at: accepted, ended_at: ended, outcome, by, server_bytes: said }: ConnectionRecord): string | null {
	if (outcome === 'refused') return outcome;
	if (accepted === null) return 'unanswered';
	return by !== 'server' || said > 0 || ended === null || ended - accepted > TURNED_AWAY_S ? null : 'unasked';
}

/** @param calls its own, with lookups ended */
function columnsOf(
	{ began, over: known, question }: Joined,
	calls: WireCall[],
	{ lineOf, attempts, until }: Pick<Seen, 'lineOf' | 'until'> & { attempts: Map<number, string> },
) {
	const size = calls.length;
	const over = new Float64Array(size);
	// Hardly ever does anybody stop to read.
	let waited = over;
	const isWithin = new Uint8Array(size);
	const strings = () => new Array(size).fill('') as string[];
	const [from, to, kind, sign] = [strings(), strings(), strings(), strings()];
	// Millions of calls have few kinds: each is one string.
	const kinds: string[] = [];
	for (let index = 0; index < size; index += 1) {
		const call = calls[index];
		const line = lineOf(index);
		const attempt = attempts.get(index);
		over[index] = known[index] < Number.POSITIVE_INFINITY ? known[index] : (overAt(call) ?? until);
		// Who gets no connection waits longer than until it asked for the last time.
		if (attempt === 'unanswered') over[index] = line?.connection.ended_at ?? until;
		const stopped = stoppedReading(call, line, over[index]);
		if (stopped < over[index] && waited === over) waited = over.slice();
		if (waited !== over) waited[index] = stopped;
		if (line) [from[index], to[index]] = [line.from, line.to];
		if (attempt === undefined) kind[index] = kinds[question[index]] ??= kindOf(call);
		sign[index] = attempt ?? signOf(call);
		isWithin[index] = TRANSACTION.has(call.state) ? 1 : 0;
	}
	return { began, over, waited, isWithin, from, to, kind, sign };
}

function kindOf({ verb, template }: WireCall) {
	// Of statements the template begins with the verb.
	const isSaid = template.toLowerCase().startsWith(verb.toLowerCase());
	return isSaid ? template : `${verb} ${template}`.trim();
}

/** Of an answer whose end was not seen, what was. */
const overAt = ({ ended_at: ended, end, first_at: first }: WireCall) => ended ?? (end === 'answered' ? first : null);

function stoppedReading(call: WireCall, line: Line | undefined, over: number) {
	const closed = line?.connection.closed_window?.client;
	if (!closed) return over;
	const { first_at: first } = call;
	if (first === null || closed.first_at > over) return over;
	return Math.min(over, Math.max(first, closed.first_at) + UNREAD_S);
}

function signOf({ end, status, code, bad, raced }: WireCall) {
	if (end !== 'answered') return raced ? 'raced' : end;
	if (code !== null) return `${CODE}${code}`;
	if (status !== null && status >= FIRST_BAD_STATUS) return String(status);
	return bad ? 'error' : GOOD;
}

function endOf({ wire: { calls, connections }, began, over }: Joined, { to }: Load) {
	let until = to;
	for (let call = 0; call < calls.length; call += 1)
		until = Math.max(until, over[call] < Number.POSITIVE_INFINITY ? over[call] : began[call]);
	for (const { opened_at: opened, last_at: last } of connections) until = Math.max(until, last ?? opened);
	return until;
}

/**
 * What every step would find out anew of the same record, found out once.
 * @returns the same, of each record and names only the first time
 */
export function once<T>(make: (seen: Seen, ...names: string[]) => T): (seen: Seen, ...names: string[]) => T {
	const records: WeakMap<Seen, Map<string, T>> = new WeakMap();
	return (seen, ...names) => {
		const known = records.get(seen) ?? new Map();
		records.set(seen, known);
		const key = JSON.stringify(names);
		if (!known.has(key)) known.set(key, make(seen, ...names));
		return known.get(key);
	};
}
