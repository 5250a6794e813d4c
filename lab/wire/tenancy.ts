/** Which container had an address at a time: one that is free again goes to the next. */

import { grouped } from '../base/values.ts';
import { needOf, unionOf } from './need.ts';
import { passersOf } from './passing-on.ts';
import type { Tenure, WireCall, WireRecord } from './record.ts';

/** As the capture calls the machine's own address on a network. */
export const HOST = 'host';
/** The engine tells of a start a moment after the program has begun. */
const REPORTED_LATE_S = 1;

/** @returns who had it then, else had it first; null where it is none of the stack */
export function lookUp(tenures: Tenure[]): (address: string, at: number) => Tenure | null {
	const sorted = tenures.toSorted((one, other) => one.from - other.from);
	const byAddress = grouped(sorted, ({ address }) => address);
	return (address, at) => {
		const had = byAddress.get(address);
		return had === undefined ? null : (had.findLast(({ from }) => from <= at + REPORTED_LATE_S) ?? had[0]);
	};
}

/** Names of addresses, by what clients looked up: the name whose answer had the address, told to that client before others. */
/** at: seconds since 1970, its question */
export type Lookup = { client: string; at: number; name: string; isFailed: boolean; addresses: string[] };

/** The protocol, as its decoder calls it. */
export const NAMES = 'dns';
/** A name that was looked up so long before a connection is taken for its server's, where the answer's addresses are not on record. */
const LOOKED_UP_S = 2;

export function lookupsIn({ calls, connections }: Pick<WireRecord, 'calls' | 'connections'>): Lookup[] {
	const clients = new Map(connections.filter(({ protocol }) => protocol === NAMES).map(({ id, client }) => [id, client]));
	if (clients.size === 0) return [];
	return calls.flatMap((call) => {
		const client = clients.get(call.connection);
		if (client === undefined) return [];
		const { began_at: at, code, end, template: name, addresses = [] } = call;
		return [{ client, at, name, isFailed: code !== null || end !== 'answered', addresses }];
	});
}

/** @returns empty where no lookup says it; at: of its connection */
export function namesLookedUp(lookups: Lookup[]): (client: string, address: string, at: number) => string {
	const traced: Map<string, string> = new Map();
	for (const { client, name, addresses } of lookups)
		for (const address of addresses) for (const key of [`${client} ${address}`, address]) traced.set(key, name);
	const unreported = grouped(
		lookups.filter(({ isFailed, addresses }) => !isFailed && addresses.length === 0),
		({ client }) => client,
	);
	const justBefore = (client: string, at: number) =>
		unreported.get(client)?.findLast((one) => one.at <= at && one.at >= at - LOOKED_UP_S)?.name;
	return (client, address, at) => traced.get(`${client} ${address}`) ?? traced.get(address) ?? justBefore(client, at) ?? '';
}

/**
 * What the wire says of a system as a whole: which services were asked, by which protocol, by whom, and which of that a request of users
 * needed. Pure.
 *
 * An edge is needed where its calls begin while its caller itself is being asked on the way from the entry, far more often than while it
 * is not: heartbeats, scrapes and health checks go on at the same rate whether or not anybody asks.
 */
type ConnectionRecord = WireRecord['connections'][number];

export type Span = { from: number; to: number };

/** call: of a protocol that is read */
export type Question = Span & { call?: WireCall };

/** by services; `host` is the machine itself */
export type ObservedEdge = {
	from: string;
	to: string;
	/** of most connections; `unknown`, or empty where nothing was said */
	protocol: string;
	/** that were asked for */
	connections: number;
	/** questions; where the protocol is not read, connections on which something was said */
	calls: number;
	/** of them, those that began while a request on the way from the entry was in their caller */
	within: number;
	/** heartbeats, and what sets connections up */
	beside: number;
	/** by requests of users */
	needed: boolean;
};

