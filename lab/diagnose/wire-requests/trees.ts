/**
 * What each request of the load asked for, from the generator down.
 *
 *
 * @typedef {object} Trees       indices are those of the calls that are joined, and beyond them
 * @property {WireCall[]} calls  those for which no connection began are beyond the joined
 * @property {number[]} requests   of the load, in the order of their beginnings
 * @property {(request: number) => boolean} isFailed
 * @property {(call: number, visit: (call: number, depth: number) => void) => void} eachBelow  the request itself and all that was asked for it, as
 *   it began, each under what asked for it
 * @property {(call: number) => Node[]} below  the same as a list
 * @property {Children} children  what was asked for each
 * @property {(call: number) => { from: string, to: string, protocol: string }} edgeOf  the same one of all calls of an edge
 * @property {(call: number) => WireHop['end']} endOf
 * @property {(call: number) => number | null} took_ms  null where its end was not seen
 * @property {Joins} joins
 *
 * @typedef {{ call: number, depth: number }} Node
 *
 * @import { Wire, WireHop, WireUrl, WireWaterfall } from '../../record/types.js'
 * @import { WireCall } from '../../wire/record.ts'
 * @import { Joins } from '../joins/join-calls.ts'
 * @import { Joined, Line } from '../joins/joined.ts'
 * @import { Raw } from '../read-raw.ts'
 * @import { Window } from '../time/window.ts'
 */

import { GENERATOR_NAME } from '../../base/paths.ts';
import { grouped } from '../../base/values.ts';
import { quantilesOf, rounded } from '../../stats/numbers.ts';
import { newCall } from '../../wire/calls.ts';
import { Children } from '../joins/join-calls.ts';
import { turnedAwayBy } from '../joins/joined.ts';
import { BY_ID, BY_ORDER, isBadAnswer } from '../joins/rules.ts';
import { Flags, isTurnedAway, Numbering, those } from '../joins/spans.ts';
import { timeoutsOf } from '../wire-timeouts.ts';

/**
 * Requests that failed while their service looked for another on the network and nobody had its address: no connection begins then, and ARP
 * alone is seen. All that wait for one address look for it together, so that each is joined by its time.
 *
 */

/** A kernel gives up a second after its last question (arp(7): retrans_time), and a program tells it a moment later. */
const GIVES_UP_S = 1.2;
/** Of a call that is on no connection. */
const NO_CONNECTION = -1;

/**
 * @typedef {{ parent: number, call: WireCall, from: string, to: string }} FailedLookup
 * @typedef {{ index: number, at: string }} Failed  a call, and who served it
 */

/**
 * @param {Joined} joined
 * @param {() => Failed[]} failed  calls that were not answered well, by whom they asked, and for which no call behind is known that was not
 * @returns {FailedLookup[]}
 */
function failedLookupsOf({ wire, calls, nameAt }, failed) {
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
		const call = { ...newCall(Math.max(began, row.from)), role: /** @type {const} */ ('connect'), verb: 'CONNECT', bad: true };
		return [{ parent: index, call: { ...call, ended_at: ended, connection: NO_CONNECTION }, from: at, to: row.asked }];
	});
}

const NOBODY = { from: '', to: '', protocol: '' };
/** Services one behind another. */
export const DEPTH_MOST = 32;
const MILLI = 1000;

/**
 * @param {Joined} joined
 * @param {{ from: number, to: number }} window
 * @param {Set<string> | null} failedIds  of requests that failed by the generator's own record; null where it has none
 * @returns {Trees}
 */
