/**
 * What one kind of request asks, one call after another, and how long its service works between them: how likely each step is, from its
 * beginning over its calls to its answer. Of calls that go on at the same time the last to end is a step; the others are beside it.
 */

import type { Spans } from './call-columns.ts';
import { Gap } from './gap.ts';

type Alone = { request: number; calls: number[] };

/** from one state to the next: after a call of one way, so often asked by then, one of another */
export type Step = {
	/** of the next; END of the answer */
	way: number;
	/** null of the answer */
	next: State | null;
	/** so often */
	seen: number;
	/** logarithm of how unlikely */
	cost: number;
	/** between both */
	gap: Gap;
};

export type State = {
	way: number;
	steps: Step[];
	/** to the answer, seen or not */
	end: Step;
	/** the same call once more, where that was not seen */
	again: Step | null;
	/** any other */
	unseen: Step;
};

export const END = -1;
const [START, NONE] = [-2, -3];
/** Asked more often, a call is one of a list, whose length differs. */
const COUNTED_MOST = 4;
/** A step that was not seen counts as half seen (Jeffreys' prior), and costs no more than this however often it was not. */
const HALF = 0.5;
const COST_MOST = 6;

export class Profile {
	start: State;
	/** Ways that any of them asked. */
	ways: Set<number> = new Set();
	/** Of them, those that went on beside another. */
	sides: Set<number> = new Set();
	/** Each asked one call, as whoever passes on does. */
	isOne;
	/** What came before what: by way, END the last; how often each, and all. */
	#before: Map<number, { all: number; ways: Map<number, number> }> = new Map();
	#count;
	/** Services that they asked, and the share of them that did. */
	callees: Map<string, number> = new Map();

	constructor(spans: Spans, all: Alone[]) {
		const states: Map<number, State> = new Map();
		this.start = stateIn(states, START, 0);
		this.isOne = all.every(({ calls }) => calls.length === 1);
		this.#count = all.length;
		const gaps: Map<Step, number[]> = new Map();
		for (const { request, calls } of all) {
			for (const call of calls) this.ways.add(spans.way[call]);
			for (const callee of new Set(calls.map(spans.calleeOf))) this.callees.set(callee, (this.callees.get(callee) ?? 0) + 1 / all.length);
			let state = this.start;
			let at = spans.began[request];
			const counts = new Map();
			const main = mainOf(spans, request, calls);
			const ways = [START, ...main.map((call) => spans.way[call]), END];
			for (const [place, way] of ways.entries()) if (place > 0) this.#note(ways[place - 1], way);
			for (const call of calls) if (!main.includes(call)) this.sides.add(spans.way[call]);
			for (const call of main) {
				const way = spans.way[call];
				counts.set(way, (counts.get(way) ?? 0) + 1);
				const next = stateIn(states, way, Math.min(COUNTED_MOST, counts.get(way)));
				note(gaps, stepTo(state, next), spans.began[call] - at);
				[state, at] = [next, spans.over[call]];
			}
			note(gaps, state.end, spans.over[request] - at);
		}
		for (const state of states.values()) weigh(state);
		for (const [step, own] of gaps) step.gap.learn(own);
	}

	#note(way: number, next: number) {
		const own = this.#before.get(next) ?? { all: 0, ways: new Map() };
		this.#before.set(next, own);
		own.all += 1;
		own.ways.set(way, (own.ways.get(way) ?? 0) + 1);
	}

	/**
	 * How unlikely it is that a call came just before another, or before the answer.
	 * @param next END of the answer
	 */
	costBefore(way: number, next: number) {
		const known = this.#costs.get(next) ?? new Map();
		let cost = known.get(way);
		if (cost === undefined) {
			const own = this.#before.get(next);
			cost = own === undefined ? costOf(0, this.#count) : costOf(own.ways.get(way) ?? 0, own.all);
			this.#costs.set(next, known.set(way, cost));
		}
		return cost;
	}
	/** Asked for millions of times, of few ways. */
	#costs: Map<number, Map<number, number>> = new Map();
}

function note(gaps: Map<Step, number[]>, step: Step, gap_s: number) {
	step.seen += 1;
	const own = gaps.get(step);
	if (own) own.push(gap_s);
	else gaps.set(step, [gap_s]);
}

function stateIn(states: Map<number, State>, way: number, count: number) {
	const key = way * (COUNTED_MOST + 1) + count;
	const known = states.get(key);
	if (known) return known;
	const state = { way, steps: [], end: newStep(END, null), again: null, unseen: newStep(NONE, null) } as State;
	states.set(key, state);
	return state;
}

const newStep = (way: number, next: State | null): Step => ({ way, next, seen: 0, cost: 0, gap: new Gap() });

function stepTo(state: State, next: State) {
	const known = state.steps.find((step) => step.next === next);
	if (known) return known;
	const step = newStep(next.way, next);
	state.steps.push(step);
	return step;
}

function weigh(state: State) {
	const { steps, end, way, unseen } = state;
	if (way >= 0 && !steps.some((step) => step.way === way)) state.again = newStep(way, state);
	const all = steps.reduce((sum, { seen }) => sum + seen, end.seen);
	for (const step of [...steps, end, unseen, ...(state.again ? [state.again] : [])]) step.cost = costOf(step.seen, all);
}

const costOf = (seen: number, all: number) => Math.min(COST_MOST, -Math.log(Math.max(HALF, seen) / (all + HALF)));

/** Backwards from its answer: what was over last before the next began. */
function mainOf({ began, over }: Spans, request: number, calls: number[]) {
	const main = [];
	let at = over[request];
	for (const call of calls.toSorted((one, other) => over[other] - over[one])) {
		if (over[call] > at) continue;
		main.push(call);
		at = began[call];
	}
	return main.reverse();
}
