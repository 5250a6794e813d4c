/**
 * Joins by order, one to one, where calls carry no id: an answer with the call that was over just before it and began after its question; then
 * what came before that call with its beginning, and so on to the first, over failed and good requests together. A connection serves one
 * request at a time: what lies in one transaction of it belongs together.
 */

import { upTo } from '../../stats/numbers.ts';
import type { Spans } from './call-columns.ts';
import { joinContained } from './contained.ts';
import type { Columns } from './join-calls.ts';
import { type Choices, nearestOneToOne } from './matching.ts';
import { joinParallel } from './parallel.ts';
import { END, type Profile } from './profile.ts';
import { BY_ORDER, type Neighbours, TOLERANCE_S } from './rules.ts';
import { inOrder } from './spans.ts';
import { Usual } from './usual.ts';

export type Joins = Columns;

/**
 * Places before which a call of a request is looked for, as columns: there are as many as requests, and in each round others.
 */
export class Places {
	size = 0;
	/** The call that was served. */
	request: Int32Array;
	/** Where the call that is looked for is over; and where at the latest. */
	at: Float64Array;
	limit: Float64Array;
	/** Connection of the call that comes next; and that call. -1 before the answer. */
	after: Int32Array;
	next: Int32Array;
	/** 1: that call may be another request's. */
	isDoubted: Uint8Array;

	constructor(most: number) {
		[this.request, this.after, this.next] = [new Int32Array(most), new Int32Array(most), new Int32Array(most)];
		[this.at, this.limit] = [new Float64Array(most), new Float64Array(most)];
		this.isDoubted = new Uint8Array(most);
	}

	add(request: number, at: number, limit: number, { after, next, isDoubted }: { after: number; next: number; isDoubted: number }) {
		const place = this.size++;
		this.request[place] = request;
		this.at[place] = at;
		this.limit[place] = limit;
		this.after[place] = after;
		this.next[place] = next;
		this.isDoubted[place] = isDoubted;
	}

	/** Drops the others. */
	keep(isKept: (place: number) => boolean) {
		const { size } = this;
		this.size = 0;
		for (let place = 0; place < size; place += 1)
			if (isKept(place)) {
				const [after, next, isDoubted] = [this.after[place], this.next[place], this.isDoubted[place]];
				this.add(this.request[place], this.at[place], this.limit[place], { after, next, isDoubted });
			}
	}

	clear() {
		this.size = 0;
	}
}

/** Calls before a place that are looked at, and of those that could be the one. */
const BY_ORDER_LOOKED_AT_MOST = 160;
const FITTING_MOST = 24;
/** To learn from. */
const FITTING_FIRST = 4;
/** Of them, those in which a request looks for its last call. */
const ANSWERS_ROUNDS = 16;
/** Calls of one request, one after another. */
const ROUNDS_MOST = 256;

type Known = {
	neighbours: Neighbours;
	/** undefined where its kind is not known */
	profileOf: (request: number) => Profile | undefined;
	/** whether all that its kind asks is joined to it already */
	isComplete: (request: number) => boolean;
};

/**
 * @param joins is changed
 * @param about choices: room for so many
 */
export function joinByOrder(
	spans: Spans,
	served: number[],
	made: number[],
	joins: Joins,
	{ work, isPassedOn, profileOf, isComplete, neighbours, choices }: Pick<Where, 'work' | 'isPassedOn' | 'choices'> & Known,
) {
	if (made.length === 0) return;
	const { over } = spans;
	const unjoined = made.filter((call) => joins.parent[call] < 0);
	let left = inOrder(unjoined, over);
	let [places, before] = [new Places(served.length), new Places(served.length)];
	for (let index = 0; index < served.length; index += 1) {
		const request = served[index];
		if (!isComplete(request))
			places.add(request, over[request], Math.min(spans.worked[request], spans.length_s), { after: -1, next: -1, isDoubted: 0 });
	}
	const costBefore = (request: number, call: number, next: number) =>
		profileOf(request)?.costBefore(spans.way[call], next < 0 ? END : spans.way[next]) ?? 0;
	const usual = new Usual(spans, neighbours, costBefore);
	// What is usual is learned from the nearest first.
	usual.learn(matched(spans, { places, left, usual, choices, work, isPassedOn, most: FITTING_FIRST }).taken, places, left);
	/**
	 * Joins those of places that find one.
	 * @param found gets what comes before it
	 * @returns how many
	 */
	const step = (found: Places): number => {
		const matching = matched(spans, { places, left, usual, choices, work, isPassedOn, most: FITTING_MOST });
		const [taken, ambiguous] = [matching.taken, matching.ambiguous()];
		const size = found.size;
		for (let index = 0; index < places.size; index += 1) {
			if (taken[index] < 0) continue;
			const request = places.request[index];
			const call = left[taken[index]];
			const isDoubted = places.isDoubted[index] | ambiguous[taken[index]];
			joins.parent[call] = request;
			joins.basis[call] = BY_ORDER;
			joins.ambiguous[call] = isDoubted;
			const first = joinTransaction(spans, neighbours, joins, call, request);
			const at = spans.began[first];
			found.add(request, at, at, { after: spans.connection[first], next: first, isDoubted });
		}
		places.keep((index) => taken[index] < 0);
		if (found.size > size) left = unjoinedOf(left, joins);
		return found.size - size;
	};
	// With what is left, a request whose calls others took may find its own: before any is given a second one.
	for (let round = 0; round < ANSWERS_ROUNDS && left.length > 0; round += 1) if (step(before) === 0) break;
	for (let round = 0; round < ROUNDS_MOST && before.size > 0 && left.length > 0; round += 1) {
		places.clear();
		[places, before] = [before, places];
		step(before);
	}
	joinParallel(spans, made, joins, (request, call) => profileOf(request)?.sides.has(spans.way[call]) !== false);
	joinContained(spans, served, made, joins);
}