function treesOf(joined, window, failedIds) {
	const { lineOf, lineAt, began, order } = joined;
	const failedLookups = failedLookupsOf(joined, () =>
		failedAlone(joined.calls, joined.joins.parent).map((index) => ({ index, at: lineOf(index)?.to ?? '' })),
	);
	const calls = failedLookups.length === 0 ? joined.calls : [...joined.calls, ...failedLookups.map(({ call }) => call)];
	const joins = withFailedLookups(joined.joins, failedLookups);
	const edges = edgesOn(joined.lines);
	const edgeOf = (/** @type {number} */ call) => {
		if (call < joined.calls.length) return lineAt[call] < 0 ? NOBODY : edges[lineAt[call]];
		const { from, to } = failedLookups[call - joined.calls.length];
		return { from, to, protocol: '' };
	};
	const isRequest = (/** @type {number} */ call) => {
		if (began[call] < window.from || began[call] > window.to || lineOf(call)?.from !== GENERATOR_NAME) return false;
		const { role = 'call' } = calls[call];
		return role === 'call' || role === 'wait';
	};
	const byBeginning = (/** @type {number} */ one, /** @type {number} */ other) =>
		calls[one].began_at - calls[other].began_at || one - other;
	const children =
		failedLookups.length === 0 ? joined.children : new Children(joins.parent, Int32Array.from(calls.keys()).sort(byBeginning));
	const endOf = (/** @type {number} */ call) => {
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
			/** @type {Node[]} */
			const nodes = [];
			walk(call, children, (one, depth) => nodes.push({ call: one, depth }));
			return nodes;
		},
		took_ms: (call) => {
			const { began_at: began, ended_at: ended } = calls[call];
			return ended === null ? null : Math.max(0, ended - began) * MILLI;
		},
	};
}

/** Of each line; those of one edge have the same. @param {Line[]} lines @returns {ReturnType<Trees['edgeOf']>[]} */
function edgesOn(lines) {
	/** @type {ReturnType<Trees['edgeOf']>[]} */
	const edges = [];
	const [pairs, numbers] = [new Numbering(), new Numbering()];
	return lines.map(({ from, to, connection: { protocol } }) => {
		const number = numbers.of(pairs.of(from, to), protocol);
		edges[number] ??= { from, to, protocol };
		return edges[number];
	});
}

/** Calls that were not answered well by whom they asked, and none that was made for them was not. @param {WireCall[]} calls @param {Int32Array} parent */
function failedAlone(calls, parent) {
	const isBad = (/** @type {WireCall} */ { end, by, bad }) => (end === 'answered' ? bad : by === 'server');
	const reported = new Set(parent.filter((_, index) => isBad(calls[index]) || calls[index].end === 'given-up'));
	return [...calls.keys()].filter((index) => !reported.has(index) && (calls[index].role ?? 'call') === 'call' && isBad(calls[index]));
}

/** @param {Joins} joins @param {FailedLookup[]} failedLookups @returns {Joins} */
function withFailedLookups(joins, failedLookups) {
	const { parent, basis, ambiguous } = joins;
	if (failedLookups.length === 0) return joins;
	return {
		...joins,
		parent: Int32Array.from([...parent, ...failedLookups.map((one) => one.parent)]),
		basis: Uint8Array.from([...basis, ...failedLookups.map(() => BY_ORDER)]),
		ambiguous: Uint8Array.from([...ambiguous, ...failedLookups.map(() => 1)]),
	};
}

/** @param {WireCall} call @param {Set<string> | null} failedIds */
const isFailed = (call, failedIds) => call.end !== 'answered' || isBadAnswer(call, failedIds);

