/**
 * Joins the calls of requests whose kinds were seen alone: each gets those that are most likely its own, from its beginning to its answer, and
 * none is given to two. Whoever can do without a call that two would have takes others: its price rises as it changes hands.
 */

import { grouped } from '../../base/values.ts';
import { before } from '../../stats/numbers.ts';
import type { Spans } from './call-columns.ts';
import type { Profile, State, Step } from './profile.ts';
import { END } from './profile.ts';
import type { Neighbours } from './rules.ts';
import { TOLERANCE_S } from './rules.ts';

/** call: -1 of the answer */
export type Link = { call: number; step: Step };

export type Chain = {
	/** its place among them */
	number: number;
	request: number;
	profile: Profile;
	from: number;
	to: number;
	isFailed: boolean;
	/** calls that carry its id */
	own: number[];
	/** from its first call to its answer */
	links: Link[];
	bids: number;
};

/** at: when its last call was over */
type Path = { state: State; at: number; cost: number; link: Link | null; before: Path | null };

/** Ways to go on with, and calls that each step looks at. */
const WIDTH = 4;
const [SOON_MOST, LATE_MOST, LOOKED_AT_MOST] = [8, 4, 32];
/** Calls of one request, one after another. */
const LENGTH_MOST = 256;
/** In the costs' own measure. A call that is nobody's is so unlikely: what goes on beside requests is known. */
export const LEFT_COST = 3;
const PRICE_STEP = 1.5;
/** Whoever was outbid so often takes what nobody has. */
const BIDS_MOST = 10;
/** A failed request may stop there, and a failed call may be tried again. */
const FAILED_COST = 1;
const WITHIN_TRANSACTION = 3;
/** More tell no more. */
const [BLOCKS, BLOCK_LENGTH] = [8, 250];
/** What is worse than the best so far by more is not gone on with. */
const WORSE_MOST = 8;

export class Chains {
	#spans;
	#neighbours;
	chains;
	/** Of each call, whose it is. */
	holder: (Chain | null)[];
	#price;
	#isBad;
	/** Those that carry a request's id. */
	isFixed;
	#isPassedOn;
	#work;
	/** Of each call, the last path that was found to have it. */
	#pathOf;
	#paths = 0;
	/** By way, in the order of their beginnings. */
	#ways: Map<number, { calls: number[]; began: Float64Array }> = new Map();

	/**
	 * @param chains in the order of their beginnings
	 * @param calls that could be theirs, in the order of their beginnings
	 */
	constructor(
		spans: Spans,
		chains: Chain[],
		calls: number[],
		{
			neighbours,
			isJoined,
			isPassedOn,
			work,
		}: {
			neighbours: Neighbours;
			/** by an id */
			isJoined: (call: number) => boolean;
			/** whether the call would carry the request's id */
			isPassedOn: (request: number, call: number) => boolean;
			work: { steps: number };
		},
	) {
		this.#work = work;
		this.#spans = spans;
		this.#neighbours = neighbours;
		this.chains = chains;
		const size = spans.calls.length;
		this.holder = new Array(size).fill(null);
		this.#price = new Float64Array(size);
		this.#pathOf = new Uint32Array(size);
		this.#isBad = Uint8Array.from(spans.calls, ({ bad }) => (bad ? 1 : 0));
		this.isFixed = new Uint8Array(size);
		this.#isPassedOn = isPassedOn;
		for (const call of calls) this.isFixed[call] = isJoined(call) ? 1 : 0;
		for (const [way, own] of grouped(calls, (call) => spans.way[call]))
			this.#ways.set(way, { calls: own, began: Float64Array.from(own, (call) => spans.began[call]) });
	}

