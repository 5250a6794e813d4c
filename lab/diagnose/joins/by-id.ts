/**
 * Joins by the id or the trace id that both calls carry. One id may come several times: a proxy tried again, or a request made several
 * calls; then it is of the call that it lies in.
 */

import { leading } from '../../stats/numbers.ts';
import type { Spans } from './call-columns.ts';
import type { Columns } from './join-calls.ts';
import { BY_ID, TOLERANCE_S } from './rules.ts';
import { Flags, UNMARKED } from './spans.ts';

/** From here on an edge is one that passes ids on: a call without one there is nobody's, unless all of its kind are without. */
const PASSES_ON_SHARE = 0.5;
/** Of the calls of such a kind, that have to lie in requests of which no id was passed on there; a look at the callee goes on beside them too. */
const WITHIN_SHARE = 0.9;
/** Calls of one id that are looked through for the one that a call lies in. */
const LOOKED_AT_MOST = 64;
const NOBODY = -1;
/** Of an edge on which no call was made. */
const NONE = { calls: 0, joined: 0, requests: null };

/**
 * @param served in the order of their beginnings
 * @param joins is changed
 * @returns left: of those made, what order has to tell;
 * isPassedOn: whether a request's id went on where a call went, which without it is not of that request
 */
export function joinById(
	spans: Spans,
	served: number[],
	made: number[],
	joins: Columns,
): { left: number[]; isPassedOn: (request: number, call: number) => boolean } {
	const [ids, traces] = [servedBy(spans.id, spans.marks, served), servedBy(spans.trace, spans.marks, served)];
	/** Of each edge: calls, those joined, and of which requests. */
	const edges: { calls: number; joined: number; requests: Flags }[] = [];
	for (let place = 0; place < made.length; place += 1) {
		const call = made[place];
		// On a connection that was turned away no id could be passed.
		if (spans.turnedAway[call] === 1) continue;
		edges[spans.edge[call]] ??= { calls: 0, joined: 0, requests: new Flags(joins.parent.length) };
		const edge = edges[spans.edge[call]];
		edge.calls += 1;
		// The id first: a trace may have many requests.
		const found = ids.has(spans.id[call]) ? ids.of(spans.id[call]) : traces.has(spans.trace[call]) ? traces.of(spans.trace[call]) : NOBODY;
		const parent = whichOf(spans, found, call, joins);
		if (parent < 0) continue;
		edge.joined += 1;
		edge.requests.add(parent);
		joins.parent[call] = parent;
		joins.basis[call] = BY_ID;
	}
	/** Requests of which the id went on, of each edge that passes ids on. */
	const passing: (Flags | null)[] = spans.edges.map((_, number) => {
		const { calls, joined, requests } = edges[number] ?? NONE;
		return requests !== null && joined >= calls * PASSES_ON_SHARE ? requests : null;
	});
	const passesOn = (call: number) => passing[spans.edge[call]] !== null && spans.turnedAway[call] === 0;
	const isPassedOn = (request: number, call: number) => passing[spans.edge[call]]?.has(request) === true && spans.turnedAway[call] === 0;
	const without = made.filter((call) => joins.parent[call] < 0);
	const other = otherWays(
		spans,
		served,
		made.filter((call) => passesOn(call)),
		{ joins, isPassedOn },
	);
	// What was not recorded may have been its id.
	const left = without.filter((call) => !passesOn(call) || other.has(spans.kind[call]) || spans.calls[call].hole === true);
	return { left, isPassedOn };
}

/**
 * Where a program passes an id on, and another of its ways to the same callee does not.
 * @param made on edges that pass ids on
 * @returns kinds
 */
function otherWays(
	spans: Spans,
	served: number[],
	made: number[],
	{ joins, isPassedOn }: { joins: Columns; isPassedOn: (request: number, call: number) => boolean },
): Set<number> {
	/** Calls of each kind; none where one of them was joined. */
	const kinds: Map<number, number[]> = new Map();
	for (const call of made) {
		const own = kinds.get(spans.kind[call]);
		if (joins.parent[call] >= 0) {
			if (own === undefined || own.length > 0) kinds.set(spans.kind[call], []);
		} else if (own === undefined) kinds.set(spans.kind[call], [call]);
		else if (own.length > 0) own.push(call);
	}
	const isOther = (calls: number[]) => {
		if (calls.length === 0) return false;
		const within = withinCount(
			spans,
			served.filter((request) => !isPassedOn(request, calls[0])),
			calls,
		);
		return within >= calls.length * WITHIN_SHARE;
	};
	return new Set([...kinds].filter(([, calls]) => isOther(calls)).map(([kind]) => kind));
}

/**
 * How many lie within a time in which some request was served.
 * @param calls both in the order of their beginnings
 */
function withinCount({ began, over, worked }: Spans, served: number[], calls: number[]) {
	let [next, until, count] = [0, Number.NEGATIVE_INFINITY, 0];
	for (const call of calls) {
		for (; next < served.length && began[served[next]] <= began[call] + TOLERANCE_S; next += 1)
			until = Math.max(until, worked[served[next]]);
		if (over[call] <= until + TOLERANCE_S) count += 1;
	}
	return count;
}

/**
 * @param marks of each call
 * @param count of marks
 */
function servedBy(marks: Int32Array, count: number, served: number[]) {
	const known = new Served(count);
	for (let place = 0; place < served.length; place += 1) known.add(marks[served[place]], served[place]);
	return known;
}

/**
 * @param joins is told whether it may be another
 * @returns the one that it lies in, else the last before it; NOBODY where all came after it
 */
function whichOf({ began, worked }: Spans, found: number | number[], call: number, { ambiguous }: Columns): number {
	if (typeof found === 'number') return found >= 0 && found !== call && began[found] <= began[call] + TOLERANCE_S ? found : NOBODY;
	const before = leading(found, (other) => began[other] <= began[call] + TOLERANCE_S);
	let [last, around, count] = [NOBODY, NOBODY, 0];
	for (let at = before - 1; at >= Math.max(0, before - LOOKED_AT_MOST); at -= 1) {
		const other = found[at];
		if (other === call) continue;
		if (last < 0) last = other;
		if (worked[other] < began[call] - TOLERANCE_S) continue;
		if (around < 0) around = other;
		count += 1;
	}
	ambiguous[call] = count > 1 ? 1 : 0;
	return around < 0 ? last : around;
}

/** Calls that a service served, by their marks. Most marks are of one call alone. */
class Served {
	#first;
	#several: Map<number, number[]> = new Map();

	/** @param marks that there may be */
	constructor(marks: number) {
		this.#first = new Int32Array(marks).fill(-1);
	}

	add(mark: number, call: number) {
		if (mark === UNMARKED) return;
		const first = this.#first[mark];
		if (first < 0) {
			this.#first[mark] = call;
			return;
		}
		const own = this.#several.get(mark);
		if (own) own.push(call);
		else this.#several.set(mark, [first, call]);
	}

	/** @returns whether any has it */
	has(mark: number): boolean {
		return mark !== UNMARKED && this.#first[mark] >= 0;
	}

	/**
	 * @param mark that one has
	 * @returns the call, or several as they were added
	 */
	of(mark: number): number | number[] {
		return this.#several.get(mark) ?? this.#first[mark];
	}
}
