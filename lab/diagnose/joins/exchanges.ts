/**
 * Two requests exchange what they were dealt (chains.ts) between two moments at which both stood in the service, where that is likelier; where
 * it is nearly as likely, nobody knows whose it is. What nobody was dealt goes where it is likeliest, or stays nobody's.
 */

import { before } from '../../stats/numbers.ts';
import type { Spans } from './call-columns.ts';
import type { Chain, Chains, Link } from './chains.ts';
import { LEFT_COST, stepBy } from './chains.ts';
import { AS_WELL } from './matching.ts';
import { TOLERANCE_S } from './rules.ts';

/** between two steps of a request: it stands in the service */
type Slot = {
	chain: Chain;
	/** of the link that ends it */
	place: number;
	from: number;
	to: number;
};

/** places in the links of two chains */
type Crossing = { own: number; other: number };

/** So much may order decide. */
const ORDER_COST = 1;
/** Better than that counts; rounding does not. */
const BETTER = 1e-6;
/** Slots on either side of one, in the order of their ends, and those of one pair of requests. */
const LOOKED_AT_MOST = 12;
const CROSSINGS_MOST = 6;
const SWEEPS_MOST = 3;

/** more: cost */
type Option = { chain: Chain; links: () => Link[]; more: number };

export class Exchanges {
	#spans;
	#chains;
	/** in the order of their ends */
	#slots: Slot[] = [];
	#costs: Map<Chain, number> = new Map();
	/** Of each call. */
	ambiguous;

	constructor(spans: Spans, chains: Chains) {
		this.#spans = spans;
		this.#chains = chains;
		this.ambiguous = new Uint8Array(spans.calls.length);
		for (const chain of chains.chains) this.#costs.set(chain, chains.walk(chain, chain.links).cost);
	}