/** who was asked, and is none of the stack */
type Outside = {
	from: string;
	address: string;
	/** that was looked up for it; empty where the wire does not have it */
	name: string;
	port: number;
	protocol: string;
	connections: number;
	calls: number;
};

export type ObservedService = {
	service: string;
	replicas: number;
	/** in which most of its callers ask it; empty where nobody does */
	protocol: string;
	/** way: requests of users pass it. worker: nobody asks it, and it asks others. beside: it is asked, and by none that requests pass. alone: neither */
	place: 'way' | 'worker' | 'beside' | 'alone';
	/** it asks another service just what it is asked, and gives its answers */
	passes_on: boolean;
};

export type Observed = {
	services: ObservedService[];
	/** the busiest first; the first of requests, from the generator or the machine to an entry, is not among them */
	edges: ObservedEdge[];
	outside: Outside[];
	/** requests that the entries got */
	asked: number;
	/** nothing of it is missing, as far as the capture can tell: what was not seen was not there */
	isComplete: boolean;
};

/** Whose calls say nothing of what a request needs. */
const ASKING = new Set(['call', 'wait', 'send']);
/** Of the connections to one address, for its name. */
const LOOKED_AT_MOST = 10;

export function observedOf(
	wire: WireRecord,
	{
		entries,
		generator,
		until = Number.POSITIVE_INFINITY,
	}: {
		/** services that users ask */
		entries: string[];
		/** service that asks in their place */
		generator: string;
		/** seconds since 1970; what began later does not count */
		until?: number;
	},
): Observed {
	const isUser = (service: string) => service === HOST || service === generator;
	const traced = gather(wire, until);
	const { spans, asked, protocols } = spansOfUsers(traced, isUser, entries);
	const inside = traced.filter(({ from, to }) => from && to && !isUser(from.service) && !isUser(to.service) && from.service !== to.service);
	const { edges, reached } = needOf(inside, spans, lifeOf(wire, until));
	const services = servicesOf(wire, isUser);
	const passing = passersOf(traced);
	return {
		services: services.map((service) => ({
			...placed(service, { edges, reached, protocols }),
			passes_on: passing.has(service.service),
		})),
		edges: edges.toSorted((one, other) => other.calls - one.calls || other.connections - one.connections),
		outside: outsideOf(wire, traced, isUser),
		asked,
		isComplete: isComplete(wire),
	};
}

/** a connection, and the questions on it */
export type TracedConnection = {
	connection: ConnectionRecord;
	/** null: none of the stack */
	from: Tenure | null;
	to: Tenure | null;
	calls: Question[];
	beside: number;
};

function gather({ services, connections, calls }: WireRecord, until: number): TracedConnection[] {
	const at = lookUp(services);
	const byId: Map<number, TracedConnection> = new Map();
	for (const connection of connections) {
		// Names are beside the way of every request, and looked up by Docker's making.
		if (connection.opened_at > until || connection.protocol === NAMES) continue;
		const { id, client, server, opened_at: opened } = connection;
		byId.set(id, { connection, from: at(client, opened), to: at(server, opened), calls: [], beside: 0 });
	}
	for (const call of calls) {
		const { connection, began_at: from, ended_at: ended, role = 'call' } = call;
		const traced = byId.get(connection);
		if (traced === undefined || from > until) continue;
		if (ASKING.has(role)) traced.calls.push({ from, to: ended ?? from, call });
		else traced.beside += 1;
	}
	// Of what is not read, such as TLS, it is known when something was said.
	for (const { connection, calls: own, beside } of byId.values())
		if (own.length + beside === 0 && connection.asked_at !== null && connection.protocol !== '')
			own.push({ from: connection.asked_at, to: connection.last_at ?? connection.asked_at });
	return [...byId.values()];
}