/**
 * Without a copy: of many rounds each would leave one behind.
 * @param left is changed
 */
function unjoinedOf(left: Int32Array, { parent }: Joins) {
	let kept = 0;
	for (let at = 0; at < left.length; at += 1) if (parent[left[at]] < 0) left[kept++] = left[at];
	return left.subarray(0, kept);
}

type Where = {
	places: Places;
	/** in the order of their ends */
	left: Int32Array;
	usual: Usual;
	choices: Choices;
	work: { steps: number };
	/** whether the call would carry the request's id */
	isPassedOn: (request: number, call: number) => boolean;
	/** calls that each place is compared with */
	most: number;
};

function matched(spans: Spans, where: Where) {
	const { places, left, choices } = where;
	choices.begin(places.size, left, spans.over);
	const { ends } = choices;
	for (let index = 0; index < places.size; index += 1) {
		const at = places.at[index];
		const middle = upTo(ends, at + TOLERANCE_S);
		look(spans, where, choices, ends, index, middle - 1, -1);
		// Whoever is given up may work on.
		if (places.limit[index] > at) look(spans, where, choices, ends, index, middle, 1);
	}
	const { began } = spans;
	const { request, at } = places;
	// What comes first is most often done first, on both sides.
	return nearestOneToOne(choices, left.length, (place, call, otherPlace, otherCall) => {
		const isLate = (at[place] - at[otherPlace]) * (ends[call] - ends[otherCall]) < 0;
		return isLate && (began[request[place]] - began[request[otherPlace]]) * (began[left[call]] - began[left[otherCall]]) < 0;
	});
}

/**
 * index: of the
 * place; from, step: in the calls
 */
function look(
	{ began }: Spans,
	{ places, left, usual, work, isPassedOn, most }: Where,
	choices: Choices,
	ends: Float64Array,
	index: number,
	from: number,
	step: 1 | -1,
): void {
	const request = places.request[index];
	const placeAt = places.at[index];
	const limit = places.limit[index];
	const earliest = began[request] - TOLERANCE_S;
	let fitting = 0;
	let at = from;
	for (let looked = 0; looked < BY_ORDER_LOOKED_AT_MOST && fitting < most; looked += 1, at += step) {
		if (at < 0 || at >= left.length || ends[at] > limit + TOLERANCE_S || ends[at] < earliest) break;
		work.steps += 1;
		const call = left[at];
		if (call === request || began[call] < earliest || began[call] > placeAt + TOLERANCE_S) continue;
		if (isPassedOn(request, call)) continue;
		fitting += 1;
		choices.add(index, at, usual.costOf(places, index, call, Math.abs(placeAt - ends[at]), choices.farthest(index)));
	}
}

/**
 * @param joins is changed
 * @param request that it was joined to
 * @returns the first call of the transaction
 */
function joinTransaction(spans: Spans, neighbours: Neighbours, joins: Joins, call: number, request: number): number {
	// As most calls are: by themselves.
	if (neighbours.after[call] < 0 && neighbours.before[call] < 0) return call;
	const { parent, basis, ambiguous } = joins;
	const isIts = (other: number) =>
		other >= 0 &&
		parent[other] < 0 &&
		spans.began[other] >= spans.began[request] - TOLERANCE_S &&
		spans.ended[other] <= spans.worked[request] + TOLERANCE_S;
	let first = call;
	for (const side of [neighbours.after, neighbours.before]) {
		for (let own = side[call]; isIts(own); own = side[own]) {
			[parent[own], basis[own], ambiguous[own]] = [request, BY_ORDER, ambiguous[call]];
			if (spans.began[own] < spans.began[first]) first = own;
		}
	}
	return first;
}
