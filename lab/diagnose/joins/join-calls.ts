/**
 * Which calls of a service belong to which call that it served: by an id where both carry it, else one to one by order (by-order.ts).
 * Only what a request waits for is joined: heartbeats, set-ups of connections that went well, blocking reads and what goes on without requests
 * never are.
 */

import { grouped } from '../../base/values.ts';
import { besideOf } from './beside.ts';
import { joinById } from './by-id.ts';
import { joinByOrder } from './by-order.ts';
import type { Spans } from './call-columns.ts';
import { type Chain, Chains } from './chains.ts';
import { Exchanges } from './exchanges.ts';
import { Choices } from './matching.ts';
import type { Profile } from './profile.ts';
import { BY_ID, BY_ORDER, neighboursOf, profilesOf } from './rules.ts';

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
 * takes, and a run of many is to be told within seconds.
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
