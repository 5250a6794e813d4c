/**
 * Whom a service asked for requests that failed, and for those that went well: the joins of both, side by side. A bad call is one after which
 * requests fail, whatever its code: signs are taken by their lift, and the other way round too, since a request that fails early has another
 * last call than one that goes on, and each bad call that everybody survives would look like a cause.
 */

import { grouped } from '../../base/values.ts';
import { leading, upTo } from '../../stats/numbers.ts';
import { some } from '../joins/grouped.ts';
import { Numbering } from '../joins/spans.ts';
import { turnedAwayEach, withinEach, withoutRepeated } from './refusals.ts';
import type { Seen } from './seen.ts';
import { GOOD, once } from './seen.ts';
import { average, begunIn, countsAt, kindsOf, middle, share, spread, stretchesOf } from './spread.ts';

export type Asked = {
	/** share of the failed that have a call of the service joined to them, 0 to 1 */
	failed: number;
	/** of the good; null where there are too few to compare with */
	good: number | null;
	/** so many good ones were looked at */
	goods: number;
	/** bad calls, by callee, that go with the failed; the most frequent first */
	edges: Bound[];
	/** bad calls of the time that do not */
	beside: Bound[];
};

export type Bound = {
	to: string;
	sign: string;
	/** share of the failed that have such a call */
	failed: number;
	/** of the good */
	good: number | null;
	/** of such calls in the time of the failures, the share that lies in a failed one */
	back: number;
	/** such calls in that time */
	calls: number;
	/** how calls and requests were put together: one to one by the joins, by lying within, or by how many were answered well */
	by: 'join' | 'within' | 'count';
	/** failed call to its last such call */
	matched: Map<number, number>;
};

/** Good ones to compare with: fewer say nothing of what is usual. */
export const GOOD_LEAST = 5;
/** More tell no more. */
const GOOD_MOST = 2000;
/**
 * Of the failed, of the good as a part of that, and back: on stacks with a known cause they were 60 to 100 %, 0 to 5 % and 60 to 100 %; of what
 * requests survive 5 to 83 %, as much, and 4 to 6 %.
 */
const BOUND_SHARE = 0.3;
const GOOD_PART = 1 / 3;
const BACK_LEAST = 0.25;
/** Where most of the bad calls lie in failed requests, more of the few good ones may have one by the errors of the joins. */
const BACK_MOST = 0.5;
const GOOD_PART_BACK = 1 / 2;
/** A kind of request asks a service if so many of its good ones do. */
const ASKS_LEAST = 0.1;

/**
 * @param failed calls that it served
 * @param good to compare with
 * @param isLost of a call that it served, whatever its kind
 */
export function askedOf(seen: Seen, service: string, failed: number[], good: number[], isLost: (call: number) => boolean): Asked {
	const looked = some(good, GOOD_MOST);
	const goods = looked.length >= GOOD_LEAST ? looked : [];
	const whole = (calls: number[]) => share(calls.filter(seen.isAsking).length, calls.length);
	const found = badCalls(seen, service, failed).map((calls) => {
		const [to, sign] = [seen.to[calls[0]], seen.sign[calls[0]]];
		const joined = joinedTo(seen, { to, sign, calls, failed, goods, isLost });
		const such = { to, sign, calls, failed, goods };
		const others = isBound(joined) ? [] : [lyingWithin(seen, such), turnedAwayEach(seen, service, such), noneLeft(seen, service, such)];
		return { edge: others.find((edge) => edge !== null && isBound(edge)) ?? joined, calls };
	});
	found.sort(({ edge: one }, { edge: other }) => other.failed - one.failed || other.calls - one.calls);
	return {
		...{ failed: whole(failed), good: goods.length === 0 ? null : whole(goods), goods: goods.length },
		edges: found.filter(({ edge }) => isBound(edge)).map(({ edge, calls }) => withUnjoined(seen, edge, calls, failed, isLost)),
		beside: found.flatMap(({ edge }) => (isBound(edge) ? [] : [edge])),
	};
}

/**
 * calls: of that sign, in the order of their
 *   beginnings
 */
export type Such = { to: string; sign: string; calls: number[]; failed: number[]; goods: number[] };