	/** Learns from a part of them what is usual under the load. */
	learn() {
		const some = blocksOf(this.chains);
		this.deal(some);
		const { began, over } = this.#spans;
		const gaps: Map<Step, number[]> = new Map();
		for (const { links, from, to } of some) {
			let at = from;
			for (const { call, step } of links) {
				const own = gaps.get(step) ?? [];
				// What was not seen alone is mostly a mistake here, and is not to be learned.
				if (step.seen > 0) gaps.set(step, own);
				own.push((call < 0 ? to : began[call]) - at);
				at = over[call];
			}
		}
		for (const [step, own] of gaps) step.gap.learn(own);
	}

	/** Anew. */
	deal(chains: Chain[]) {
		this.holder.fill(null);
		this.#price.fill(0);
		for (const chain of this.chains) [chain.links, chain.bids] = [[], 0];
		const asking = chains.toReversed();
		for (let chain = asking.pop(); chain !== undefined; chain = asking.pop()) {
			chain.bids += 1;
			chain.links = this.#best(chain);
			for (const { call } of chain.links) {
				if (call < 0) continue;
				const other = this.holder[call];
				if (other !== null) {
					this.#price[call] += PRICE_STEP;
					this.#release(other, call);
					asking.push(other);
				}
				this.holder[call] = chain;
			}
		}
	}