	/** @param left calls that nobody was dealt */
	settle(left: number[]) {
		let free = left;
		for (let sweep = 0; sweep < SWEEPS_MOST; sweep += 1) {
			this.#list();
			const placed = free.length;
			free = free.flatMap((call) => this.#place(call));
			if (this.#sweep() === 0 && free.length === placed) break;
		}
		this.#list();
		this.#doubt();
		for (const call of free) for (const { more, old } of this.#insteadOf(call)) if (more <= AS_WELL) this.ambiguous[old] = 1;
	}

	#list() {
		const { began, over } = this.#spans;
		this.#slots = [];
		this.#touched.clear();
		for (const chain of this.#chains.chains) {
			let from = chain.from;
			for (const [place, { call }] of chain.links.entries()) {
				this.#slots.push({ chain, place, from, to: call < 0 ? chain.to : began[call] });
				if (call >= 0) from = over[call];
			}
		}
		this.#slots.sort((one, other) => one.to - other.to);
		this.#ends = Float64Array.from(this.#slots, ({ to }) => to);
	}
	#ends = new Float64Array();
	/** Whose slots are not those that are listed. */
	#touched: Set<Chain> = new Set();

	/** @returns exchanges */
	#sweep(): number {
		let count = 0;
		const places: Map<Chain, number[]> = new Map();
		for (const [index, { chain }] of this.#slots.entries()) {
			const own = places.get(chain);
			if (own) own.push(index);
			else places.set(chain, [index]);
		}
		for (const [chain, own] of places) {
			const met: Map<Chain, Crossing[]> = new Map();
			for (const index of own)
				for (const step of [-1, 1])
					for (let at = index + step, looked = 0; at >= 0 && at < this.#slots.length && looked < LOOKED_AT_MOST; at += step, looked += 1) {
						const [one, other] = [this.#slots[index], this.#slots[at]];
						if (other.chain.number <= chain.number) continue;
						if (one.from > other.to + TOLERANCE_S || other.from > one.to + TOLERANCE_S) continue;
						const crossings = met.get(other.chain) ?? [];
						met.set(other.chain, crossings);
						if (crossings.length < CROSSINGS_MOST) crossings.push({ own: one.place, other: other.place });
					}
			for (const [other, crossings] of met) {
				if (crossings.length < 2 || this.#touched.has(chain) || this.#touched.has(other)) continue;
				if (this.#exchange(chain, other, crossings)) count += 1;
			}
		}
		return count;
	}

	/** @returns whether they did */
	#exchange(one: Chain, other: Chain, crossings: Crossing[]): boolean {
		const before = this.#costOf(one) + this.#costOf(other);
		let best = { cost: before - BETTER, links: null as [Link[], Link[]] | null };
		for (const first of crossings)
			for (const last of crossings) {
				if (last.own < first.own || last.other < first.other || (last.own === first.own && last.other === first.other)) continue;
				const [mine, its] = [one.links.slice(first.own, last.own), other.links.slice(first.other, last.other)];
				if ([...mine, ...its].some(({ call }) => this.#chains.isFixed[call] === 1)) continue;
				const made = this.#chains.walk(one, [...one.links.slice(0, first.own), ...its, ...one.links.slice(last.own)]);
				if (made.cost > before + ORDER_COST) continue;
				const makes = this.#chains.walk(other, [...other.links.slice(0, first.other), ...mine, ...other.links.slice(last.other)]);
				const cost = made.cost + makes.cost + this.#gainedBy(one, other, first) + this.#gainedBy(one, other, last);
				if (cost < best.cost) best = { cost, links: [made.links, makes.links] };
			}
		if (best.links === null) return false;
		for (const [index, chain] of [one, other].entries()) this.#set(chain, best.links[index]);
		return true;
	}

	/**
	 * A call is another's only if what led to it, or to one before it, led to somebody else's, and so did what came of it or of one after it:
	 * not always the same other's.
	 */
	#doubt() {
		/** by slot, what the cheapest change there costs */
		const changes: Map<Chain, number[]> = new Map(this.#chains.chains.map((chain) => [chain, []]));
		for (const [index, slot] of this.#slots.entries()) {
			let least = Number.POSITIVE_INFINITY;
			for (const step of [-1, 1])
				for (let at = index + step, looked = 0; at >= 0 && at < this.#slots.length && looked < LOOKED_AT_MOST; at += step, looked += 1)
					least = Math.min(least, this.#changeOf(slot, this.#slots[at]));
			(changes.get(slot.chain) as number[])[slot.place] = Math.max(0, least);
		}
		for (const [{ links }, own] of changes)
			for (let place = 0; place < links.length - 1; place += 1)
				if (Math.min(...own.slice(0, place + 1)) + Math.min(...own.slice(place + 1)) <= AS_WELL) this.ambiguous[links[place].call] = 1;
	}

	/** What it costs that each goes on as the other does. */
	#changeOf(one: Slot, other: Slot) {
		if (one.chain === other.chain || one.from > other.to + TOLERANCE_S || other.from > one.to + TOLERANCE_S)
			return Number.POSITIVE_INFINITY;
		const [mine, its] = [one.chain.links[one.place].step, other.chain.links[other.place].step];
		const [made, makes] = [stepBy(stateAt(one), its.way), stepBy(stateAt(other), mine.way)];
		const before = mine.cost + mine.gap.costOf(one.to - one.from) + its.cost + its.gap.costOf(other.to - other.from);
		return made.cost + made.gap.costOf(other.to - one.from) + makes.cost + makes.gap.costOf(one.to - other.from) - before;
	}

	/** What comes first is most often done first. */
	#gainedBy(one: Chain, other: Chain, crossing: Crossing) {
		const [mine, its] = [this.#slotOf(one, crossing.own), this.#slotOf(other, crossing.other)];
		if (mine.way !== its.way) return 0;
		const order = (mine.from - its.from) * (mine.to - its.to);
		return order < 0 ? -ORDER_COST : order > 0 ? ORDER_COST : 0;
	}

	#slotOf({ links, from, to }: Chain, place: number) {
		const { began, over } = this.#spans;
		const { call, step } = links[place];
		return { way: step.way, from: place === 0 ? from : over[links[place - 1].call], to: call < 0 ? to : began[call] };
	}

	#costOf = (chain: Chain) => this.#costs.get(chain) as number;

	#set(chain: Chain, links: Link[]) {
		chain.links = links;
		this.#touched.add(chain);
		this.#costs.set(chain, this.#chains.walk(chain, links).cost);
		for (const { call } of links) if (call >= 0) this.#chains.holder[call] = chain;
	}

	/**
	 * Gives a call to the request that is the likeliest to have made it, beside what that has or in the place of another.
	 * @returns what is nobody's then: it, that other, or none
	 */
	#place(call: number): number[] {
		const beside = this.#besideOf(call).filter(({ more, links }) => more < LEFT_COST && (!this.#isKnown(call) || links().every(isSeen)));
		if (beside.length > 0) {
			const [best, next] = beside.toSorted((one, other) => one.more - other.more);
			this.#set(best.chain, best.links());
			if (next && next.more <= best.more + AS_WELL) this.ambiguous[call] = 1;
			return [];
		}
		const [best] = this.#insteadOf(call).toSorted((one, other) => one.more - other.more);
		if (best === undefined || best.more >= -BETTER) return [call];
		this.#set(best.chain, best.links());
		this.#chains.holder[best.old] = null;
		return [best.old];
	}

	/** Whether any kind was seen to ask it. */
	#isKnown = (call: number) => this.#chains.chains.some(({ profile }) => profile.ways.has(this.#spans.way[call]));

	#besideOf(call: number): Option[] {
		const { began, over } = this.#spans;
		return this.#slotsFrom(before(this.#ends, over[call] - TOLERANCE_S)).flatMap(({ chain, place, from }) =>
			from > began[call] + TOLERANCE_S ? [] : this.#optionOf(chain, place, call, 0),
		);
	}

	#insteadOf(call: number): (Option & { old: number })[] {
		const { began, way } = this.#spans;
		const first = before(this.#ends, began[call]) - (LOOKED_AT_MOST >> 1);
		return this.#slotsFrom(Math.max(0, first)).flatMap(({ chain, place }) => {
			const old = chain.links[place].call;
			if (old < 0 || way[old] !== way[call] || this.#chains.isFixed[old] === 1) return [];
			return this.#optionOf(chain, place, call, 1).map((option) => ({ ...option, old }));
		});
	}

	#slotsFrom = (first: number) => this.#slots.slice(first, first + 2 * LOOKED_AT_MOST).filter(({ chain }) => !this.#touched.has(chain));

	/** @param without so many of those that it has there */
	#optionOf(chain: Chain, place: number, call: number, without: 0 | 1): Option[] {
		if (!this.#chains.mayBe(chain, call)) return [];
		const { cost, links } = this.#chains.walkWith(chain, place, without, call);
		return cost === Number.POSITIVE_INFINITY ? [] : [{ chain, links, more: cost - this.#costOf(chain) }];
	}
}

const isSeen = ({ step }: Link) => step.seen > 0;

/** Before it. */
function stateAt({ chain, place }: Slot) {
	let state = chain.profile.start;
	for (let at = 0; at < place; at += 1) state = chain.links[at].step.next ?? state;
	return state;
}
