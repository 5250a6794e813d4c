/**
 * The record of the wire, joined: whose connections they are, the calls with those of connections that were turned away, the order in which
 * they began, and which was made for which. It is made once of a record, and whoever reads single calls reads it.
 */

import { newCall } from '../../wire/calls.ts';
import type { ConnectionRecord } from '../../wire/connection.ts';
import type { WireCall, WireRecord } from '../../wire/record.ts';
import type { Lookup } from '../../wire/tenancy.ts';
import { lookUp, lookupsIn, namesLookedUp } from '../../wire/tenancy.ts';
import { Spans } from './call-columns.ts';
import type { Children, Joins } from './join-calls.ts';
import { joinCalls } from './join-calls.ts';
import { withSilentlyGivenUp } from './silent.ts';
import { columnsOf, Numbering } from './spans.ts';

export type Joined = Lined & Known;

export type Known = {
	/** the record's, and beyond them one of each connection that was turned away and has none */
	calls: WireCall[];
	lineOf: (call: number) => Line | undefined;
	/** of each call */
	began: Float64Array;
	/** its asker knew that it was over; of an answer whose end was not seen, what was; endless where it was open */
	over: Float64Array;
	/** number of its verb and template */
	question: Int32Array;
	/** all calls as they began */
	order: Int32Array;
	joins: Joins;
	children: Children;
};

/** @param work counts what the joins looked at, for tests */
export function joinedOf(wire: WireRecord, work?: { steps: number }): Joined {
	const made = withTurnedAway(wire);
	const lined = linedOf(wire, made);
	const calls = withSilentlyGivenUp(made, lined);
	const { lines, lineAt } = lined;
	const columns = { lineAt, ...columnsOf(calls) };
	const services = new Map(wire.services.map(({ name, service }) => [name, service]));
	const serviceOf = (name: string) => services.get(name) ?? name;
	const spans = new Spans({ calls, lines, ...columns }, serviceOf);
	const { joins, children } = joinCalls(spans, columns.order, work);
	const lineOf = (call: number) => (lineAt[call] >= 0 ? lines[lineAt[call]] : undefined);
	return { ...lined, calls, lineOf, ...columns, joins, children };
}

/**
 * Services that were asked for on the network while nobody had their address: a dead one is asked for by ARP alone, and no connection
 * begins.
 */
export const failedLookups = (
	{ wire, nameAt }: Pick<Lined, 'wire' | 'nameAt'>,
	window: { from: number; to: number },
): { from: string; to: string; asked: number }[] =>
	wire.networks
		.flatMap(({ hosts }) => hosts)
		.filter(({ asked, answered, first_at: first, last_at: last }) => asked > answered && last >= window.from && first <= window.to)
		.map(({ source, target, asked, answered, first_at: at }) => ({
			from: nameAt(source, at),
			to: nameAt(target, at),
			asked: asked - answered,
		}));

/**
 * The record of the wire by its connections: whose each is, and on which each call passed. It is looked up once of a record: to ask by time who
 * had an address takes longer than most of what is then counted. And whose an address was, by the engine and by what was looked up.
 */
/** a connection, and whose it is */
export type Line = {
	connection: ConnectionRecord;
	/** who asked, by the name of its container */
	from: string;
	to: string;
	/** that it passed; a record from before does not say it */
	network?: string;
};

/** a call is known by its number, which is its place in the calls */
export type Lined = {
	/** as it was recorded */
	wire: WireRecord;
	lines: Line[];
	/** of each call, the place of its connection in `lines`; -1 where that is not on record */
	lineAt: Int32Array;
	/** who had an address then; an address that is free again goes to the next */
	tenantAt: ReturnType<typeof lookUp>;
	/** of that container; the address where none had it */
	nameAt: (address: string, at: number) => string;
	/** of names */
	lookups: Lookup[];
	/** by them */
	nameLookedUp: ReturnType<typeof namesLookedUp>;
};

const NOWHERE = -1;

/** @param calls the record's, and others of its connections beyond them */
export function linedOf(wire: WireRecord, calls: WireCall[] = wire.calls): Lined {
	const tenantAt = lookUp(wire.services);
	const lookups = lookupsIn(wire);
	const lines = wire.connections.map((connection) => {
		const { client, server, opened_at: at } = connection;
		const [asker, asked] = [tenantAt(client, at), tenantAt(server, at)];
		return { connection, from: asker?.name ?? client, to: asked?.name ?? server, network: asker?.network ?? asked?.network };
	});
	// By their ids, which the record counts from the first on: in a map to look up each call takes ten times as long.
	const places: number[] = [];
	for (let place = 0; place < lines.length; place += 1) places[lines[place].connection.id] = place;
	const lineAt = new Int32Array(calls.length);
	for (let call = 0; call < calls.length; call += 1) lineAt[call] = places[calls[call].connection] ?? NOWHERE;
	const nameAt = (address: string, at: number) => tenantAt(address, at)?.name ?? address;
	return { wire, lines, lineAt, tenantAt, nameAt, lookups, nameLookedUp: namesLookedUp(lookups) };
}