	/** @param taken a call of it that another has */
	#release(chain: Chain, taken: number) {
		for (const { call } of chain.links) {
			if (call < 0 || this.holder[call] !== chain) continue;
			this.holder[call] = null;
			// Nobody else would have it.
			if (call !== taken) this.#price[call] = 0;
		}
		chain.links = [];
	}

	#best(chain: Chain): Link[] {
		let paths: Path[] = [{ state: chain.profile.start, at: chain.from, cost: 0, link: null, before: null }];
		let best: Path | null = null;
		for (let length = 0; length <= LENGTH_MOST && paths.length > 0; length += 1) {
			const longer: Path[] = [];
			for (const path of paths) {
				const { state, at, cost } = path;
				if (best !== null && cost > best.cost + WORSE_MOST) continue;
				const isCut = this.#isCut(chain, path.link);
				const next = this.#nextOwn(chain, path);
				this.#mark(path);
				if (next < 0) {
					const whole = cost + costOf(state.end, isCut) + state.end.gap.costOf(chain.to - at);
					if (best === null || whole < best.cost) best = { state, at, cost: whole, link: { call: -1, step: state.end }, before: path };
				}
				for (const step of state.steps) this.#look(chain, path, { step, cost: step.cost, next, longer });
				if (state.again) this.#look(chain, path, { step: state.again, cost: costOf(state.again, isCut), next, longer });
			}
			paths = longer;
		}
		const links = [];
		for (let path = best; path?.link; path = path.before) links.push(path.link);
		return links.reverse();
	}

	/** Its latest calls as its own: before what was over well before the next may begin there are but earlier ones. */
	#mark(path: Path) {
		this.#paths += 1;
		for (let one = path as Path | null; one?.link && one.at > path.at - LOOKED_BACK_S; one = one.before)
			this.#pathOf[one.link.call] = this.#paths;
	}

	#isCut = ({ isFailed }: Chain, last: Link | null) => isFailed || (last !== null && this.#isBad[last.call] === 1);

	/** The next call that carries its id; -1 of none. */
	#nextOwn = ({ own }: Chain, { at, link }: Path) =>
		own.length === 0 ? -1 : (own.find((call) => this.#spans.began[call] >= at - TOLERANCE_S && call !== link?.call) ?? -1);

	/**
	 * @param path the one that is marked
	 * @param about next: that has to come
	 */
	#look(chain: Chain, path: Path, { step, cost, next, longer }: { step: Step; cost: number; next: number; longer: Path[] }) {
		const way = this.#ways.get(step.way);
		if (way === undefined) return;
		const { began, over } = this.#spans;
		const { at } = path;
		const limit = (next < 0 ? chain.to : began[next]) + TOLERANCE_S;
		// What its kind was not seen to ask it may have when nobody else would.
		const saved = step.seen > 0 || cost <= FAILED_COST ? LEFT_COST : 0;
		const known = path.cost + cost - saved;
		const [first, last] = [before(way.began, at - TOLERANCE_S), before(way.began, limit)];
		/** @returns whether it could be */
		const take = (index: number): 0 | 1 => {
			this.#work.steps += 1;
			const call = way.calls[index];
			if (call === next ? over[call] > chain.to + TOLERANCE_S : over[call] > limit || !this.mayBe(chain, call)) return 0;
			const holder = this.holder[call];
			if ((holder !== null && holder !== chain && chain.bids > BIDS_MOST) || this.#pathOf[call] === this.#paths) return 0;
			// However soon it came, others are likelier.
			if (longer.length === WIDTH && longer[WIDTH - 1].cost <= known + this.#price[call] - ROUNDING) return 1;
			const whole =
				path.cost + cost + step.gap.costOf(began[call] - at) + this.#price[call] + this.#tornCost(chain, path.link, call) - saved;
			if (longer.length < WIDTH || longer[WIDTH - 1].cost > whole)
				insert(longer, { state: step.next as State, at: over[call], cost: whole, link: { call, step }, before: path });
			return 1;
		};
		// Between what comes soon and what comes just before the end, nothing is likely.
		let [low, high] = [first, last];
		for (let fitting = 0; low < high && low < first + LOOKED_AT_MOST && fitting < SOON_MOST; low += 1) fitting += take(low);
		for (let fitting = 0; high > low && high > last - LOOKED_AT_MOST && fitting < LATE_MOST; high -= 1) fitting += take(high - 1);
	}

	/** @param step from it */
	#stepCost = (chain: Chain, state: State, last: Link | null, step: Step, gap_s: number) =>
		(step === state.end || step === state.again ? costOf(step, this.#isCut(chain, last)) : step.cost) + step.gap.costOf(gap_s);

	/** Whether an id says nothing against it. */
	mayBe = ({ request }: Chain, call: number) => this.isFixed[call] === 0 && call !== request && !this.#isPassedOn(request, call);

	/**
	 * What it would cost a request to have made those calls.
	 * @param links their steps may be another request's
	 * @returns endless where they are not one after another
	 */
	walk(chain: Chain, links: Link[]): { cost: number; links: Link[] } {
		const { began, over } = this.#spans;
		const walked: Link[] = [];
		let [state, at, cost] = [chain.profile.start, chain.from, 0];
		let last: Link | null = null;
		for (const { call } of links) {
			const begin = call < 0 ? chain.to : began[call];
			if (begin < at - TOLERANCE_S) return { cost: Number.POSITIVE_INFINITY, links };
			const step = stepBy(state, call < 0 ? END : this.#spans.way[call]);
			cost += this.#stepCost(chain, state, last, step, begin - at);
			last = { call, step };
			walked.push(last);
			if (call < 0) break;
			cost += this.#tornCost(chain, walked.at(-2) ?? null, call);
			[state, at] = [step.next ?? state, over[call]];
		}
		return { cost, links: walked };
	}

	/**
	 * The same as {@link walk}, with a call put in at a place of its links, or in the place of one: what comes before and, once it goes on as it did,
	 * after is known.
	 * @param without so many of those that it has there
	 */
	walkWith(chain: Chain, place: number, without: number, call: number): { cost: number; links: () => Link[] } {
		const { began, over } = this.#spans;
		const { walked, states, ats, costs, whole } = this.#walkedOf(chain);
		const changed: Link[] = [];
		let [state, at, cost, last] = [states[place], ats[place], costs[place], place === 0 ? null : walked[place - 1]];
		const go = (next: number) => {
			const begin = next < 0 ? chain.to : began[next];
			if (begin < at - TOLERANCE_S) return false;
			const step = stepBy(state, next < 0 ? END : this.#spans.way[next]);
			cost += this.#stepCost(chain, state, last, step, begin - at);
			if (next >= 0) {
				cost += this.#tornCost(chain, last, next);
				[state, at] = [step.next ?? state, over[next]];
			}
			last = { call: next, step };
			changed.push(last);
			return true;
		};
		if (!go(call)) return { cost: Number.POSITIVE_INFINITY, links: () => chain.links };
		let index = place + without;
		for (; index < walked.length; index += 1) {
			const isAsBefore = index > place + without && last?.call === walked[index - 1].call && state === states[index] && at === ats[index];
			if (isAsBefore) {
				cost += whole - costs[index];
				break;
			}
			if (!go(walked[index].call)) return { cost: Number.POSITIVE_INFINITY, links: () => chain.links };
		}
		return { cost, links: () => [...walked.slice(0, place), ...changed, ...walked.slice(index)] };
	}

	/** What {@link walk} comes by at each of its links. */
	#walked: WeakMap<Link[], { walked: Link[]; states: State[]; ats: number[]; costs: number[]; whole: number }> = new WeakMap();

	#walkedOf(chain: Chain) {
		const known = this.#walked.get(chain.links);
		if (known) return known;
		const { began, over } = this.#spans;
		const { links: walked } = this.walk(chain, chain.links);
		let [state, at, cost] = [chain.profile.start, chain.from, 0];
		const passed: { states: State[]; ats: number[]; costs: number[] } = { states: [], ats: [], costs: [] };
		for (const [index, { call, step }] of walked.entries()) {
			passed.states.push(state);
			passed.ats.push(at);
			passed.costs.push(cost);
			const last = index === 0 ? null : walked[index - 1];
			cost += this.#stepCost(chain, state, last, step, (call < 0 ? chain.to : began[call]) - at);
			if (call < 0) break;
			cost += this.#tornCost(chain, last, call);
			[state, at] = [step.next ?? state, over[call]];
		}
		const found = { walked, ...passed, whole: cost };
		this.#walked.set(chain.links, found);
		return found;
	}

	/** Of a transaction that would be two requests'. */
	#tornCost({ from, to }: Chain, last: Link | null, call: number) {
		const { began, over } = this.#spans;
		const before = this.#neighbours.before[call];
		if (before >= 0 && before !== last?.call && began[before] >= from) return WITHIN_TRANSACTION;
		const after = last === null ? -1 : this.#neighbours.after[last.call];
		return after >= 0 && after !== call && over[after] <= to ? WITHIN_TRANSACTION : 0;
	}
}

/** Runs of requests, one after another, from all of the time. */
function blocksOf(chains: Chain[]) {
	if (chains.length <= BLOCKS * BLOCK_LENGTH) return chains;
	return Array.from({ length: BLOCKS }, (_, block) => Math.floor((block * (chains.length - BLOCK_LENGTH)) / (BLOCKS - 1))).flatMap((from) =>
		chains.slice(from, from + BLOCK_LENGTH),
	);
}

/**
 * @param paths the cheapest first; is changed
 * @param path cheaper than the last of as many as there may be
 */
function insert(paths: Path[], path: Path) {
	let place = Math.min(paths.length, WIDTH - 1);
	for (; place > 0 && paths[place - 1].cost > path.cost; place -= 1) paths[place] = paths[place - 1];
	paths[place] = path;
}

const costOf = ({ cost }: Step, isCut: boolean) => (isCut ? Math.min(FAILED_COST, cost) : cost);

/** @param way END of the answer */
export function stepBy(state: State, way: number): Step {
	if (way === END) return state.end;
	for (const step of state.steps) if (step.way === way) return step;
	return state.again?.way === way ? state.again : state.unseen;
}

/** Each step may go back by the tolerance: a hundred in turn do not. */
const LOOKED_BACK_S = 100 * TOLERANCE_S;
/** Of costs that are summed up in another order. */
const ROUNDING = 1e-9;
