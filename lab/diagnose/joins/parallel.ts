/**
 * Calls that a request makes at the same time: what is left is joined to the request of a call that began at its side, on another connection,
 * where it lies within that request.
 */

import type { Joins } from './by-order.ts';
import type { Spans } from './call-columns.ts';
import { BY_ORDER, TOLERANCE_S } from './rules.ts';

/** A program begins them one after another in one turn of its loop. */
const TOGETHER_S = 0.002;
const LOOKED_AT_MOST = 16;

/**
 * @param made in the order of their beginnings
 * @param joins is changed
 * @param mayAsk by its kind
 */
export function joinParallel(spans: Spans, made: number[], joins: Joins, mayAsk: (request: number, call: number) => boolean) {
	const { parent, basis, ambiguous } = joins;
	const found = [];
	for (let index = 0; index < made.length; index += 1) {
		const call = made[index];
		if (parent[call] >= 0) continue;
		const beside = [...besides(spans, made, index, -1), ...besides(spans, made, index, 1)]
			.filter((other) => parent[other] >= 0 && mayAsk(parent[other], call))
			.filter((other) => isWithin(spans, call, parent[other]) && isBeside(spans, call, other))
			.toSorted((one, other) => Math.abs(spans.began[one] - spans.began[call]) - Math.abs(spans.began[other] - spans.began[call]));
		if (beside.length > 0) found.push({ call, request: parent[beside[0]], others: new Set(beside.map((other) => parent[other])).size > 1 });
	}
	for (const { call, request, others } of found) [parent[call], basis[call], ambiguous[call]] = [request, BY_ORDER, others ? 1 : 0];
}

function besides({ began }: Spans, made: number[], index: number, step: 1 | -1) {
	const near = [];
	for (let at = index + step; at >= 0 && at < made.length && near.length < LOOKED_AT_MOST; at += step) {
		if (Math.abs(began[made[at]] - began[made[index]]) > TOGETHER_S) break;
		near.push(made[at]);
	}
	return near;
}

const isWithin = ({ began, ended, worked }: Spans, call: number, request: number) =>
	began[call] >= began[request] - TOLERANCE_S && ended[call] <= worked[request] + TOLERANCE_S;

/** Both were under way at one time. */
const isBeside = ({ began, ended, calls }: Spans, one: number, other: number) =>
	calls[one].connection !== calls[other].connection && began[one] < ended[other] && began[other] < ended[one];
