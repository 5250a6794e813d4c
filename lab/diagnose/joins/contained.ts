/**
 * Calls that lie in one request of their service and in no other: that one made them, whatever is usual. What is left of a kind that requests
 * ask for is joined so, and what is joined already is not ambiguous.
 */

import type { Joins } from './by-order.ts';
import type { Spans } from './call-columns.ts';
import { BY_ORDER, TOLERANCE_S } from './rules.ts';

/** Of the calls of a kind, that have to lie in requests, where none was joined: what goes on by itself begins between them too. */
const WITHIN_SHARE = 0.9;
/** In no request, and in several. */
const [NONE, SEVERAL] = [-1, -2];

/**
 * @param served in the order of their beginnings
 * @param made in the order of their beginnings
 * @param joins is changed
 */
export function joinContained(spans: Spans, served: number[], made: number[], joins: Joins) {
	const { parent, basis, ambiguous } = joins;
	const { kind } = spans;
	const within = requestsAround(spans, served, made);
	/** By their numbers. */
	const kinds: { calls: number; within: number; joined: number }[] = [];
	for (let index = 0; index < made.length; index += 1) {
		const call = made[index];
		kinds[kind[call]] ??= { calls: 0, within: 0, joined: 0 };
		const own = kinds[kind[call]];
		own.calls += 1;
		own.within += within[index] === NONE ? 0 : 1;
		own.joined += parent[call] >= 0 ? 1 : 0;
	}
	const isAsked = (call: number) => {
		const own = kinds[kind[call]];
		return own.joined > 0 || own.within >= own.calls * WITHIN_SHARE;
	};
	for (let index = 0; index < made.length; index += 1) {
		const call = made[index];
		const request = within[index];
		if (request < 0) continue;
		if (parent[call] < 0 && isAsked(call)) [parent[call], basis[call]] = [request, BY_ORDER];
		if (parent[call] === request) ambiguous[call] = 0;
	}
}

/** @returns of each call the request that it lies in, NONE or SEVERAL */
function requestsAround({ began, over, worked, length_s: length }: Spans, served: number[], made: number[]): Int32Array {
	const found = new Int32Array(made.length).fill(NONE);
	/** Requests that had begun, without those that were over. */
	const open: number[] = [];
	let next = 0;
	for (let place = 0; place < made.length; place += 1) {
		const call = made[place];
		for (; next < served.length && began[served[next]] <= began[call] + TOLERANCE_S; next += 1) open.push(served[next]);
		for (let index = open.length - 1; index >= 0 && found[place] !== SEVERAL; index -= 1) {
			const limit = Math.min(worked[open[index]], length) + TOLERANCE_S;
			if (limit < began[call]) {
				open[index] = open[open.length - 1];
				open.pop();
			} else if (limit >= over[call] && open[index] !== call) found[place] = found[place] === NONE ? open[index] : SEVERAL;
		}
	}
	return found;
}
