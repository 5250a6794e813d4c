/**
 * Where the time of good requests went, as it passed the networks: each service had a request for as long as the call that brought it took,
 * less the calls that it made for it meanwhile. Calls that went on at once share the time in which they did, so that the services' parts sum to
 * the whole.
 */

import type { WireTime } from '../../record/types.js';
import { rounded } from '../../stats/numbers.ts';
import { Numbering } from '../joins/spans.ts';
import { DEPTH_MOST, type Trees } from './trees.ts';

/** milliseconds over good requests, by part; n: how many */
export type Sums = Record<string, number> & { n: number; whole: number };

type Times = {
	reported: WireTime;
	/** of the load, in which they ended */
	bySecond: Map<number, Sums>;
};

type ServiceSums = { part: string; depth: number; ms: number; ambiguous_ms: number };

type EdgeSums = {
	from: string;
	to: string;
	depth: number;
	ms: number;
	ambiguous_ms: number;
	calls: number;
	unjoined: number;
	unjoined_ms: number;
};

type Named = { from: string; to: string; service: ServiceSums | null; edge: EdgeSums | null };

const MILLI = 1000;

/** The id of its part. */
export const partOf = (service: string) => `in ${service}`;

/**
 * @param names serviceOf: of a container
 * @returns null where no good request was recorded to its end
 */
export function timesOf(
	trees: Trees,
	window: { from: number; to: number },
	names: { serviceOf: (name: string) => string; tierOf: (service: string) => WireTime['services'][number]['tier'] },
): Times | null {
	const { calls, requests, isFailed } = trees;
	const good = requests.filter((request) => !isFailed(request) && calls[request].ended_at !== null);
	if (good.length === 0) return null;
	const book = new Book(trees, names);
	const bySecond: Map<number, Sums> = new Map();
	for (const request of good) {
		const ended = calls[request].ended_at as number;
		const began = Math.min(calls[request].began_at, ended);
		const second = Math.ceil(ended - window.from);
		const sums = bySecond.get(second) ?? { n: 0, whole: 0 };
		bySecond.set(second, sums);
		sums.n += 1;
		sums.whole += (ended - began) * MILLI;
		book.add(request, { began, ended }, sums);
	}
	book.addUnjoined(window);
	return { reported: book.reported(good.length), bySecond };
}

const within = (at: number, from: number, to: number) => Math.min(to, Math.max(from, at));

class Book {
	#trees;
	#names;
	#services: Map<string, ServiceSums> = new Map();
	#edges: Map<number, EdgeSums> = new Map();
	#numbers = new Numbering();
	/** Of each call, as far as it lies within what it was made for. */
	#began: Float64Array;
	#ended: Float64Array;
	/** Of its time, that is its own: others went on beside it. */
	#share: Float64Array;
	/** 1: it may be another request's, or what it was made for may. */
	#isDoubted: Uint8Array;

	constructor(trees: Trees, names: Parameters<typeof timesOf>[2]) {
		this.#trees = trees;
		this.#names = names;
		const column = () => new Float64Array(trees.calls.length);
		[this.#began, this.#ended, this.#share] = [column(), column(), column()];
		this.#isDoubted = new Uint8Array(trees.calls.length);
	}

	/**
	 * @param span of it
	 * @param sums is changed
	 */
	add(request: number, { began, ended }: { began: number; ended: number }, sums: Sums) {
		this.#began[request] = began;
		this.#ended[request] = ended;
		this.#share[request] = 1;
		this.#isDoubted[request] = 0;
		this.#trees.eachBelow(request, (call, depth) => this.#addCall(request, call, depth, sums));
	}

	/**
	 * @param call of it
	 * @param sums is changed
	 */
	#addCall(request: number, call: number, depth: number, sums: Sums) {
		const named = this.#edgeOf(call);
		const took = this.#ended[call] - this.#began[call];
		const inChildren = this.#spread(request, call, depth);
		const isDoubted = this.#isDoubted[call] === 1;
		const own = Math.max(0, took - inChildren) * this.#share[call] * MILLI;
		named.service ??= this.#service(named.to, depth);
		named.edge ??= this.#edge(named.from, named.to, depth);
		const { service, edge } = named;
		service.ms += own;
		service.ambiguous_ms += isDoubted ? own : 0;
		sums[service.part] = (sums[service.part] ?? 0) + own;
		edge.calls += 1;
		edge.ms += took * MILLI;
		edge.ambiguous_ms += isDoubted ? took * MILLI : 0;
	}

