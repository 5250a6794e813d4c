/**
 * How each failed request of the load ended on the wire, and by whom: by its id where it came onto the wire, else by the connection that was
 * made for it and carried nothing. And whether the ledger places it where the wire saw it end.
 */

import { causes } from '../record/causes.ts';
import type { WireFailureEnd, WireFailures } from '../record/types.js';
import { leading } from '../stats/numbers.ts';
import type { ConnectionRecord } from '../wire/connection.ts';
import { FIRST_BAD_STATUS } from '../wire/contract.ts';
import type { WireCall } from '../wire/record.ts';
import type { Failed } from './joins/failed.ts';
import type { Asked, Passed, Way } from './joins/joined.ts';
import type { Facts } from './ledger/facts.ts';
import type { PlacedTrace } from './ledger/ledger.ts';
import type { Placement } from './ledger/place.ts';
import type { Edge } from './topology.ts';
import type { EdgeTimeout } from './wire-timeouts.ts';

/** calls that ended by a time-out, and those that they were made for */
export type TimedOut = Map<WireCall, EdgeTimeout>;

/**
 * place: the last service that the
 *   wire saw it at; call: as it left the generator, where it did
 */
type Seen = { end: WireFailureEnd; by: string; byId: boolean; place: string | null; call?: WireCall };

/** A generator that is short of CPU reads late what the kernel has told it. */
const READ_LATE_S = 1;
/** Steps from service to service; a stack has fewer. */
const DEEP_MOST = 16;

export function failuresOnWire(
	{ ways, asked }: Pick<Passed, 'ways' | 'asked'>,
	facts: Facts,
	all: PlacedTrace[],
	timedOut: TimedOut = new Map(),
): WireFailures {
	const { name } = facts.generator;
	const nameless = new Nameless([...ways.values()].filter((way) => way.from === name));
	const isBehind = reachOf(facts.edges);
	const rows: Map<string, WireFailures['rows'][number]> = new Map();
	const apart: Map<string, WireFailures['apart'][number]> = new Map();
	let agreed = 0;
	for (const { trace, placement } of all) {
		const seen = seenById(asked.get(trace.id), trace, name) ?? nameless.take(trace, name);
		const row = rowOf(rows, seen, placement);
		runInto(row, seen.call && timedOut.get(seen.call));
		if (placement !== null && contradicts(asked.get(trace.id), placement, trace)) {
			countApart(apart, placement.service, placement, true);
			continue;
		}
		if (seen.place === null || placement === null) continue;
		if (placement.service === seen.place || isBehind(seen.place, placement.service)) agreed += 1;
		else countApart(apart, seen.place, placement);
	}
	const sorted = [...rows.values()].toSorted((one, other) => other.count - one.count);
	for (const { placed, timeouts = [] } of sorted) for (const list of [placed, timeouts]) list.sort((one, other) => other.count - one.count);
	return {
		failed: facts.generator.failed,
		explained: sorted.reduce((sum, { end, count }) => (end === 'unseen' ? sum : sum + count), 0),
		agreed,
		rows: sorted,
		apart: [...apart.values()].toSorted((one, other) => other.count - one.count),
	};
}

/** @param name of the generator */
function seenById(asked: Asked[] | undefined, trace: Failed, name: string): Seen | null {
	// A generator may send it again by itself on another connection.
	const last = lastFrom(asked, name);
	if (!asked || !last) return null;
	const { way, call } = last;
	const whole = { end: endOf(call), by: byOf(call.end === 'answered' ? 'server' : call.by, way), byId: call.id_by_time !== true, call };
	return { ...whole, place: deepest(asked, last, trace) };
}

const lastFrom = (asked: Asked[] | undefined, name: string): Asked | undefined =>
	asked
		?.filter(({ way }) => way.from === name)
		.toSorted((one, other) => one.call.began_at - other.call.began_at)
		.at(-1);