/** @param {number} root @param {Children} children @param {(call: number, depth: number) => void} visit */
function walk(root, children, visit) {
	const go = (/** @type {number} */ call, /** @type {number} */ depth) => {
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

/** @typedef {{ from: string, to: string, depth: number, calls: number, calm: number, time_ms: number, ambiguous: number }} EdgeSums */
/** @typedef {{ verb: string, template: string, count: number, calm: number, failed: number, times: number[], edges: Map<number, EdgeSums> }} Sums  edges: by their numbers */

/** @param {Trees} trees @returns {WireUrl[]} the most frequent first */
function urlsOf(trees) {
	const { calls, requests, isFailed } = trees;
	const failing = new Set(requests.filter(isFailed).map((request) => secondOf(calls[request])));
	const kinds = new Numbering();
	const kindOf = (/** @type {number} */ request) => kinds.of(calls[request].verb, calls[request].template);
	const kindsOf = requests.map(kindOf);
	/** @type {Map<number, number>} */
	const counts = new Map();
	for (const kind of kindsOf) counts.set(kind, (counts.get(kind) ?? 0) + 1);
	const named = new Set(
		[...counts]
			.toSorted(([, one], [, other]) => other - one)
			.slice(0, URLS_MOST)
			.map(([kind]) => kind),
	);
	/** @type {Map<number, Sums>} */
	const urls = new Map();
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

/** @param {WireUrl} one @param {WireUrl} other */
const byVolume = (one, other) => Number(one.verb === '') - Number(other.verb === '') || other.count - one.count;

/** @param {WireCall} call */
const secondOf = ({ began_at: at }) => Math.floor(at);

/** @param {Sums} sums  is changed @param {Trees} trees @param {number} request @param {{ isCalm: boolean, numbers: Numbering }} about  numbers: of edges */
function add(sums, { eachBelow, edgeOf, took_ms: took, isFailed, calls, joins }, request, { isCalm, numbers }) {
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

/** @param {Sums} sums @param {boolean} hasFailing @returns {WireUrl} */
function urlOf({ verb, template, count, calm, failed, times, edges }, hasFailing) {
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
/** @param {Trees} trees @param {{ from: number }} window @returns {WireWaterfall[]} the slowest first, then the lost by how often they were lost so */
function waterfallsOf(trees, { from }) {
	const { calls, requests, isFailed, took_ms: took } = trees;
	const good = requests.filter((request) => !isFailed(request));
	const slowest = largest(good, SLOWEST, (request) => took(request) ?? 0);
	const kinds = grouped(requests.filter(isFailed), (request) => kindOf(calls[request]));
	const lost = [...kinds.values()].toSorted((one, other) => other.length - one.length).slice(0, KINDS_MOST);
	const draw = (/** @type {'slowest' | 'lost'} */ why, /** @type {number} */ request, /** @type {number} */ ofKind) =>
		waterfallOf(trees, request, { why, of_kind: ofKind, from });
	return [
		...slowest.map((request) => draw('slowest', request, good.length)),
		...lost.flatMap((group) => spread(group, LOST_OF_A_KIND).map((request) => draw('lost', request, group.length))),
	];
}

/** @param {WireCall} call */
const kindOf = ({ end, by, status, code }) => [end, by, status, code].join(' ');

/** The largest first; of those that are alike, the first. @param {number[]} all @param {number} most @param {(one: number) => number} sizeOf */
function largest(all, most, sizeOf) {
	/** @type {number[]} */
	const found = [];
	for (const one of all) {
		const size = sizeOf(one);
		let at = found.length;
		while (at > 0 && sizeOf(found[at - 1]) < size) at -= 1;
		if (at < most) found.splice(at, 0, one);
		if (found.length > most) found.pop();
	}
	return found;
}

/** So many, from the first to the last. @template Item @param {Item[]} items @param {number} most @returns {Item[]} */
const spread = (items, most) =>
	items.length <= most ? items : Array.from({ length: most }, (_, index) => items[Math.round((index * (items.length - 1)) / (most - 1))]);

/** @param {Trees} trees @param {number} request @param {{ why: 'slowest' | 'lost', of_kind: number, from: number }} about @returns {WireWaterfall} */
function waterfallOf(trees, request, { why, of_kind, from }) {
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

/** @param {Trees} trees @param {Node} node @param {number} began @returns {WireWaterfall['rows'][number]} */
function rowOf({ calls, edgeOf, endOf, took_ms: took, joins }, { call, depth }, began) {
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

/**
 * @param {Pick<Raw, 'failures' | 'program'>} raw
 * @param {Window} window
 * @param {Joined} joined  the wire of that run
 */
export const wireTreesOf = ({ failures, program }, window, joined) =>
	treesOf(joined, window, program ? null : new Set(failures.map(({ id }) => id)));

/**
 * @param {Parameters<typeof wireTreesOf>[0]} raw
 * @param {Window} window
 * @param {Joined} joined
 * @param {Trees} [trees]  of it
 * @returns {Required<Pick<Wire, 'urls' | 'waterfalls' | 'joins'>> & ReturnType<typeof timeoutsOf>}
 */
export const wireRequestsOf = (raw, window, joined, trees = wireTreesOf(raw, window, joined)) => ({
	...{ urls: urlsOf(trees), waterfalls: waterfallsOf(trees, window), joins: trees.joins.edges },
	...timeoutsOf(joined, trees, window),
});