function joinedTo(seen: Seen, { to, sign, calls, failed, goods, isLost }: Such & { isLost: (call: number) => boolean }): Bound {
	const isSuch = (call: number) => seen.to[call] === to && seen.sign[call] === sign && !isLeftUnread(seen, call);
	const matched = lastOfEach(seen, failed, isSuch);
	return {
		...{ to, sign, matched, calls: calls.length, by: 'join' },
		failed: share(matched.size, failed.length),
		good: goods.length === 0 ? null : goods.filter((call) => seen.childrenOf(call).some(isSuch)).length / goods.length,
		back: share(calls.filter((call) => isLost(seen.joins.parent[call])).length, calls.length),
	};
}

/**
 * Who tries again survives a bad call that a good one follows, and joins by order find but one of several tries. Where as many calls of a kind went well
 * as requests did, and one at least went badly for each that failed, none that went well is left for these.
 */
function noneLeft(seen: Seen, service: string, { to, sign, calls, failed }: Such): Bound | null {
	const { began, over, kind, load } = seen;
	const [asking, asked] = [kindsOf(seen, failed), kindsOf(seen, calls)];
	const isOfLoad = (call: number) => began[call] >= load.warmupFrom;
	const requests = seen.servedBy(service).filter((call) => asking.has(kind[call]) && isOfLoad(call));
	const well = requests.filter((call) => seen.sign[call] === GOOD).length;
	const lost = requests.length - well;
	const good = seen.onEdge(service, to).filter((call) => asked.has(kind[call]) && seen.sign[call] === GOOD && isOfLoad(call)).length;
	if (seen.calls[calls[0]].end !== 'answered' || calls.length < TRIES_LEAST * failed.length) return null;
	if (well < GOOD_LEAST || lost < GOOD_LEAST || Math.abs(good - well) > LEFT_PART * lost) return null;
	const begins = calls.map((call) => began[call]);
	const matched = new Map(
		failed.flatMap((request) => {
			const last = calls[upTo(begins, over[request]) - 1];
			return last !== undefined && began[last] >= began[request] ? [[request, last]] : [];
		}),
	);
	const part = share(matched.size, failed.length);
	return part < NONE_SHARE ? null : { to, sign, matched, calls: calls.length, by: 'count', failed: part, good: 0, back: 1 };
}
/** Of the failed: who does not try again is told by the joins. */
const TRIES_LEAST = 1.5;
/** Of the failed: that far from as many the numbers may be, by requests that were under way at an end. */
const LEFT_PART = 0.1;
const NONE_SHARE = 0.9;

/**
 * Where many requests are in a service, the joins by order mix their calls up. Bad calls so rare that they hardly lie in a request by chance
 * tell by lying in it, one to one.
 * @returns null where chance tells as much
 */
function lyingWithin(seen: Seen, { to, sign, calls, failed, goods }: Such): Bound | null {
	const { began, over } = seen;
	const { from, to: until } = timeOf(seen, failed);
	const chance = (calls.length / Math.max(until - from, 1)) * middle(failed.map((call) => over[call] - began[call]));
	if (chance > CHANCE_MOST || calls.length < failed.length * WITHIN_SHARE) return null;
	const begins = calls.map((call) => began[call]);
	const lastIn = (request: number, isFree: (call: number) => boolean) => {
		for (let at = upTo(begins, over[request]) - 1; at >= 0 && begins[at] >= began[request]; at -= 1)
			if (over[calls[at]] <= over[request] && isFree(calls[at])) return calls[at];
		return null;
	};
	const used = new Set();
	const matched = new Map();
	for (const request of failed.toSorted((one, other) => over[one] - over[other])) {
		const call = lastIn(request, (one) => !used.has(one));
		if (call === null) continue;
		used.add(call);
		matched.set(request, call);
	}
	const part = share(matched.size, failed.length);
	if (part < WITHIN_SHARE) return null;
	const good = goods.length === 0 ? null : goods.filter((call) => lastIn(call, () => true) !== null).length / goods.length;
	return { to, sign, matched, calls: calls.length, by: 'within', failed: part, good, back: share(used.size, calls.length) };
}
/**
 * Of a bad call that goes with the failed, those that no request was given, or by order alone one that went well, and that lie in a failed one that
 * has none: these cost it too.
 * @param calls such
 */
function withUnjoined(seen: Seen, edge: Bound, calls: number[], failed: number[], isLost: (call: number) => boolean): Bound {
	const { parent, ambiguous } = seen.joins;
	const free = calls.filter((call) => parent[call] < 0 || (ambiguous[call] === 1 && !isLost(parent[call])));
	if (free.length === 0) return edge;
	const left = failed.filter((request) => !edge.matched.has(request));
	return { ...edge, matched: new Map([...edge.matched, ...withinEach(seen, left, free)]) };
}