/** From service to service, as long as the next call for it did not end well either. */
function deepest(asked: Asked[], first: Asked, { t }: { t: number }) {
	let at = first;
	for (let step = 0; step < DEEP_MOST; step += 1) {
		// Whoever hung up did it by itself, unless the caller had before.
		if (!['answered', 'given-up', 'open'].includes(at.call.end)) break;
		const next = lastFrom(
			asked.filter(({ call }) => call.began_at <= t),
			at.way.to,
		);
		if (!next || isGood(next.call)) break;
		at = next;
	}
	return at.way.to;
}

const isGood = ({ end, status, bad }: WireCall) => end === 'answered' && !bad && (status === null || status < FIRST_BAD_STATUS);

function endOf({ end, raced }: WireCall): WireFailureEnd {
	return raced && end !== 'answered' ? 'raced' : end;
}

const byOf = (side: 'client' | 'server' | null, { from, to }: Way) => (side === 'client' ? from : side === 'server' ? to : '');

/**
 * to: infinite where
 *   nobody ended it
 */
type Unnamed = { from: number; to: number; end: WireFailureEnd; by: string; place: string | null; call?: WireCall };

/** What left the generator and has no id: connections that carried nothing, and questions whose head was not recorded whole. */
class Nameless {
	/** Those that ended, in the order of their ends. */
	#ended;
	/** The others, in the order of their beginnings. */
	#endless;

	constructor(ways: Way[]) {
		const all = ways.flatMap((way) => [
			...way.silent.map((one) => silentOf(one, way)),
			...way.calls.flatMap((call) => brokenOf(call, way)),
		]);
		const isEnded = ({ to }: Unnamed) => to < Number.POSITIVE_INFINITY;
		this.#ended = new Row(all.filter(isEnded), ({ to }) => to);
		this.#endless = new Row(
			all.filter((one) => !isEnded(one)),
			({ from }) => from,
		);
	}

	/** One for each failed request: the first that ended while it was waited for, or just before; else one that nobody ended. */
	take({ t, waited_s: waited }: Failed, name: string): Seen {
		const since = t - waited - READ_LATE_S;
		const found = this.#ended.take(since, t + READ_LATE_S, ({ from }) => from <= t) ?? this.#endless.take(since, t, () => true);
		return found
			? { end: found.end, by: found.by, byId: false, place: found.place, call: found.call }
			: { end: 'unseen', by: name, byId: false, place: null };
	}
}

/** What can be taken once each, in an order. */
class Row {
	#all;
	#keyOf;
	/** Of each place, the first at or after it that is left. */
	#next;

	constructor(all: Unnamed[], keyOf: (one: Unnamed) => number) {
		this.#all = all.toSorted((one, other) => keyOf(one) - keyOf(other));
		this.#keyOf = keyOf;
		this.#next = Int32Array.from({ length: all.length + 1 }, (_, index) => index);
	}

	take(from: number, to: number, fits: (one: Unnamed) => boolean): Unnamed | null {
		let index = this.#left(leading(this.#all, (one) => this.#keyOf(one) < from));
		for (let looked = 0; looked < LOOKED_AT_MOST && index < this.#all.length; looked += 1) {
			const found = this.#all[index];
			if (this.#keyOf(found) > to) return null;
			if (fits(found)) {
				this.#next[index] = index + 1;
				return found;
			}
			index = this.#left(index + 1);
		}
		return null;
	}

	#left(index: number) {
		let left = index;
		while (this.#next[left] !== left) {
			this.#next[left] = this.#next[this.#next[left]];
			left = this.#next[left];
		}
		return left;
	}
}
/** Others begin and end within a wait that long, in an overload some hundred. */
const LOOKED_AT_MOST = 1024;

