/** What each request of the load asked for, from the generator down. */

import { GENERATOR_NAME } from '../../base/paths.ts';
import { grouped } from '../../base/values.ts';
import type { Wire, WireHop, WireUrl, WireWaterfall } from '../../record/types.js';
import { quantilesOf, rounded } from '../../stats/numbers.ts';
import { newCall } from '../../wire/calls.ts';
import type { WireCall } from '../../wire/record.ts';
import type { Joins } from '../joins/join-calls.ts';
import { Children } from '../joins/join-calls.ts';
import type { Joined, Line } from '../joins/joined.ts';
import { turnedAwayBy } from '../joins/joined.ts';
import { BY_ID, BY_ORDER, isBadAnswer } from '../joins/rules.ts';
import { Flags, isTurnedAway, Numbering, those } from '../joins/spans.ts';
import type { Raw } from '../read-raw.ts';
import type { Window } from '../time/window.ts';
import { timeoutsOf } from '../wire-timeouts.ts';

/** indices are those of the calls that are joined, and beyond them */
export type Trees = {
	/** those for which no connection began are beyond the joined */
	calls: WireCall[];
	/** of the load, in the order of their beginnings */
	requests: number[];
	isFailed: (request: number) => boolean;
	/** the request itself and all that was asked for it, as it began, each under what asked for it */
	eachBelow: (call: number, visit: (call: number, depth: number) => void) => void;
	/** the same as a list */
	below: (call: number) => Node[];
	/** what was asked for each */
	children: Children;
	/** the same one of all calls of an edge */
	edgeOf: (call: number) => { from: string; to: string; protocol: string };
	endOf: (call: number) => WireHop['end'];
	/** null where its end was not seen */
	took_ms: (call: number) => number | null;
	joins: Joins;
};

type Node = { call: number; depth: number };

/**
 * Requests that failed while their service looked for another on the network and nobody had its address: no connection begins then, and ARP
 * alone is seen. All that wait for one address look for it together, so that each is joined by its time.
 *
 */

/** A kernel gives up a second after its last question (arp(7): retrans_time), and a program tells it a moment later. */
const GIVES_UP_S = 1.2;
/** Of a call that is on no connection. */
const NO_CONNECTION = -1;

type FailedLookup = { parent: number; call: WireCall; from: string; to: string };

/** a call, and who served it */
type Failed = { index: number; at: string };

/** @param failed calls that were not answered well, by whom they asked, and for which no call behind is known that was not */
function failedLookupsOf({ wire, calls, nameAt }: Joined, failed: () => Failed[]): FailedLookup[] {
	const rows = wire.networks.flatMap(({ hosts }) =>
		hosts.flatMap(({ source, target, in_vain: failedLookups = [] }) =>
			failedLookups.map(([from, to]) => ({ from, to, asker: nameAt(source, from), asked: nameAt(target, from) })),
		),
	);
	if (rows.length === 0) return [];
	return failed().flatMap(({ index, at }) => {
		const { began_at: began, ended_at: ended } = calls[index];
		if (ended === null) return [];
		const row = rows.find(({ from, to, asker }) => asker === at && began <= to && ended >= from && ended <= to + GIVES_UP_S);
		if (row === undefined) return [];
		const call = { ...newCall(Math.max(began, row.from)), role: 'connect' as const, verb: 'CONNECT', bad: true };
		return [{ parent: index, call: { ...call, ended_at: ended, connection: NO_CONNECTION }, from: at, to: row.asked }];
	});
}

const NOBODY = { from: '', to: '', protocol: '' };
/** Services one behind another. */
export const DEPTH_MOST = 32;
const MILLI = 1000;

