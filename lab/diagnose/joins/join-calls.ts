/**
 * Which calls of a service belong to which call that it served: by an id where both carry it, else one to one by order (by-order.ts).
 * Only what a request waits for is joined: heartbeats, set-ups of connections that went well, blocking reads and what goes on without requests
 * never are.
 */

import { grouped } from '../../base/values.ts';
import { leading } from '../../stats/numbers.ts';
import { joinByOrder } from './by-order.ts';
import type { Chain } from './chains.ts';
import { Chains } from './chains.ts';
import { Exchanges } from './exchanges.ts';
import { Choices } from './matching.ts';
import type { Profile } from './profile.ts';
import { BY_ID, BY_ORDER, besideOf, neighboursOf, profilesOf, TOLERANCE_S } from './rules.ts';
import type { Spans } from './spans.ts';
import { Flags, UNMARKED } from './spans.ts';

/** indices are those of the calls (joined.ts) */
export type Joins = {
	/** the call that it was made for; -1: none is known */
	parent: Int32Array;
	/** BY_ID or BY_ORDER where it has a parent */
	basis: Uint8Array;
	/** 1: another assignment would fit as well */
	ambiguous: Uint8Array;
	/** of services that serve calls themselves, the busiest first */
	edges: JoinedEdge[];
	/** share of the requests of its kind that asked that container's service, of those that were alone in their own; null where too few were */
	askedAlone: (request: number, to: string) => number | null;
};

export type Columns = Pick<Joins, 'parent' | 'basis' | 'ambiguous'>;

type JoinedEdge = {
	from: string;
	to: string;
	calls: number;
	by_id: number;
	by_order: number;
	/** of those that were joined */
	ambiguous: number;
};

