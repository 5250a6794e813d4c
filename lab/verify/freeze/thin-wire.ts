/** The record of the wire without the requests that are left out: whole trees of calls go, and connections on which nothing is left. */

import { GENERATOR_NAME } from '../../base/paths.ts';
import { some } from '../../diagnose/joins/grouped.ts';
import { type Joined, joinedOf } from '../../diagnose/joins/joined.ts';
import { type Trees, wireTreesOf } from '../../diagnose/wire-requests/trees.ts';
import type { WireRecord } from '../../wire/record.ts';
import { WIRE } from './files.ts';
import type { Whole } from './thin.ts';

/** A request that could not connect carries no id, and is found by its time: of those that may be it, so many before it and after it. */
const NEAREST = 2;

/**
 * @param of share: of the requests that are kept
 * @returns the lines of the record that are left
 */
export function thinWire(
	{ files, raw, window }: Whole,
	{ kept, isDropped, share }: { kept: Set<string>; isDropped: (id: string) => boolean; share: number },
): string {
	const wire = raw.wire as WireRecord;
	const joined = joinedOf(wire);
	const trees = wireTreesOf(raw, window, joined);
	const named = new Set(wire.calls.flatMap(({ id }) => id ?? []));
	const moments = raw.failures.filter(({ id }) => kept.has(id) && !named.has(id)).flatMap(({ t, waited_s: waited }) => [t - waited, t]);
	const ofGenerator = [...trees.calls.keys()].filter((call) => joined.lineOf(call)?.from === GENERATOR_NAME);
	const nameless = ofGenerator.filter((call) => trees.calls[call].id === undefined);
	const near = nearest(nameless, (call) => [trees.calls[call].began_at, joined.over[call] ?? Number.NaN], moments);
	const own = new Set(nameless);
	const isGone = (call: number) => {
		const { id } = trees.calls[call];
		return id === undefined ? own.has(call) && !near.has(call) : isDropped(id);
	};
	const gone: Set<number> = new Set();
	// Those of the warm-up too, which are no requests of the load, and what services sent on with an id.
	for (const call of trees.calls.keys()) if (!gone.has(call) && isGone(call)) trees.eachBelow(call, (below) => gone.add(below));
	for (const call of unrequested(trees, joined, share)) gone.add(call);
	/** Calls of each connection that are left; none of one that carried some. */
	const left: Map<number, number> = new Map();
	for (const [call, { connection }] of trees.calls.entries()) left.set(connection, (left.get(connection) ?? 0) + (gone.has(call) ? 0 : 1));
	const reported = wire.calls.reduce(
		(less, { connection }, call) => (gone.has(call) ? less.set(connection, (less.get(connection) ?? 0) + 1) : less),
		new Map(),
	);
	const empty = new Set(unusedGone(joined, { isUsed: (id) => left.has(id), moments, share }));
	return linesLeft(files[WIRE], {
		isCall: (number) => !gone.has(number),
		isConnection: (id) => left.get(id) !== 0 && !empty.has(id),
		less: (id) => reported.get(id) ?? 0,
	});
}

/**
 * Of calls that no request of the load asked for, such as those of another client, as small a share goes on: of each edge and question some.
 * @returns those that go
 */
function unrequested(trees: Trees, { order, lineOf, question, joins: { parent } }: Joined, share: number): number[] {
	const below: Set<number> = new Set();
	const roots: Map<string, number[]> = new Map();
	for (const request of trees.requests) trees.eachBelow(request, (call) => below.add(call));
	for (const call of order) {
		const line = lineOf(call);
		if (below.has(call) || parent[call] >= 0 || !line || line.from === GENERATOR_NAME) continue;
		const kind = `${line.from} ${line.to} ${question[call]}`;
		const calls = roots.get(kind) ?? [];
		roots.set(kind, calls);
		calls.push(call);
	}
	const gone: number[] = [];
	for (const calls of roots.values()) {
		const left = new Set(some(calls, fewOf(calls.length, share)));
		for (const root of calls) if (!left.has(root)) trees.eachBelow(root, (call) => gone.push(call));
	}
	return gone;
}
/**
 * @param timesOf seconds since 1970
 * @returns those that are next to any of the moments
 */
function nearest<T>(all: T[], timesOf: (one: T) => number[], moments: number[]): Set<T> {
	const found: Set<T> = new Set();
	const timed = all.flatMap((one) => timesOf(one).flatMap((t) => (Number.isFinite(t) ? [{ one, t }] : []))).sort((a, b) => a.t - b.t);
	for (const moment of moments) {
		const after = timed.findIndex(({ t }) => t >= moment);
		const at = after < 0 ? timed.length : after;
		for (const { one } of timed.slice(Math.max(0, at - NEAREST), at + NEAREST)) found.add(one);
	}
	return found;
}

/**
 * Connections on which nothing was ever asked: those that began or ended next to a failure that is kept stay, and of each edge some.
 * @returns ids of those that go
 */
function unusedGone(
	{ lines }: Joined,
	{ isUsed, moments, share }: { isUsed: (id: number) => boolean; moments: number[]; share: number },
): number[] {
	const edges: Map<string, number[]> = new Map();
	const unused = lines.filter(({ connection }) => !isUsed(connection.id));
	const near = nearest(unused, ({ connection }) => [connection.opened_at, connection.ended_at ?? Number.NaN], moments);
	for (const line of unused) {
		if (near.has(line)) continue;
		const { connection, from, to } = line;
		const { id, outcome } = connection;
		const edge = `${from} ${to} ${outcome}`;
		const ids = edges.get(edge) ?? [];
		edges.set(edge, ids);
		ids.push(id);
	}
	return [...edges.values()].flatMap((ids) => {
		const left = new Set(some(ids, fewOf(ids.length, share)));
		return ids.filter((id) => !left.has(id));
	});
}
/** Of each kind. */
const [FEW_LEAST, FEW_MOST] = [40, 200];

const fewOf = (all: number, share: number) => Math.min(FEW_MOST, Math.max(FEW_LEAST, Math.ceil(all * share)));

/** Of a connection's row (lab/wire/rows.ts): its id, and how many calls it carried. */
const [ID_AT, CALLS_AT] = [1, 21];

/**
 * @param is less: calls that
 * went, of a connection
 */
function linesLeft(
	text: string,
	{
		isCall,
		isConnection,
		less,
	}: { isCall: (number: number) => boolean; isConnection: (id: number) => boolean; less: (id: number) => number },
): string {
	let calls = 0;
	return text
		.split('\n')
		.flatMap((line) => {
			if (line.startsWith('["call",')) return isCall(calls++) ? [line] : [];
			if (!line.startsWith('["connection",')) return [line];
			const row = JSON.parse(line);
			if (!isConnection(row[ID_AT])) return [];
			row[CALLS_AT] = Math.max(0, row[CALLS_AT] - less(row[ID_AT]));
			return [JSON.stringify(row)];
		})
		.join('\n');
}