/** @param failedIds of requests that failed by the generator's own record; null where it has none */
function treesOf(joined: Joined, window: { from: number; to: number }, failedIds: Set<string> | null): Trees {
	const { lineOf, lineAt, began, order } = joined;
	const failedLookups = failedLookupsOf(joined, () =>
		failedAlone(joined.calls, joined.joins.parent).map((index) => ({ index, at: lineOf(index)?.to ?? '' })),
	);
	const calls = failedLookups.length === 0 ? joined.calls : [...joined.calls, ...failedLookups.map(({ call }) => call)];
	const joins = withFailedLookups(joined.joins, failedLookups);
	const edges = edgesOn(joined.lines);
	const edgeOf = (call: number) => {
		if (call < joined.calls.length) return lineAt[call] < 0 ? NOBODY : edges[lineAt[call]];
		const { from, to } = failedLookups[call - joined.calls.length];
		return { from, to, protocol: '' };
	};
	const isRequest = (call: number) => {
		if (began[call] < window.from || began[call] > window.to || lineOf(call)?.from !== GENERATOR_NAME) return false;
		const { role = 'call' } = calls[call];
		return role === 'call' || role === 'wait';
	};
	const byBeginning = (one: number, other: number) => calls[one].began_at - calls[other].began_at || one - other;
	const children =
		failedLookups.length === 0 ? joined.children : new Children(joins.parent, Int32Array.from(calls.keys()).sort(byBeginning));
	const endOf = (call: number) => {
		if (call >= joined.calls.length) return 'no-host';
		const line = lineOf(call);
		return (isTurnedAway(calls[call]) && line && turnedAwayBy(line.connection)) || calls[call].end;
	};
	const requests = Array.from(those(order, isRequest));
	const failed = new Flags(calls.length);
	for (const request of requests) if (isFailed(calls[request], failedIds)) failed.add(request);
	return {
		...{ calls, edgeOf, endOf, joins, requests, children },
		isFailed: (request) => failed.has(request),
		eachBelow: (call, visit) => walk(call, children, visit),
		below(call) {
			const nodes: Node[] = [];
			walk(call, children, (one, depth) => nodes.push({ call: one, depth }));
			return nodes;
		},
		took_ms: (call) => {
			const { began_at: began, ended_at: ended } = calls[call];
			return ended === null ? null : Math.max(0, ended - began) * MILLI;
		},
	};
}

/** Of each line; those of one edge have the same. */
function edgesOn(lines: Line[]): ReturnType<Trees['edgeOf']>[] {
	const edges: ReturnType<Trees['edgeOf']>[] = [];
	const [pairs, numbers] = [new Numbering(), new Numbering()];
	return lines.map(({ from, to, connection: { protocol } }) => {
		const number = numbers.of(pairs.of(from, to), protocol);
		edges[number] ??= { from, to, protocol };
		return edges[number];
	});
}

/** Calls that were not answered well by whom they asked, and none that was made for them was not. */
function failedAlone(calls: WireCall[], parent: Int32Array) {
	const isBad = ({ end, by, bad }: WireCall) => (end === 'answered' ? bad : by === 'server');
	const reported = new Set(parent.filter((_, index) => isBad(calls[index]) || calls[index].end === 'given-up'));
	return [...calls.keys()].filter((index) => !reported.has(index) && (calls[index].role ?? 'call') === 'call' && isBad(calls[index]));
}

function withFailedLookups(joins: Joins, failedLookups: FailedLookup[]): Joins {
	const { parent, basis, ambiguous } = joins;
	if (failedLookups.length === 0) return joins;
	return {
		...joins,
		parent: Int32Array.from([...parent, ...failedLookups.map((one) => one.parent)]),
		basis: Uint8Array.from([...basis, ...failedLookups.map(() => BY_ORDER)]),
		ambiguous: Uint8Array.from([...ambiguous, ...failedLookups.map(() => 1)]),
	};
}

const isFailed = (call: WireCall, failedIds: Set<string> | null) => call.end !== 'answered' || isBadAnswer(call, failedIds);

function walk(root: number, children: Children, visit: (call: number, depth: number) => void) {
	const go = (call: number, depth: number) => {
		visit(call, depth);
		if (depth >= DEPTH_MOST) return;
		// Two services that ask each other might make a ring of one id; each has one parent, so that it leads back to where it began.
		for (let place = 0; place < children.countOf(call); place += 1)
			if (children.at(call, place) !== root) go(children.at(call, place), depth + 1);
	};
	go(root, 0);
}

/**
 * The requests of the load by what they asked for: how many, how they went, what each asked behind the entry.
 *
 */