/**
 * Connections that were turned away before anything was asked on them, as bad calls of whoever asked for them: refused, not answered, closed
 * by their server, or answered with an error where a login was to be.
 *
 */

/** @returns its calls, and one for each of those that have none */
function withTurnedAway({ calls, connections }: WireRecord): WireCall[] {
	const made = connections.filter((connection) => turnedAwayBy(connection) !== null).map(callOf);
	return made.length === 0 ? calls : [...calls, ...made];
}

/** Of one that was turned away. */
function callOf(connection: ConnectionRecord): WireCall {
	const { id, opened_at: at, outcome, by } = connection;
	// Whoever gives up a connection that is not answered says nothing.
	const endedAt = outcome === 'unanswered' ? (connection.syn_at ?? at) : connection.ended_at;
	const made = { role: 'connect' as const, verb: 'CONNECT', bad: true, by, ended_at: endedAt };
	return { ...newCall(at), ...made, end: endOf(connection), connection: id };
}

function endOf({ outcome, by }: ConnectionRecord): WireCall['end'] {
	if (outcome === 'open') return 'open';
	if (by === 'client') return 'given-up';
	return outcome === 'closed' ? 'closed' : 'reset';
}

/**
 * How a connection was turned away, of which no decoder tells a call.
 * @returns null: it was not
 */
export function turnedAwayBy({
	transport,
	midway,
	accepted_at: acceptedAt,
	asked_at: askedAt,
	calls,
	outcome,
	by,
}: ConnectionRecord): 'refused' | 'unanswered' | 'unasked-closed' | 'unasked-reset' | null {
	if (transport !== 'tcp' || midway || askedAt !== null || calls > 0) return null;
	if (outcome === 'refused') return outcome;
	if (by === 'server') return outcome === 'closed' ? 'unasked-closed' : outcome === 'reset' ? 'unasked-reset' : null;
	return acceptedAt === null ? 'unanswered' : null;
}

/** The record of the wire for those who compare it with other records: calls and connections of the load by who asked whom. */
/** in the load, or after it: what k6 is done with others still work on, so there is no end */
export type Passed = {
	lined: Lined;
	/** by `from` and `to`, with a space between */
	ways: Map<string, Way>;
	/** what carries the id of a failed request, by that id; in the order of time on each way */
	asked: Map<string, Asked[]>;
};

export type Asked = { way: Way; call: WireCall };

/** from one service to another, whatever the port */
export type Way = {
	from: string;
	to: string;
	/** questions that began in the load or after it; without set-ups of connections and heartbeats */
	calls: WireCall[];
	/** connections that were asked for in that time, and on which no question came */
	silent: ConnectionRecord[];
	/** what was said there is of a protocol that is known and not read, such as TLS, so that its calls are not known */
	isHidden?: boolean;
};

/** What a service is asked for. */
const ASKING = new Set(['call', 'wait']);

/**
 * @param from the load's beginning
 * @param failures of the load
 */
export function passedIn(lined: Lined, from: number, failures: { id: string }[]): Passed {
	const ways = waysOf(lined, from);
	return { lined, ways, asked: callsById(ways, new Set(failures.map(({ id }) => id))) };
}

function waysOf({ wire, lines, lineAt }: Lined, from: number): Passed['ways'] {
	const ways: Map<string, Way> = new Map();
	const byNumber: Way[] = [];
	const numbers = new Numbering();
	const hiding: Set<Way> = new Set();
	const byLine = lines.map((line) => {
		const { connection, from: asker, to: asked } = line;
		const number = numbers.of(asker, asked);
		if (byNumber[number] === undefined) {
			byNumber[number] = { from: asker, to: asked, calls: [], silent: [] };
			ways.set(`${asker} ${asked}`, byNumber[number]);
		}
		const way = byNumber[number];
		if (connection.hidden_bytes > 0) hiding.add(way);
		const isSilent = connection.asked_at === null && !connection.midway;
		if (isSilent && connection.opened_at >= from) way.silent.push(connection);
		return way;
	});
	for (let index = 0; index < wire.calls.length; index += 1) {
		const call = wire.calls[index];
		if (lineAt[index] >= 0 && call.began_at >= from && ASKING.has(call.role ?? 'call')) byLine[lineAt[index]].calls.push(call);
	}
	for (const way of hiding) if (way.calls.length === 0) way.isHidden = true;
	return ways;
}

function callsById(ways: Passed['ways'], wanted: Set<string>): Passed['asked'] {
	const found: Map<string, Asked[]> = new Map();
	for (const way of ways.values())
		for (let index = 0; index < way.calls.length; index += 1) {
			const call = way.calls[index];
			const { id } = call;
			if (id === undefined || !wanted.has(id)) continue;
			const asked = found.get(id);
			if (asked) asked.push({ way, call });
			else found.set(id, [{ way, call }]);
		}
	return found;
}