/** So many of the failed need one of their own. */
const WITHIN_SHARE = 0.8;
/** Bad calls that would lie in a failed request by chance. */
const CHANCE_MOST = 0.25;

const isBound = ({ failed, good, back }: Bound) =>
	failed >= BOUND_SHARE && back >= BACK_LEAST && (good ?? 0) <= failed * (back >= BACK_MOST ? GOOD_PART_BACK : GOOD_PART);

/**
 * In the time of the failures, by callee and sign: first what came first.
 * @returns each as they began
 */
function badCalls(seen: Seen, service: string, failed: number[]): number[][] {
	const { began, over } = seen;
	const { from, to } = timeOf(seen, failed);
	const { all, groups } = badMadeBy(seen, service);
	const begun = leading(all, (call) => began[call] <= to);
	return groups
		.map((places) => places.filter((place) => place < begun && over[all[place]] >= from))
		.filter((places) => places.length > 0)
		.toSorted(([one], [other]) => one - other)
		.map((places) => places.map((place) => all[place]));
}

/**
 * Its asker ended the connection within the answer, of which it took no more: nothing passed since it said so for the last time. That is no doing of
 * whoever answered.
 */
function isLeftUnread({ calls, sign, lineOf }: Seen, call: number) {
	const { by, first_at: first } = calls[call];
	if (sign[call] !== 'cut' || by !== 'client' || first === null) return false;
	const { closed_window: closed, last_at: last } = lineOf(call)?.connection ?? {};
	return Boolean(closed?.client && closed.client.last_at >= Math.max(first, last ?? first));
}

/** As they began; groups: their places, by callee and sign. */
const badMadeBy = once((seen, service) => {
	const { madeBy, to, sign } = seen;
	const all = withoutRepeated(
		seen,
		madeBy(service).filter((call) => sign[call] !== GOOD && !isLeftUnread(seen, call)),
	);
	const numbers = new Numbering();
	return { all, groups: [...grouped([...all.keys()], (place) => numbers.of(to[all[place]], sign[all[place]])).values()] };
});

export function timeOf({ began, over }: Pick<Seen, 'began' | 'over'>, calls: number[]): { from: number; to: number } {
	let [from, to] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
	for (const call of calls) [from, to] = [Math.min(from, began[call]), Math.max(to, over[call])];
	return { from, to };
}

/** @returns of those that have such a call, the last */
function lastOfEach({ childrenOf, over }: Seen, failed: number[], isSuch: (child: number) => boolean): Map<number, number> {
	const last: Map<number, number> = new Map();
	for (const call of failed) {
		let found = NONE;
		for (const child of childrenOf(call)) if (isSuch(child) && (found === NONE || over[child] >= over[found])) found = child;
		if (found !== NONE) last.set(call, found);
	}
	return last;
}
const NONE = -1;

/**
 * Which callees a kind of request asks at all, by those that were alone in the service and by its good ones: a call was joined to them. Of a
 * callee that none asked alone, a call that could be another's says nothing.
 * share of them; null where too few went well
 */
export const usageOf: (seen: Seen, service: string) => (kind: string, to: string) => number | null = once((seen, service) => {
	const { servedBy, kind, sign } = seen;
	const kinds = grouped(
		servedBy(service).filter((call) => sign[call] === GOOD),
		(call) => kind[call],
	);
	const known: Map<string, Map<string, number>> = new Map();
	for (const [name, calls] of kinds) {
		const alone = new Map(seen.calleesOf(service).map((to) => [to, seen.joins.askedAlone(calls[0], to)]));
		if (calls.length < GOOD_LEAST && [...alone.values()].every((part) => part === null)) continue;
		const looked = some(calls, GOOD_MOST);
		const isSure = (child: number) => alone.get(seen.to[child]) !== 0 || seen.joins.ambiguous[child] === 0;
		const asked = new Map();
		for (const call of looked)
			for (const to of new Set(
				seen
					.childrenOf(call)
					.filter(isSure)
					.map((child) => seen.to[child]),
			))
				asked.set(to, (asked.get(to) ?? 0) + 1 / looked.length);
		for (const [to, part] of alone) asked.set(to, Math.max(asked.get(to) ?? 0, part ?? 0));
		known.set(name, asked);
	}
	return (name: string, to: string) => (known.has(name) ? (known.get(name)?.get(to) ?? 0) : null);
});

/** @returns whether one of them asks it, or that is not known */
export const asks = (usage: ReturnType<typeof usageOf>, kinds: Iterable<string>, to: string): boolean =>
	[...kinds].some((kind) => (usage(kind, to) ?? 1) >= ASKS_LEAST);

