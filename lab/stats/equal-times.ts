/**
 * Times that are equal although what took them began at different moments: a rule made them, such as a time-out. What ended at one moment
 * (the end of a load, a restart) took as many times as it had beginnings, so that it is none.
 */

import { quantile } from './numbers.ts';

/** seconds */
type Taken = { began: number; took: number };

/** Timers fire on time or late, by what a program that waits for a core needs to look at them: the lab's own choice. */
const WIDTH_SHARE = 0.02;
const WIDTH_LEAST_S = 0.005;
/** Of those that took about as long, from half to half as long again. Spread evenly over that, a fiftieth falls into one width. */
const MOST_SHARE = 1 / 3;
/** Of beginnings that are farther apart than the times differ. Two are a coincidence, or two events. */
const MOMENTS_LEAST = 3;
/** Of a width: what one event ends, it ends one after another. */
const APART_SHARE = 0.1;
/** That so many of so many lie so near to each other by chance, at most. */
const CHANCE_MOST = 0.01;
/** Rules of one caller about one service; a route may have its own. */
const RULES_MOST = 4;

/** @returns those that most have in common first; took: their median; members: indices */
export function equalTimes(all: Taken[]): { took: number; members: number[] }[] {
	let left = all.map((_, index) => index).sort((one, other) => all[one].took - all[other].took);
	const found: { took: number; members: number[]; first: number; last: number }[] = [];
	// One that is no rule may hide another: it is left out of the next look.
	for (let look = 0; look < RULES_MOST && left.length >= MOMENTS_LEAST; look += 1) {
		const { from, to } = densest(left.map((index) => all[index].took));
		const members = left.slice(from, to);
		const took = members.map((index) => all[index].took);
		const [first, last] = [took[0], took[took.length - 1]];
		// A timer that is late now and then has more than a width.
		const beside = found.find((rule) => first - rule.last <= equalWithin(first) && rule.first - last <= equalWithin(first));
		if (isRule(members, left, all)) {
			if (beside)
				Object.assign(beside, {
					first: Math.min(beside.first, first),
					last: Math.max(beside.last, last),
					members: [...beside.members, ...members],
				});
			else found.push({ took: quantile(took, 0.5) ?? 0, members, first, last });
		}
		left = [...left.slice(0, from), ...left.slice(to)];
	}
	return found.map(({ took, members }) => ({ took, members }));
}

/**
 * Most of a width's times.
 * @returns to: after its last
 */
function densest(sorted: number[]): { from: number; to: number } {
	let best = { from: 0, to: 0 };
	let to = 0;
	for (let from = 0; from < sorted.length; from += 1) {
		while (to < sorted.length && sorted[to] <= sorted[from] + equalWithin(sorted[from])) to += 1;
		if (to - from > best.to - best.from) best = { from, to };
	}
	return best;
}

/**
 * How far apart times may be that are equal.
 * @param took seconds
 */
export const equalWithin = (took: number) => Math.max(WIDTH_LEAST_S, took * WIDTH_SHARE);

/** @param left in the order of their times */
function isRule(members: number[], left: number[], all: Taken[]) {
	const { took } = all[members[0]];
	const width = equalWithin(took);
	const apart = Math.max(WIDTH_LEAST_S, width * APART_SHARE, all[members[members.length - 1]].took - took);
	const near = left.filter((index) => all[index].took >= took / 2 && all[index].took <= took * 1.5);
	if (members.length < near.length * MOST_SHARE) return false;
	const momentsOf = (indices: number[]) => momentsIn(indices.map((index) => all[index].began).sort(ascending), apart);
	const [own, others] = [momentsOf(members), momentsOf(near)];
	return own >= MOMENTS_LEAST && chanceOf(own, Math.max(own, others), width / took) <= CHANCE_MOST;
}

const ascending = (one: number, other: number) => one - other;

/**
 * Beginnings that are so much after the one before.
 * @param began in their order
 * @param apart seconds
 */
function momentsIn(began: number[], apart: number) {
	let [moments, last] = [0, Number.NEGATIVE_INFINITY];
	for (const at of began) {
		if (at - last <= apart) continue;
		moments += 1;
		last = at;
	}
	return moments;
}

/**
 * How many groups of so many out of `all` lie within `share` of the whole where they are spread evenly: no less than the chance that any does.
 * The range of evenly spread values has a beta distribution (H. A. David and H. N. Nagaraja, Order Statistics, 2003, section 2.3).
 */
function chanceOf(size: number, all: number, share: number) {
	let groups = 1;
	// A product that is beyond all numbers is nothing times it: most of many are no coincidence.
	for (let taken = 0; taken < size; taken += 1) groups *= ((all - taken) / (size - taken)) * share;
	return (groups / share) * (size - (size - 1) * share);
}