	/**
	 * Calls that were made for one, each as far as it lies within it, and with its share of the time in which any of them went on.
	 * @param call of it
	 * @returns that time, in seconds
	 */
	#spread(request: number, call: number, depth: number): number {
		const { calls, joins, children } = this.#trees;
		const [from, to] = [this.#began[call], this.#ended[call]];
		const count = depth < DEPTH_MOST ? children.countOf(call) : 0;
		let union = 0;
		let all = 0;
		let until = Number.NEGATIVE_INFINITY;
		for (let place = 0; place < count; place += 1) {
			const child = children.at(call, place);
			if (child === request) continue;
			const began = within(calls[child].began_at, from, to);
			const ended = within(calls[child].ended_at ?? to, from, to);
			union += Math.max(0, ended - Math.max(began, until));
			until = Math.max(until, ended);
			all += ended - began;
			this.#began[child] = began;
			this.#ended[child] = ended;
			this.#isDoubted[child] = this.#isDoubted[call] === 1 || joins.ambiguous[child] === 1 ? 1 : 0;
		}
		const share = all > 0 ? (this.#share[call] * union) / all : 0;
		for (let place = 0; place < count; place += 1) if (children.at(call, place) !== request) this.#share[children.at(call, place)] = share;
		return union;
	}

	/** Calls of services that requests passed, and that belong to no request that is known. */
	addUnjoined(window: { from: number; to: number }) {
		const { calls, joins, took_ms: took } = this.#trees;
		for (let call = 0; call < calls.length; call += 1) {
			if (joins.parent[call] >= 0) continue;
			const { began_at: at, role = 'call' } = calls[call];
			if (role !== 'call' || at < window.from || at > window.to) continue;
			const { from, to } = this.#edgeOf(call);
			const caller = this.#services.get(from);
			if (caller === undefined) continue;
			const edge = this.#edge(from, to, caller.depth + 1);
			edge.unjoined += 1;
			edge.unjoined_ms += took(call) ?? 0;
		}
	}

	reported(requests: number): WireTime {
		const { tierOf } = this.#names;
		const each = (ms: number) => rounded(ms / requests, 3) ?? 0;
		const whole = [...this.#services.values()].reduce((total, { ms }) => total + ms, 0);
		const shareOf = (part: number, of: number) => (of > 0 ? (rounded(part / of, 4) ?? 0) : 0);
		return {
			requests,
			mean_ms: each(whole),
			services: [...this.#services]
				.toSorted(([name, one], [otherName, other]) => one.depth - other.depth || (name < otherName ? -1 : 1))
				.map(([service, { ms, ambiguous_ms: ambiguous }]) => ({
					...{ service, tier: tierOf(service), ms: each(ms), share: shareOf(ms, whole), ambiguous_share: shareOf(ambiguous, ms) },
				})),
			edges: [...this.#edges.values()]
				.toSorted((one, other) => one.depth - other.depth || (one.from + one.to < other.from + other.to ? -1 : 1))
				.map(({ from, to, ms, ambiguous_ms: ambiguous, calls, unjoined, unjoined_ms: unjoinedMs }) => ({
					...{
						from,
						to,
						tier: tierOf(to),
						ms: each(ms),
						calls_per_request: rounded(calls / requests, 3) ?? 0,
						ambiguous_share: shareOf(ambiguous, ms),
					},
					...{ unjoined, unjoined_ms: each(unjoinedMs) },
				})),
		};
	}

	/** By services, with the sums of both once there are any. */
	#edgeOf(call: number): Named {
		const edge = this.#trees.edgeOf(call);
		let own = this.#named.get(edge);
		if (own === undefined) {
			const { serviceOf } = this.#names;
			own = { from: serviceOf(edge.from), to: serviceOf(edge.to), service: null, edge: null };
			this.#named.set(edge, own);
		}
		return own;
	}
	#named: Map<ReturnType<Trees['edgeOf']>, Named> = new Map();

	#service(name: string, depth: number): ServiceSums {
		const known = this.#services.get(name);
		if (known !== undefined) return known;
		const service = { part: partOf(name), depth, ms: 0, ambiguous_ms: 0 };
		this.#services.set(name, service);
		return service;
	}

	#edge(from: string, to: string, depth: number): EdgeSums {
		const number = this.#numbers.of(from, to);
		const known = this.#edges.get(number);
		if (known !== undefined) return known;
		const edge = { from, to, depth, ms: 0, ambiguous_ms: 0, calls: 0, unjoined: 0, unjoined_ms: 0 };
		this.#edges.set(number, edge);
		return edge;
	}
}