function silentOf({ opened_at: from, ended_at: endedAt, outcome, by }: ConnectionRecord, way: Way) {
	const made = { closed: 'unasked-closed', reset: 'unasked-reset', open: 'unasked-open' };
	const end = (outcome in made ? made[outcome as keyof typeof made] : outcome) as WireFailureEnd;
	const isServers = by === 'server' || outcome === 'unanswered';
	// Nobody ended it: it was there as long as anybody waited.
	return {
		from,
		to: endedAt ?? Number.POSITIVE_INFINITY,
		end,
		by: byOf(outcome === 'unanswered' ? 'server' : by, way),
		place: isServers ? way.to : null,
	};
}

function brokenOf(call: WireCall, way: Way) {
	if (call.id !== undefined || isGood(call)) return [];
	const to = call.ended_at ?? Number.POSITIVE_INFINITY;
	return [{ from: call.began_at, to, end: endOf(call), by: byOf(call.end === 'answered' ? 'server' : call.by, way), place: way.to, call }];
}

function rowOf(rows: Map<string, WireFailures['rows'][number]>, { end, by, byId }: Seen, placement: Placement | null) {
	const key = `${end} ${by}`;
	const row = rows.get(key) ?? { end, by, count: 0, by_id: 0, placed: [], timeouts: [] };
	rows.set(key, row);
	row.count += 1;
	if (byId) row.by_id += 1;
	const [service, cause] = placement ? [placement.service, placement.cause] : ['', ''];
	const known = row.placed.find((one) => one.service === service && one.cause === cause);
	if (known) known.count += 1;
	else row.placed.push({ service, cause, cause_title: placement ? causes[cause].title : '', count: 1 });
	return row;
}

/** @param row is changed */
function runInto({ timeouts = [] }: WireFailures['rows'][number], timeout?: EdgeTimeout) {
	if (timeout === undefined) return;
	const { from, to, by, how, after_ms } = timeout;
	const known = timeouts.find((one) => one.from === from && one.to === to && one.how === how && one.after_ms === after_ms);
	if (known) known.count += 1;
	else timeouts.push({ from, to, by, how, after_ms, count: 1 });
}

/** @param arrived where the ledger says that it did not */
function countApart(
	apart: Map<string, WireFailures['apart'][number]>,
	place: string,
	{ service, cause }: Placement,
	arrived: boolean = false,
) {
	const key = `${place} ${service} ${cause} ${arrived}`;
	const row = apart.get(key) ?? { wire: place, ledger: service, cause_title: causes[cause].title, count: 0, ...(arrived && { arrived }) };
	apart.set(key, { ...row, count: row.count + 1 });
}

/** Whether one service lies behind another. */
function reachOf(edges: Edge[]) {
	const known: Map<string, Set<string>> = new Map();
	const behind = (name: string) => {
		const found = known.get(name) ?? new Set();
		if (known.has(name)) return found;
		known.set(name, found);
		const left = [name];
		for (let from = left.pop(); from !== undefined; from = left.pop())
			for (const { to } of edges.filter((edge) => edge.from === from && !found.has(edge.to))) {
				found.add(to);
				left.push(to);
			}
		return found;
	};
	return (from: string, to: string) => behind(from).has(to);
}

/**
 * Whether the wire saw what a placement says not to have been: of a request, that the service answered it or asked another for it; of an
 * answer, that it was whole before its asker had left.
 * @param asked that carry the request's id
 */
export function contradicts(asked: Asked[] | undefined = [], { service, cause }: Placement, { t }: { t: number }) {
	const { unarrived } = causes[cause];
	const names = service.split(', ');
	const isThere = (name: string) => names.includes(name);
	if (unarrived === 'request')
		return asked.some(
			({ way, call }) => (isThere(way.to) && call.first_at !== null && call.first_at <= t) || (isThere(way.from) && call.began_at <= t),
		);
	if (unarrived !== 'answer') return false;
	const last = asked.findLast(({ way }) => isThere(way.to))?.call;
	return last?.end === 'answered' && last.ended_at !== null && last.ended_at <= t;
}
