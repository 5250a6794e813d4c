/**
 * Gives each place the call that is nearest to it, one to one: no place and call that are not together are nearer to each other than to those
 * that they have. It is what taking the nearest pair of all, then the next, would give, without sorting all pairs.
 */

/** Calls that a place is compared with. */
const CHOICES = 16;
/**
 * So much farther, in the costs' own measure, and another assignment fits as well: by records of which ids tell the truth, less leaves more
 * of the wrong ones untold.
 */
export const AS_WELL = 1.5;
/** So much, and order decides. */
const ALIKE = 1;

/** The nearest calls of each place, the nearest first. It is used again for the next places: many rounds would leave much behind. */
export class Choices {
	places = 0;
	/** Where each of the calls that are left is over, in the order of that. */
	ends;
	/** Of each of them: the place that has it, -1 of none, and at which cost. */
	holder;
	paid;
	/** And the round of exchanges in which it last changed hands. */
	moved;
	#ends;
	/** -1 after its last */
	calls: Int32Array;
	costs: Float64Array;

	/** @param most places at a time */
	constructor(most: number, mostCalls: number) {
		this.calls = new Int32Array(most * CHOICES);
		this.costs = new Float64Array(most * CHOICES);
		this.#ends = new Float64Array(mostCalls);
		this.ends = this.#ends;
		this.holder = new Int32Array(mostCalls);
		this.paid = new Float64Array(mostCalls);
		this.moved = new Uint8Array(mostCalls);
	}

	/**
	 * @param places that have none yet
	 * @param left calls, by where they are over
	 */
	begin(places: number, left: Int32Array, over: Float64Array) {
		this.ends = this.#ends.subarray(0, left.length);
		for (let at = 0; at < left.length; at += 1) this.ends[at] = over[left[at]];
		this.holder.fill(-1, 0, left.length);
		this.moved.fill(0, 0, left.length);
		this.places = places;
		this.calls.fill(-1, 0, places * CHOICES);
		this.costs.fill(Number.POSITIVE_INFINITY, 0, places * CHOICES);
	}

	/**
	 * Cost of its last choice: at as much a call is none.
	 * @returns endless where there is room
	 */
	farthest(place: number): number {
		return this.costs[place * CHOICES + CHOICES - 1];
	}

	add(place: number, call: number, cost: number) {
		const first = place * CHOICES;
		let at = first + CHOICES - 1;
		if (cost >= this.costs[at]) return;
		for (; at > first && this.costs[at - 1] > cost; at -= 1) {
			this.costs[at] = this.costs[at - 1];
			this.calls[at] = this.calls[at - 1];
		}
		this.costs[at] = cost;
		this.calls[at] = call;
	}

	/** @returns whether one of its choices changed hands in that round or since */
	hasMoved(place: number, round: number): boolean {
		const first = place * CHOICES;
		for (let at = first; at < first + CHOICES && this.calls[at] >= 0; at += 1) if (this.moved[this.calls[at]] >= round) return true;
		return false;
	}

	/** @returns endless where it is not one of them */
	costOf(place: number, call: number): number {
		const first = place * CHOICES;
		for (let at = first; at < first + CHOICES && this.calls[at] >= 0; at += 1) if (this.calls[at] === call) return this.costs[at];
		return Number.POSITIVE_INFINITY;
	}
}

/** Nearest first leaves a far one over: whoever exchanges may do so again. */
const EXCHANGES_MOST = 4;

/**
 * @param calls how many there are
 * @param isCrossed whether two assignments would keep their
 * order better when they exchanged their calls
 * @returns taken: the call of each place, -1 of none; ambiguous: of each call
 */