/**
 * @param kinds that it served
 * @returns callees that they ask
 */
export function askedBy(seen: Seen, service: string, kinds: Set<string>): string[] {
	const usage = usageOf(seen, service);
	return seen.calleesOf(service).filter((to) => asks(usage, kinds, to));
}

/**
 * Where requests waited: at moments within the lives of those that failed, how many requests of their kinds were in the service, and for how
 * many of its calls it waited on each edge. The rest stood in the service itself.
 */
export type Waiting = {
	/** seconds since 1970 */
	moments: number[];
	/** mean number of requests in the service, of the failed ones' kinds */
	standing: number;
	/** of them, those that wait for no callee */
	own: number;
	/** the most waited for first */
	callees: WaitedFor[];
};

/**
 * calls going on; low, high: between which it lies in 80 % of
 *  the moments
 */
type WaitedFor = { to: string; mean: number; low: number; high: number };

/** Of the failed, and of the life of each. */
const LOOKED_AT_MOST = 200;
const PARTS = [0.2, 0.5, 0.8];
const [LOW, HIGH] = [0.1, 0.9];
/** Of the requests in the service, those of the failed ones' kinds. */
const ALONE_SHARE = 0.9;
/** Calls, of the failed, and of their pace as much while none failed. */
const MADE_SHARE = 0.5;
const CALM_PART = 1 / 3;
const OUTSIDE_LEAST_S = 1;

/** @returns within their lives, in the order of time */
export const momentsOf = ({ began, over }: Seen, calls: number[]): number[] =>
	some(calls, LOOKED_AT_MOST)
		.flatMap((call) => PARTS.map((part) => began[call] + (over[call] - began[call]) * part))
		.sort((one, other) => one - other);

/** @param failed calls that it served */
export function waitingIn(seen: Seen, service: string, failed: number[]): Waiting {
	const moments = momentsOf(seen, failed);
	const usage = usageOf(seen, service);
	const kinds = kindsOf(seen, failed);
	const isTheirs = (call: number) => kinds.has(seen.kind[call]) || seen.isAttempt(call);
	const standing = average(countsAt(seen, seen.servedBy(service), seen.over, moments, isTheirs));
	const isWaitedFor = isOfTheirs(seen, isTheirs);
	const isAlone = () => standing >= ALONE_SHARE * average(countsAt(seen, seen.servedBy(service), seen.over, moments));
	const callees = seen.calleesOf(service).map((to) => {
		const all = seen.onEdge(service, to);
		// Good ones may do without it: what they ask for is in a cache. Where no others are there, its calls are made for these.
		const calls = asks(usage, kinds, to) || (isAlone() && isMadeForThem(seen, all.filter(isWaitedFor), failed)) ? all : [];
		const counts = countsAt(seen, calls, seen.waited, moments, isWaitedFor);
		return { to, mean: average(counts), low: spread(counts, LOW), high: spread(counts, HIGH) };
	});
	const all = callees.filter(({ mean }) => mean > 0).toSorted((one, other) => other.mean - one.mean);
	return { moments, standing, own: Math.max(0, standing - all.reduce((sum, { mean }) => sum + mean, 0)), callees: all };
}

/**
 * As many as the failed, and hardly any while none failed: what a service asks for its own sake goes on at a pace of its own. A call that goes on when
 * its request is over is joined to none. They may fail in waves, as when a key of a cache runs out.
 * @param calls as they began
 */
function isMadeForThem(seen: Seen, calls: number[], failed: number[]) {
	const { load } = seen;
	const waves = stretchesOf(failed, seen);
	const insideS = waves.reduce((sum, { from, to }) => sum + Math.min(to, load.to) - Math.min(from, load.to), 0);
	const outsideS = load.to - load.warmupFrom - insideS;
	const during = begunIn(calls, waves, seen).length;
	if (during < MADE_SHARE * failed.length || outsideS < OUTSIDE_LEAST_S) return false;
	return (calls.length - during) / outsideS <= (CALM_PART * during) / Math.max(insideS, OUTSIDE_LEAST_S);
}

/** Calls that are not known to be made for requests of other kinds. What went on before any load waits for nobody's sake. */
const isOfTheirs =
	({ joins, began, load }: Seen, isTheirs: (call: number) => boolean): ((call: number) => boolean) =>
	(call) =>
		began[call] >= load.warmupFrom && (joins.parent[call] < 0 || isTheirs(joins.parent[call]));