/** More than a reader takes in; the rest is one row. */
const URLS_MOST = 30;
const EDGES_MOST = 20;
/** Of all that are not named. */
const REST = -1;

type EdgeSums = { from: string; to: string; depth: number; calls: number; calm: number; time_ms: number; ambiguous: number };

/** edges: by their numbers */
type Sums = { verb: string; template: string; count: number; calm: number; failed: number; times: number[]; edges: Map<number, EdgeSums> };

/** @returns the most frequent first */
function urlsOf(trees: Trees): WireUrl[] {
	const { calls, requests, isFailed } = trees;
	const failing = new Set(requests.filter(isFailed).map((request) => secondOf(calls[request])));
	const kinds = new Numbering();
	const kindOf = (request: number) => kinds.of(calls[request].verb, calls[request].template);
	const kindsOf = requests.map(kindOf);
	const counts: Map<number, number> = new Map();
	for (const kind of kindsOf) counts.set(kind, (counts.get(kind) ?? 0) + 1);
	const named = new Set(
		[...counts]
			.toSorted(([, one], [, other]) => other - one)
			.slice(0, URLS_MOST)
			.map(([kind]) => kind),
	);
	const urls: Map<number, Sums> = new Map();
	const numbers = new Numbering();
	for (const [index, request] of requests.entries()) {
		const kind = named.has(kindsOf[index]) ? kindsOf[index] : REST;
		const { verb, template } = kind === REST ? { verb: '', template: '' } : calls[request];
		const sums = urls.get(kind) ?? { verb, template, count: 0, calm: 0, failed: 0, times: [], edges: new Map() };
		urls.set(kind, sums);
		add(sums, trees, request, { isCalm: !failing.has(secondOf(calls[request])), numbers });
	}
	return [...urls.values()].map((sums) => urlOf(sums, failing.size > 0)).toSorted(byVolume);
}

const byVolume = (one: WireUrl, other: WireUrl) => Number(one.verb === '') - Number(other.verb === '') || other.count - one.count;

const secondOf = ({ began_at: at }: WireCall) => Math.floor(at);

/**
 * @param sums is changed
 * @param about numbers: of edges
 */
function add(
	sums: Sums,
	{ eachBelow, edgeOf, took_ms: took, isFailed, calls, joins }: Trees,
	request: number,
	{ isCalm, numbers }: { isCalm: boolean; numbers: Numbering },
) {
	sums.count += 1;
	sums.calm += isCalm ? 1 : 0;
	sums.failed += isFailed(request) ? 1 : 0;
	const whole = took(request);
	if (calls[request].end === 'answered' && whole !== null) sums.times.push(whole);
	eachBelow(request, (call, depth) => {
		if (depth === 0) return;
		const { from, to } = edgeOf(call);
		const number = numbers.of(from, to);
		let edge = sums.edges.get(number);
		if (edge === undefined) {
			edge = { from, to, depth, calls: 0, calm: 0, time_ms: 0, ambiguous: 0 };
			sums.edges.set(number, edge);
		}
		edge.calls += 1;
		edge.calm += isCalm ? 1 : 0;
		edge.time_ms += took(call) ?? 0;
		edge.ambiguous += joins.ambiguous[call];
	});
}

function urlOf({ verb, template, count, calm, failed, times, edges }: Sums, hasFailing: boolean): WireUrl {
	const [p50, p95] = quantilesOf(times, [0.5, 0.95]);
	return {
		...{ verb, template, count, failed },
		time_ms: { p50: rounded(p50, 3), p95: rounded(p95, 3) },
		edges: [...edges.values()]
			.toSorted((one, other) => other.calls - one.calls)
			.slice(0, EDGES_MOST)
			.toSorted((one, other) => one.depth - other.depth)
			.map((edge) => ({
				...{ from: edge.from, to: edge.to },
				calls_per_request: rounded(edge.calls / count, 3) ?? 0,
				calls_per_request_calm: hasFailing && calm > 0 ? rounded(edge.calm / calm, 3) : null,
				time_ms_per_request: rounded(edge.time_ms / count, 3) ?? 0,
				ambiguous_share: rounded(edge.ambiguous / edge.calls, 4) ?? 0,
			})),
	};
}

