/**
 * What services asked of hosts that are none of the stack: of others' machines, and of this one itself. Names are those that the answer to a
 * lookup gave the address; a name that was not found has a row too, for whoever asked it could not go on.
 */

import { GENERATOR_NAME } from '../base/paths.ts';
import { grouped } from '../base/values.ts';
import type { Flow, WireOutside } from '../record/types.js';
import { quantilesOf, rounded, sum } from '../stats/numbers.ts';
import type { ConnectionRecord } from '../wire/connection.ts';
import { ADDRESSES_MOST } from '../wire/contract.ts';
import type { WireCall } from '../wire/record.ts';
import type { Lookup } from '../wire/tenancy.ts';
import { HOST, NAMES } from '../wire/tenancy.ts';
import { unreadBytes } from '../wire/turns.ts';
import type { Lined } from './joins/joined.ts';

type Gathered = {
	from: string;
	name: string;
	addresses: Set<string>;
	port: number;
	protocol: string;
	connections: number;
	unopened: number;
	calls: number;
	failed: number;
	callTimes: number[];
	openTimes: number[];
	isHidden: boolean;
};

type LookedUp = { lookups: number; failed: number };

/** What a host is asked for. */
const ASKING = new Set(['call', 'wait', 'send']);
/** More than a reader takes in. */
const ROWS_MOST = 100;
const UNANSWERED_MOST = 20;
const MILLI = 1000;

/**
 * @param window of the load: what began in it counts
 * @returns by container, the busiest first
 */
export function outsideOf({ wire, tenantAt, lookups, nameLookedUp }: Lined, window: { from: number; to: number }): WireOutside[] {
	const isIn = (at: number) => at >= window.from && at <= window.to;
	const askerAt = (address: string, at: number) => {
		const tenant = tenantAt(address, at);
		return tenant === null || tenant.service === HOST || tenant.name === GENERATOR_NAME ? null : tenant.name;
	};
	const isOutside = ({ server, opened_at: at }: ConnectionRecord) => (tenantAt(server, at)?.service ?? HOST) === HOST;
	const rows: Map<string, Gathered> = new Map();
	const byConnection: Map<number, Gathered> = new Map();
	for (const connection of wire.connections) {
		const from = askerAt(connection.client, connection.opened_at);
		if (from === null || connection.protocol === NAMES || connection.transport === 'udp' || !isOutside(connection)) continue;
		const isHost = tenantAt(connection.server, connection.opened_at) !== null;
		// A name is kept for long by whoever looked it up: before the load too.
		const name = isHost ? HOST : nameLookedUp(connection.client, connection.server, connection.opened_at);
		const row = rowOf(rows, from, connection, name);
		byConnection.set(connection.id, row);
		const isUsed = connection.opened_at <= window.to && (connection.last_at ?? connection.opened_at) >= window.from;
		if (isUsed) countConnection(row, connection);
	}
	// Most stacks ask nobody outside.
	for (const call of byConnection.size === 0 ? [] : wire.calls)
		if (isIn(call.began_at) && ASKING.has(call.role ?? 'call')) countCall(byConnection.get(call.connection), call);
	const asked = lookedUpBy(
		lookups.filter(({ at }) => isIn(at)),
		askerAt,
	);
	const reported = [...rows.values()].filter(({ connections }) => connections > 0).map((row) => reportedOf(row, asked.get(keyOf(row))));
	return [...reported.toSorted(byVolume).slice(0, ROWS_MOST), ...unansweredRows(asked, reported)];
}

function rowOf(rows: Map<string, Gathered>, from: string, { server, server_port: port, protocol }: ConnectionRecord, name: string) {
	const key = JSON.stringify([from, name || server, port]);
	const row = rows.get(key) ?? {
		...{ from, name, port, protocol, addresses: new Set(), connections: 0, unopened: 0, calls: 0, failed: 0 },
		...{ callTimes: [], openTimes: [], isHidden: false },
	};
	rows.set(key, row);
	row.addresses.add(server);
	row.protocol ||= protocol;
	return row;
}

function countConnection(row: Gathered, connection: ConnectionRecord) {
	const { opened_at: opened, accepted_at: accepted, last_at: last, outcome, midway } = connection;
	row.connections += 1;
	if (unreadBytes(connection) > 0) row.isHidden = true;
	if (midway) return;
	if (outcome === 'refused' || outcome === 'unanswered' || accepted === null) row.unopened += 1;
	if (last !== null) row.openTimes.push((last - opened) * MILLI);
}

function countCall(row: Gathered | undefined, { began_at: began, ended_at: ended, end, bad }: WireCall) {
	if (row === undefined) return;
	row.calls += 1;
	if (bad || (end !== 'answered' && end !== 'open')) row.failed += 1;
	if (end === 'answered' && ended !== null) row.callTimes.push((ended - began) * MILLI);
}

const keyOf = ({ from, name }: { from: string; name: string }) => JSON.stringify([from, name]);

