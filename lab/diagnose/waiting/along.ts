/**
 * By which calls a walk goes on at each of its steps, and which requests of the load it is about there, so that each failed request is at one place
 * in the end.
 */
import { leading, upTo } from '../../stats/numbers.ts';
import { GOOD_LEAST } from './asked.ts';
import type { Seen } from './seen.ts';
import { GOOD, once } from './seen.ts';
import { kindsOf } from './spread.ts';
import type { Step } from './step.ts';
import { calmAt } from './step.ts';

export type Parted = {
	/** requests of the load, by the numbers of their calls to the entry */
	roots: number[];
	/** of the failed calls of a service, as far as it is known, the request that each was made for */
	rootOf: Map<number, number>;
	/** requests of which nothing is known on the way: they went along with the others */
	loose: Set<number>;
};

/** a failed call of a service, and the call that it failed by */
type Pairs = [request: number, call: number][];

export function pairsOf(last: Map<number, number>, calls: number[]): Pairs {
	const own = new Set(calls);
	return [...last].filter(([, call]) => own.has(call));
}

export const alone = (request: number): [number, number] => [request, request];

/** Requests of the load, by the way that each goes on. Those that no call is known of go along, as many to each way as its calls are. */
export function partedRoots({ roots, rootOf, loose }: Parted, ways: Pairs[]): Parted[] {
	const taken: Set<number> = new Set();
	const parted = ways.map((pairs) => {
		const own: Parted = { roots: [], rootOf: new Map(), loose: new Set() };
		for (const [request, call] of pairs) {
			const root = rootOf.get(request);
			if (root === undefined) continue;
			own.rootOf.set(call, root);
			if (taken.has(root)) continue;
			taken.add(root);
			own.roots.push(root);
			if (loose.has(root)) own.loose.add(root);
		}
		return own;
	});
	const left = roots.filter((root) => !taken.has(root));
	const counts = parts(
		left.length,
		ways.map(({ length }) => length),
	);
	// Where nothing was lost on the way here and there is one way alone, they can only have gone that one.
	const isKnown = ways.length === 1 && rootOf.size === 0;
	let next = 0;
	for (const [index, own] of parted.entries()) {
		const along = left.slice(next, next + counts[index]);
		next += counts[index];
		for (const root of along) {
			own.roots.push(root);
			if (!isKnown || loose.has(root)) own.loose.add(root);
		}
	}
	return parted;
}

/** Whole numbers that sum up to it. */
function parts(whole: number, weights: number[]) {
	const all = weights.reduce((sum, weight) => sum + weight, 0);
	let [done, given] = [0, 0];
	return weights.map((weight) => {
		done += weight;
		const own = Math.round((whole * done) / all) - given;
		given += own;
		return own;
	});
}

/** @param calls that were made for the failed ones */
export function rootsOf({ rootOf }: Pick<Parted, 'rootOf'>, { joins }: Pick<Seen, 'joins'>, calls: number[]): Map<number, number> {
	const known: Map<number, number> = new Map();
	for (const call of calls) {
		const root = rootOf.get(joins.parent[call]);
		if (root !== undefined) known.set(call, root);
	}
	return known;
}

/** Calls that went on at moments of the failed: the long ones, else all. */
export function goingAt({ seen, service, moments }: Step, to: string, isLong: (call: number) => boolean): number[] {
	const { began, over, load } = seen;
	const isGoing = (call: number) => over[call] >= moments[0] && upTo(moments, over[call]) > upTo(moments, began[call]);
	const going = seen.onEdge(service, to).filter((call) => began[call] >= load.warmupFrom && isGoing(call));
	const long = going.filter(isLong);
	return long.length > 0 ? long : going;
}

export const inOrder = ({ began }: Seen, calls: number[]) => [...new Set(calls)].sort((one, other) => began[one] - began[other]);

/** Good calls of the same kinds, of the same time where there are enough. */
export function goodBeside({ seen, service, time, calm }: Step, to: string, calls: number[]) {
	const { began, over } = seen;
	const own = new Set(calls);
	const all = goodOfKinds(seen, service, to, kindsOf(seen, calls));
	const begun = leading(all, (call) => began[call] <= time.to);
	const during = all.filter((call, place) => place < begun && over[call] >= time.from && !own.has(call));
	if (during.length >= GOOD_LEAST) return during;
	const isDuring = (call: number) => over[call] >= time.from && began[call] <= time.to;
	const isCalm = calmAt(calm);
	return all.filter((call) => !own.has(call) && (isDuring(call) || isCalm(began[call]) || calm.length === 0));
}

/**
 * @param kinds of attempts to connect alone, any go along
 * @returns as they began
 */
function goodOfKinds(seen: Seen, from: string, to: string, kinds: Set<string>): number[] {
	const [kind] = kinds;
	if (kinds.size === 1) return kind === '' ? goodOn(seen, from, to) : goodOfKind(seen, from, to, kind);
	return goodOn(seen, from, to).filter((call) => kinds.has(seen.kind[call]));
}
const goodOn = once(({ onEdge, sign }, from, to) => onEdge(from, to).filter((call) => sign[call] === GOOD));
const goodOfKind = once((seen, from, to, kind) => goodOn(seen, from, to).filter((call) => seen.kind[call] === kind));