/**
 * Single requests, hop by hop: the slowest of the good ones, and some of each way in which others were lost.
 *
 */

const SLOWEST = 5;
const LOST_OF_A_KIND = 5;
const KINDS_MOST = 8;
const ROWS_MOST = 40;
/** @returns the slowest first, then the lost by how often they were lost so */
function waterfallsOf(trees: Trees, { from }: { from: number }): WireWaterfall[] {
	const { calls, requests, isFailed, took_ms: took } = trees;
	const good = requests.filter((request) => !isFailed(request));
	const slowest = largest(good, SLOWEST, (request) => took(request) ?? 0);
	const kinds = grouped(requests.filter(isFailed), (request) => kindOf(calls[request]));
	const lost = [...kinds.values()].toSorted((one, other) => other.length - one.length).slice(0, KINDS_MOST);
	const draw = (why: 'slowest' | 'lost', request: number, ofKind: number) => waterfallOf(trees, request, { why, of_kind: ofKind, from });
	return [
		...slowest.map((request) => draw('slowest', request, good.length)),
		...lost.flatMap((group) => spread(group, LOST_OF_A_KIND).map((request) => draw('lost', request, group.length))),
	];
}

const kindOf = ({ end, by, status, code }: WireCall) => [end, by, status, code].join(' ');

/** The largest first; of those that are alike, the first. */
function largest(all: number[], most: number, sizeOf: (one: number) => number) {
	const found: number[] = [];
	for (const one of all) {
		const size = sizeOf(one);
		let at = found.length;
		while (at > 0 && sizeOf(found[at - 1]) < size) at -= 1;
		if (at < most) found.splice(at, 0, one);
		if (found.length > most) found.pop();
	}
	return found;
}

/** So many, from the first to the last. */
const spread = <Item>(items: Item[], most: number): Item[] =>
	items.length <= most ? items : Array.from({ length: most }, (_, index) => items[Math.round((index * (items.length - 1)) / (most - 1))]);

function waterfallOf(
	trees: Trees,
	request: number,
	{ why, of_kind, from }: { why: 'slowest' | 'lost'; of_kind: number; from: number },
): WireWaterfall {
	const { calls, below, took_ms: took } = trees;
	const nodes = below(request);
	const { id, began_at: began } = calls[request];
	return {
		...{ why, of_kind, id: id ?? null },
		at_s: rounded(began - from, 3) ?? 0,
		took_ms: rounded(took(request), 3),
		rows: nodes.slice(0, ROWS_MOST).map((node) => rowOf(trees, node, began)),
		more: Math.max(0, nodes.length - ROWS_MOST),
	};
}

function rowOf({ calls, edgeOf, endOf, took_ms: took, joins }: Trees, { call, depth }: Node, began: number): WireWaterfall['rows'][number] {
	const { verb, template, status, code, by, began_at: at } = calls[call];
	return {
		...edgeOf(call),
		...{ depth, verb, template, status, code, end: endOf(call), by },
		offset_ms: rounded((at - began) * MILLI, 3) ?? 0,
		took_ms: rounded(took(call), 3),
		joined: depth === 0 ? null : joins.basis[call] === BY_ID ? 'id' : 'order',
		ambiguous: joins.ambiguous[call] === 1,
	};
}

/**
 * What the wire tells of single requests: by what they asked for, hop by hop, how safely their hops were joined, and which of them ended by a
 * time-out.
 *
 */

/** @param joined the wire of that run */
export const wireTreesOf = ({ failures, program }: Pick<Raw, 'failures' | 'program'>, window: Window, joined: Joined) =>
	treesOf(joined, window, program ? null : new Set(failures.map(({ id }) => id)));

/** @param trees of it */
export const wireRequestsOf = (
	raw: Parameters<typeof wireTreesOf>[0],
	window: Window,
	joined: Joined,
	trees: Trees = wireTreesOf(raw, window, joined),
): Required<Pick<Wire, 'urls' | 'waterfalls' | 'joins'>> & ReturnType<typeof timeoutsOf> => ({
	...{ urls: urlsOf(trees), waterfalls: waterfallsOf(trees, window), joins: trees.joins.edges },
	...timeoutsOf(joined, trees, window),
});