function lookedUpBy(
	lookups: Lookup[],
	askerAt: (client: string, at: number) => string | null,
): Map<string, LookedUp & { from: string; name: string }> {
	const asked: Map<string, LookedUp & { from: string; name: string }> = new Map();
	for (const { client, at, name, isFailed } of lookups) {
		const from = askerAt(client, at);
		if (from === null) continue;
		const known = asked.get(keyOf({ from, name })) ?? { from, name, lookups: 0, failed: 0 };
		asked.set(keyOf({ from, name }), known);
		known.lookups += 1;
		known.failed += isFailed ? 1 : 0;
	}
	return asked;
}

function reportedOf(
	{ from, name, addresses, port, protocol, connections, unopened, calls, failed, callTimes, openTimes, isHidden }: Gathered,
	asked: LookedUp | undefined,
): WireOutside {
	return {
		...{ from, name, addresses: [...addresses].slice(0, ADDRESSES_MOST), port, protocol, connections, unopened },
		...{ calls: calls > 0 || !isHidden ? calls : null, failed, time_ms: timesOf(callTimes), open_ms: timesOf(openTimes) },
		...{ lookups: asked?.lookups ?? 0, lookups_failed: asked?.failed ?? 0 },
	};
}

export function timesOf(times: number[]): WireOutside['time_ms'] {
	const [p50, p95] = quantilesOf(times, [0.5, 0.95]);
	return { p50: rounded(p50, 3), p95: rounded(p95, 3) };
}

/** Names that were never found. A resolver tries a name with what its domain ends in too, which is none of the program's. */
function unansweredRows(asked: Map<string, LookedUp & { from: string; name: string }>, reported: WireOutside[]): WireOutside[] {
	const all = [...asked.values()];
	const isSuffixed = ({ from, name }: { from: string; name: string }) =>
		all.some((other) => other.from === from && name.startsWith(`${other.name}.`));
	const none = { p50: null, p95: null };
	return all
		.filter(
			(one) => one.failed === one.lookups && !isSuffixed(one) && !reported.some(({ from, name }) => from === one.from && name === one.name),
		)
		.toSorted((one, other) => other.lookups - one.lookups)
		.slice(0, UNANSWERED_MOST)
		.map(({ from, name, lookups, failed }) => ({
			...{ from, name, addresses: [], port: null, protocol: '', connections: 0, unopened: 0, calls: 0, failed: 0 },
			...{ time_ms: none, open_ms: none, lookups, lookups_failed: failed },
		}));
}

const byVolume = (one: WireOutside, other: WireOutside) => (other.calls ?? 0) + other.connections - (one.calls ?? 0) - one.connections;

/** A picture has room for a few; the table of the wire has all. */
const HOSTS_MOST = 3;

/**
 * Those that drawn services asked, in the picture of the run: the busiest of them; the others as one.
 * @param drawn services
 */
export function outsideIn(outside: WireOutside[], drawn: string[]): Pick<Flow, 'nodes' | 'edges'> {
	const wanted = outside.filter(({ connections, from }) => connections > 0 && drawn.includes(from));
	const hosts = [...grouped(wanted, labelOf)];
	const [first, rest] = [hosts.slice(0, HOSTS_MOST), hosts.slice(HOSTS_MOST)];
	const shown: [string, WireOutside[]][] =
		rest.length > 0 ? [...first, [`${rest.length} other hosts`, rest.flatMap(([, rows]) => rows)]] : first;
	return {
		nodes: shown.map(([label, rows]) => nodeOf(label, rows)),
		edges: shown.flatMap(([label, rows]) =>
			[...new Set(rows.map(({ from }) => from))].map((from) =>
				edgeOf(
					from,
					label,
					rows.filter((row) => row.from === from),
				),
			),
		),
	};
}

const labelOf = ({ name, addresses }: WireOutside) => (name === HOST ? 'this machine' : name || addresses[0]);

/** Apart from services, which may have any name. */
const idOf = (label: string) => `outside: ${label}`;

/** @returns null where some of it is not read */
const callsOf = (rows: WireOutside[]): number | null =>
	rows.some(({ calls }) => calls === null) ? null : sum(rows.map(({ calls }) => calls ?? 0));

function nodeOf(label: string, rows: WireOutside[]): Flow['nodes'][number] {
	const calls = callsOf(rows);
	const [failed, unopened] = [sum(rows.map((row) => row.failed)), sum(rows.map((row) => row.unopened))];
	return {
		...{ id: idOf(label), label, tier: 'outside', received: calls },
		...{ answered_ok: calls === null ? null : calls - failed, answered_error: calls === null ? null : failed },
		note: unopened > 0 ? `${unopened.toLocaleString('en-US')} not connected` : '',
	};
}

function edgeOf(from: string, label: string, rows: WireOutside[]): Flow['edges'][number] {
	const ends = { from, to: idOf(label), share: null };
	const calls = callsOf(rows);
	return calls === null
		? { ...ends, requests: null, connections: sum(rows.map(({ connections }) => connections)) }
		: { ...ends, requests: calls, source: 'wire' };
}
