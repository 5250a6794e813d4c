/**
 * By which calls a walk goes on at each of its steps, and which requests of the load it is about there, so that each failed request is at one place
 * in the end.
 *
 *
 * @typedef {object} Parted
 * @property {number[]} roots     requests of the load, by the numbers of their calls to the entry
 * @property {Map<number, number>} rootOf  of the failed calls of a service, as far as it is known, the request that each was made for
 * @property {Set<number>} loose  requests of which nothing is known on the way: they went along with the others
 *
 * @typedef {[request: number, call: number][]} Pairs  a failed call of a service, and the call that it failed by
 *
 * @import { Seen } from './seen.ts'
 * @import { Step } from './step.ts'
 */
import { leading, upTo } from '../../stats/numbers.ts';
import { GOOD_LEAST } from './asked.ts';
import { GOOD, once } from './seen.ts';
import { kindsOf } from './spread.ts';
import { calmAt } from './step.ts';

/** @param {Map<number, number>} last @param {number[]} calls @returns {Pairs} */
export function pairsOf(last, calls) {
	const own = new Set(calls);
	return [...last].filter(([, call]) => own.has(call));
}

/** @param {number} request @returns {[number, number]} */
export const alone = (request) => [request, request];

/**
 * Requests of the load, by the way that each goes on. Those that no call is known of go along, as many to each way as its calls are.
 * @param {Parted} at @param {Pairs[]} ways @returns {Parted[]}
 */
export function partedRoots({ roots, rootOf, loose }, ways) {
	/** @type {Set<number>} */
	const taken = new Set();
	const parted = ways.map((pairs) => {
		/** @type {Parted} */
		const own = { roots: [], rootOf: new Map(), loose: new Set() };
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

/** Whole numbers that sum up to it. @param {number} whole @param {number[]} weights */
function parts(whole, weights) {
	const all = weights.reduce((sum, weight) => sum + weight, 0);
	let [done, given] = [0, 0];
	return weights.map((weight) => {
		done += weight;
		const own = Math.round((whole * done) / all) - given;
		given += own;
		return own;
	});
}

/**
 * @param {Pick<Parted, 'rootOf'>} at
 * @param {Pick<Seen, 'joins'>} seen
 * @param {number[]} calls  that were made for the failed ones
 * @returns {Map<number, number>}
 */
export function rootsOf({ rootOf }, { joins }, calls) {
	/** @type {Map<number, number>} */
	const known = new Map();
	for (const call of calls) {
		const root = rootOf.get(joins.parent[call]);
		if (root !== undefined) known.set(call, root);
	}
	return known;
}

/** Calls that went on at moments of the failed: the long ones, else all. @param {Step} step @param {string} to @param {(call: number) => boolean} isLong @returns {number[]} */
export function goingAt({ seen, service, moments }, to, isLong) {
	const { began, over, load } = seen;
	const isGoing = (/** @type {number} */ call) => over[call] >= moments[0] && upTo(moments, over[call]) > upTo(moments, began[call]);
	const going = seen.onEdge(service, to).filter((call) => began[call] >= load.warmupFrom && isGoing(call));
	const long = going.filter(isLong);
	return long.length > 0 ? long : going;
}

/** @param {Seen} seen @param {number[]} calls */
export const inOrder = ({ began }, calls) => [...new Set(calls)].sort((one, other) => began[one] - began[other]);

/** Good calls of the same kinds, of the same time where there are enough. @param {Step} step @param {string} to @param {number[]} calls */
export function goodBeside({ seen, service, time, calm }, to, calls) {
	const { began, over } = seen;
	const own = new Set(calls);
	const all = goodOfKinds(seen, service, to, kindsOf(seen, calls));
	const begun = leading(all, (call) => began[call] <= time.to);
	const during = all.filter((call, place) => place < begun && over[call] >= time.from && !own.has(call));
	if (during.length >= GOOD_LEAST) return during;
	const isDuring = (/** @type {number} */ call) => over[call] >= time.from && began[call] <= time.to;
	const isCalm = calmAt(calm);
	return all.filter((call) => !own.has(call) && (isDuring(call) || isCalm(began[call]) || calm.length === 0));
}

/** @param {Seen} seen @param {string} from @param {string} to @param {Set<string>} kinds  of attempts to connect alone, any go along @returns {number[]} as they began */
function goodOfKinds(seen, from, to, kinds) {
	const [kind] = kinds;
	if (kinds.size === 1) return kind === '' ? goodOn(seen, from, to) : goodOfKind(seen, from, to, kind);
	return goodOn(seen, from, to).filter((call) => kinds.has(seen.kind[call]));
}
const goodOn = once(({ onEdge, sign }, from, to) => onEdge(from, to).filter((call) => sign[call] === GOOD));
const goodOfKind = once((seen, from, to, kind) => goodOn(seen, from, to).filter((call) => seen.kind[call] === kind));