/*
 * Joins by the id or the trace id that both calls carry. One id may come several times: a proxy tried again, or a request made several
 * calls; then it is of the call that it lies in.
 */

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
function joinById(
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

/**
 * Joins what requests of kinds asked that were seen alone: their calls by what their kind asks (chains.ts).
 *
 */

/**
 * @param joins is changed
 * @returns requests of which nothing more is to be looked for
 */
function joinByKind(
	spans: Spans,
	{
		served,
		made,
		isPassedOn,
		profileOf,
		work,
	}: {
		served: number[];
		/** all that requests may have asked */
		made: number[];
		isPassedOn: (request: number, call: number) => boolean;
		/** undefined where its kind is not known */
		profileOf: (request: number) => Profile | undefined;
		work: { steps: number };
	},
	joins: Columns,
): Set<number> {
	const { parent, basis } = joins;
	const own = grouped(
		made.filter((call) => parent[call] >= 0),
		(call) => parent[call],
	);
	const chains = served.flatMap((request) => {
		const profile = profileOf(request);
		if (profile === undefined) return [];
		const { bad, end } = spans.calls[request];
		const to = Math.min(spans.worked[request], spans.length_s);
		const isFailed = bad || end !== 'answered';
		return [{ number: 0, request, profile, from: spans.began[request], to, isFailed, own: own.get(request) ?? [], links: [], bids: 0 }];
	});
	if (chains.length === 0) return new Set();
	for (const [number, chain] of chains.entries()) chain.number = number;
	const isJoined = (call: number) => parent[call] >= 0;
	const dealt = new Chains(spans, chains, made, { neighbours: neighboursOf(spans, [made]), isJoined, isPassedOn, work });
	dealt.learn();
	dealt.deal(chains);
	const exchanges = new Exchanges(spans, dealt);
	exchanges.settle(made.filter((call) => !isJoined(call) && dealt.holder[call] === null));
	for (const { request, links } of chains)
		for (const { call } of links)
			if (call >= 0 && !isJoined(call)) [parent[call], basis[call], joins.ambiguous[call]] = [request, BY_ORDER, exchanges.ambiguous[call]];
	return new Set(chains.filter(isComplete).map(({ request }) => request));
}

/** It has all that its kind was seen to ask, or it failed, and may have less. */
const isComplete = ({ links, isFailed }: Chain) => isFailed || (links.at(-1)?.step.seen ?? 0) > 0;

/** What all requests ask alike tells nothing of whose a call is. */
const KINDS_LEAST = 2;
/**
 * Requests of all services whose calls are dealt: that takes some tenths of a millisecond of each, several times what order
 * takes, and a run of many is to be told within seconds. The lab's own choice.
 */
const DEALT_MOST = 20_000;

/**
 * @param order of all calls, as they began
 * @param work counts what was looked at, for tests
 */
export function joinCalls(spans: Spans, order: Int32Array, work: { steps: number } = { steps: 0 }): { joins: Joins; children: Children } {
	const size = spans.calls.length;
	const joins = { parent: new Int32Array(size).fill(-1), basis: new Uint8Array(size), ambiguous: new Uint8Array(size) };
	const containers = [...spans.containers()].filter(({ served, made }) => served.length > 0 && made.length > 0);
	/** 1: it may have been asked for a request of which no id tells. */
	const isAsked = new Uint8Array(size);
	const asking = containers.map(({ service, served, made }) => {
		const { left, isPassedOn } = joinById(spans, served, made, joins);
		const beside = besideOf(spans, served, left);
		const asked = left.filter((call) => !beside.has(spans.kind[call]));
		for (const call of asked) isAsked[call] = 1;
		const all = made.filter((call) => joins.parent[call] >= 0 || isAsked[call] === 1);
		return { service, served, isPassedOn, made: all, left: asked };
	});
	const requestsMost = mostOf(asking.map(({ served }) => served));
	const lefts = asking.map(({ left }) => left);
	const room = { neighbours: neighboursOf(spans, lefts), choices: new Choices(requestsMost, mostOf(lefts)) };
	const services = [...grouped(asking, ({ service }) => service)].map(([service, own]) => ({
		service,
		own,
		profiles: profilesOf(spans, own),
	}));
	const dealt = new Set(services.filter(({ profiles }) => areApart(profiles)));
	const count = [...dealt].flatMap(({ own }) => own).reduce((sum, { served }) => sum + served.length, 0);
	for (const service of services) {
		const profileOf = (request: number) => service.profiles.get(spans.way[request]);
		for (const { served, made, left, isPassedOn } of service.own) {
			const isDealt = dealt.has(service) && count <= DEALT_MOST;
			const whole = isDealt ? joinByKind(spans, { served, made, isPassedOn, profileOf, work }, joins) : new Set();
			joinByOrder(spans, served, left, joins, { work, isPassedOn, profileOf, isComplete: (request) => whole.has(request), ...room });
		}
	}
	const profiles = new Map(services.map((one) => [one.service, one.profiles]));
	const all = { ...joins, edges: edgesOf(spans, joins), askedAlone: askedAloneBy(spans, profiles) };
	return { joins: all, children: new Children(all.parent, order) };
}

const mostOf = (lists: number[][]) => lists.reduce((most, { length }) => Math.max(most, length), 0);

/** It outlives the columns, of which it keeps what it needs. */
function askedAloneBy({ edge, edges, way, serviceOf }: Spans, profiles: Map<string, ReturnType<typeof profilesOf>>): Joins['askedAlone'] {
	return (request, to) => {
		const profile = profiles.get(serviceOf(edges[edge[request]].to))?.get(way[request]);
		return profile ? (profile.callees.get(serviceOf(to)) ?? 0) : null;
	};
}

/** Whether what a request asks tells of which kind it is. */
const areApart = (profiles: ReturnType<typeof profilesOf>) =>
	profiles.size >= KINDS_LEAST && [...profiles.values()].some(({ isOne }) => !isOne);

function edgesOf(spans: Spans, { parent, basis, ambiguous }: Columns): JoinedEdge[] {
	const edges: Map<number, JoinedEdge> = new Map();
	for (const { served, made } of spans.containers()) {
		if (served.length === 0) continue;
		for (let place = 0; place < made.length; place += 1) {
			const call = made[place];
			const number = spans.edge[call];
			let edge = edges.get(number);
			if (edge === undefined) {
				edge = { ...spans.edges[number], calls: 0, by_id: 0, by_order: 0, ambiguous: 0 };
				edges.set(number, edge);
			}
			edge.calls += 1;
			if (parent[call] < 0) continue;
			edge.by_id += basis[call] === BY_ID ? 1 : 0;
			edge.by_order += basis[call] === BY_ORDER ? 1 : 0;
			edge.ambiguous += ambiguous[call];
		}
	}
	return [...edges.values()].toSorted((one, other) => other.calls - one.calls);
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

/** Of each call those that were made for it, as they began. Loops by numbers: an iterator makes an object for each of hundreds of thousands. */
export class Children {
	/** Where those of a call begin in the row of all; those of the next end it. */
	#first;
	#row;

	/**
	 * @param parents of each call; -1 of none
	 * @param order of the calls that count, as they began
	 */
	constructor(parents: Int32Array, order: Int32Array) {
		this.#first = new Int32Array(parents.length + 1);
		for (let place = 0; place < order.length; place += 1) if (parents[order[place]] >= 0) this.#first[parents[order[place]] + 1] += 1;
		for (let call = 0; call < parents.length; call += 1) this.#first[call + 1] += this.#first[call];
		this.#row = new Int32Array(this.#first[parents.length]);
		const next = this.#first.slice();
		for (let place = 0; place < order.length; place += 1) {
			const call = order[place];
			if (parents[call] >= 0) this.#row[next[parents[call]]++] = call;
		}
	}

	/** How many. */
	countOf(call: number) {
		return this.#first[call + 1] - this.#first[call];
	}

	/** One of them. */
	at(call: number, place: number) {
		return this.#row[this.#first[call] + place];
	}

	of(call: number): number[] {
		const own = [];
		for (let at = this.#first[call]; at < this.#first[call + 1]; at += 1) own.push(this.#row[at]);
		return own;
	}
}