export function nearestOneToOne(
	choices: Choices,
	calls: number,
	isCrossed: (place: number, call: number, otherPlace: number, otherCall: number) => boolean,
): { taken: Int32Array; ambiguous: () => Uint8Array } {
	const { holder, paid, taken } = nearest(choices);
	for (let round = 1; round <= EXCHANGES_MOST; round += 1) if (!exchange(choices, { holder, paid, taken }, isCrossed, round)) break;
	return { taken, ambiguous: () => whereOthersFit(choices, calls, { taken, holder, paid }) };
}

/** holder, paid: of each call; taken: of each place */
type Assigned = { holder: Int32Array; paid: Float64Array; taken: Int32Array };

/**
 * @param assigned is changed
 * @param round from 1 on
 * @returns whether any did
 */
function exchange(
	choices: Choices,
	{ holder, paid, taken }: Assigned,
	isCrossed: (place: number, call: number, otherPlace: number, otherCall: number) => boolean,
	round: number,
): boolean {
	const { moved } = choices;
	let isChanged = false;
	for (let place = 0; place < choices.places; place += 1) {
		// Where no choice changed hands since it was asked, it would answer the same: after the first round that is so of nearly all.
		if (taken[place] < 0 || (round > 1 && !choices.hasMoved(place, round - 1))) continue;
		for (let at = place * CHOICES; at < (place + 1) * CHOICES && choices.calls[at] >= 0; at += 1) {
			const own = taken[place];
			const other = choices.calls[at];
			const owner = holder[other];
			if (other === own || owner < 0 || !isCrossed(place, own, owner, other)) continue;
			const cost = choices.costOf(owner, own);
			if (cost === Number.POSITIVE_INFINITY || cost + choices.costs[at] > paid[own] + paid[other] + ALIKE) continue;
			[holder[own], holder[other], paid[own], paid[other]] = [owner, place, cost, choices.costs[at]];
			[taken[owner], taken[place]] = [own, other];
			[moved[own], moved[other]] = [round, round];
			isChanged = true;
		}
	}
	return isChanged;
}

function nearest(choices: Choices): Assigned {
	const { holder, paid } = choices;
	const taken = new Int32Array(choices.places).fill(-1);
	for (let place = 0; place < choices.places; place += 1) {
		// Each step uses up one of somebody's choices.
		for (let asking = place, next = place * CHOICES; asking >= 0; ) {
			const call = next < (asking + 1) * CHOICES ? choices.calls[next] : -1;
			if (call < 0) break;
			const cost = choices.costs[next];
			if (holder[call] >= 0 && paid[call] <= cost) {
				next += 1;
				continue;
			}
			const before = holder[call];
			holder[call] = asking;
			paid[call] = cost;
			taken[asking] = call;
			asking = before;
			if (before < 0) break;
			taken[before] = -1;
			next = before * CHOICES + indexIn(choices, before, call) + 1;
		}
	}
	return { holder, paid, taken };
}

function indexIn({ calls }: Choices, place: number, call: number) {
	let index = 0;
	while (calls[place * CHOICES + index] !== call) index += 1;
	return index;
}

function whereOthersFit(choices: Choices, calls: number, { taken, holder, paid }: Assigned) {
	const ambiguous = new Uint8Array(calls);
	for (let place = 0; place < choices.places; place += 1) {
		const own = taken[place];
		const ownCost = own < 0 ? 0 : paid[own];
		for (let at = place * CHOICES; at < (place + 1) * CHOICES && choices.calls[at] >= 0; at += 1) {
			const other = choices.calls[at];
			if (other === own) continue;
			const cost = choices.costs[at];
			const owner = holder[other];
			if (own < 0) {
				// It has none, and could have this one.
				if (owner >= 0 && cost <= paid[other] + AS_WELL) ambiguous[other] = 1;
			} else if (owner < 0) {
				if (cost <= ownCost + AS_WELL) ambiguous[own] = 1;
			} else if (cost + choices.costOf(owner, own) <= ownCost + paid[other] + AS_WELL) {
				ambiguous[own] = 1;
				ambiguous[other] = 1;
			}
		}
	}
	return ambiguous;
}
