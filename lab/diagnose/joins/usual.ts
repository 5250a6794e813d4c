/**
 * How far a call is from the request that it may have been made for: by the time from its end to the answer and from the question to its
 * beginning, each as compared with what is usual on its edge. Of the same protocol, another status or another template is farther.
 */

import { quantilesOf } from '../../stats/numbers.ts';
import type { Places } from './by-order.ts';
import type { Spans } from './call-columns.ts';
import { LEAST_S } from './gap.ts';
import type { Neighbours } from './rules.ts';

/** Before anything is known. */
const FIRST_S = 0.001;
/** Each in the measure of costs: the logarithm of how many times the usual. */
const OTHER_STATUS = 2;
const OTHER_TEMPLATE = 1;
const SAME_CONNECTION = 1;
const WITHIN_TRANSACTION = 3;

export class Usual {
	#spans;
	#neighbours;
	#costBefore;
	/** Of each edge, from the call's end on; and to its beginning, endless while it is not known. */
	#ends;
	#starts;

	/** @param costBefore by its kind; next: -1 of the answer */
	constructor(spans: Spans, neighbours: Neighbours, costBefore: (request: number, call: number, next: number) => number) {
		this.#spans = spans;
		this.#neighbours = neighbours;
		this.#costBefore = costBefore;
		this.#ends = new Float64Array(spans.edges.length).fill(FIRST_S);
		this.#starts = new Float64Array(spans.edges.length).fill(Number.POSITIVE_INFINITY);
	}

	/** @param taken of each place the place of its call in `left`, -1 of none */
	learn(taken: Int32Array, places: Places, left: Int32Array) {
		const gaps: Map<number, { ends: number[]; starts: number[] }> = new Map();
		const { edge, began, over } = this.#spans;
		for (let place = 0; place < places.size; place += 1) {
			if (taken[place] < 0) continue;
			const request = places.request[place];
			const call = left[taken[place]];
			let own = gaps.get(edge[call]);
			if (own === undefined) {
				own = { ends: [], starts: [] };
				gaps.set(edge[call], own);
			}
			own.ends.push(Math.abs(over[request] - over[call]));
			own.starts.push(Math.abs(this.#beginOf(call, request) - began[request]));
		}
		for (const [number, { ends, starts }] of gaps)
			[this.#ends[number], this.#starts[number]] = [usualMiddleOf(ends), usualMiddleOf(starts)];
	}

	/**
	 * @param gap_s from its end to the place
	 * @param most at as much it is none of the nearest
	 * @returns endless where it is not near enough by its end alone: nothing else brings it nearer than SAME_CONNECTION does
	 */
	costOf({ request: requests, after: connections, next }: Places, place: number, call: number, gap_s: number, most: number): number {
		const { calls, connection, protocol, began, edge, answer, asked, turnedAway } = this.#spans;
		const request = requests[place];
		const after = connections[place];
		const number = edge[call];
		let cost = Math.log1p(gap_s / this.#ends[number]) + this.#costBefore(request, call, next[place]);
		if (cost - (after < 0 ? 0 : SAME_CONNECTION) >= most) return Number.POSITIVE_INFINITY;
		if (this.#isWithin(call, request)) cost += WITHIN_TRANSACTION;
		// What is asked last in a request begins at any time in it: then the usual is long, and tells little.
		if (after < 0) cost += Math.log1p(Math.abs(this.#beginOf(call, request) - began[request]) / this.#starts[number]);
		if (after >= 0) return connection[call] === after ? cost - SAME_CONNECTION : cost;
		// Who was turned away last of all had nothing to answer well with.
		if (turnedAway[call] === 1 && calls[request].end === 'answered' && !calls[request].bad) cost += OTHER_STATUS;
		if (protocol[request] !== protocol[call]) return cost;
		if (answer[request] !== answer[call]) cost += OTHER_STATUS;
		if (asked[request] !== asked[call]) cost += OTHER_TEMPLATE;
		return cost;
	}

	/** Of its transaction, where all of that lies in the request. */
	#beginOf(call: number, request: number) {
		const { began } = this.#spans;
		const first = this.#neighbours.first[call];
		return first >= 0 && began[first] >= began[request] ? began[first] : began[call];
	}

	/** Whether its transaction goes on after it, and the request is not a statement of that transaction itself: of a pooler. */
	#isWithin(call: number, request: number) {
		const { state } = this.#spans;
		return this.#neighbours.after[call] >= 0 && state[request] !== state[call];
	}
}

const usualMiddleOf = (values: number[]) => Math.max(LEAST_S, quantilesOf(values, [0.5])[0] ?? FIRST_S);