/** While requests of users were in the entries' containers. */
function spansOfUsers(traced: TracedConnection[], isUser: (service: string) => boolean, entries: string[]) {
	const spans: Map<string, Span[]> = new Map();
	let asked = 0;
	const protocols = new Map(entries.map((entry) => [entry, '']));
	for (const { connection, from, to, calls } of traced) {
		if (from === null || to === null || !protocols.has(to.service) || !isUser(from.service)) continue;
		const own = spans.get(to.name) ?? [];
		for (const call of calls) own.push(call);
		spans.set(to.name, own);
		asked += calls.length;
		protocols.set(to.service, protocols.get(to.service) || connection.protocol);
	}
	return { spans: new Map([...spans].map(([name, own]) => [name, unionOf(own)])), asked, protocols };
}

/** From the first to the last that was seen. */
function lifeOf({ connections, services }: WireRecord, until: number): Span {
	const began = Math.min(
		...services.map(({ from }) => from),
		...firstOf(
			connections.map(({ opened_at: at }) => at),
			Math.min,
		),
	);
	const ended = firstOf(
		connections.flatMap(({ last_at: last, ended_at: end, opened_at: at }) => [last ?? at, end ?? at]),
		Math.max,
	);
	return { from: began, to: Math.min(until, ...ended) };
}

/**
 * Over more than a call takes arguments.
 * @returns one, or none of none
 */
const firstOf = (values: number[], better: (one: number, other: number) => number): number[] =>
	values.length === 0 ? [] : [values.reduce((one, other) => better(one, other))];

function servicesOf({ services }: WireRecord, isUser: (service: string) => boolean): { service: string; replicas: number }[] {
	const names: Map<string, Set<string>> = new Map();
	for (const { service, name } of services)
		if (service !== '' && !isUser(service)) names.set(service, (names.get(service) ?? new Set()).add(name));
	return [...names].map(([service, own]) => ({ service, replicas: own.size }));
}

/** @param about protocols: of entries */
function placed(
	{ service, replicas }: { service: string; replicas: number },
	{ edges, reached, protocols }: { edges: ObservedEdge[]; reached: Set<string>; protocols: Map<string, string> },
): Omit<ObservedService, 'passes_on'> {
	const asking = edges.filter(({ to, calls, beside }) => to === service && calls + beside > 0);
	const [busiest] = asking.filter(({ protocol }) => protocol !== '').toSorted((one, other) => other.calls - one.calls);
	const asks = edges.some(({ from, connections, calls }) => from === service && connections + calls > 0);
	const apart = asking.length > 0 ? 'beside' : asks ? 'worker' : 'alone';
	const protocol = protocols.get(service) ?? busiest?.protocol ?? '';
	return { service, replicas, protocol, place: protocols.has(service) || reached.has(service) ? 'way' : apart };
}

function outsideOf(wire: WireRecord, traced: TracedConnection[], isUser: (service: string) => boolean): Outside[] {
	const nameOf = namesLookedUp(lookupsIn(wire));
	const all: Map<string, Outside> = new Map();
	for (const { connection, from, to, calls: own } of traced) {
		const { client, server: address, server_port: port, protocol, opened_at: at } = connection;
		if (from === null || isUser(from.service) || (to !== null && to.service !== HOST)) continue;
		const key = `${from.service} ${address} ${port}`;
		const known = all.get(key) ?? { from: from.service, address, name: '', port, protocol, connections: 0, calls: 0 };
		known.connections += 1;
		known.calls += own.length;
		known.protocol ||= protocol;
		if (known.name === '' && known.connections <= LOOKED_AT_MOST) known.name = nameOf(client, address, at);
		all.set(key, known);
	}
	return [...all.values()].toSorted((one, other) => other.connections - one.connections);
}

const isComplete = ({ networks }: WireRecord) =>
	networks.length > 0 &&
	networks.every(
		({ unseen, ended_early: early, dropped, counters }) =>
			unseen === '' && early === '' && dropped === 0 && counters !== null && !counters.broken && !counters.is_cut,
	);
