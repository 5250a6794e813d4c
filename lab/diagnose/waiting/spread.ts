/** Small sums over calls: times, shares, equal times, and how many are going on at a moment. */

import { GENERATOR_NAME } from '../../base/paths.ts';
import { grouped } from '../../base/values.ts';
import { ascending, before, leading, quantilesOf, upTo } from '../../stats/numbers.ts';
import { some } from '../joins/grouped.ts';
import { isBadAnswer } from '../joins/rules.ts';
import type { Ends } from './one-to-one.ts';
import type { Line, Seen } from './seen.ts';

/** Waits that a time-out ended differ by less: its timer's step, and the time to close. */
const EQUAL_SHARE = 0.02;
const EQUAL_S = 0.02;
/** Of waits that are equal, so that one rule made them. */
const EQUAL_LEAST_SHARE = 0.6;
const EQUAL_LEAST = 3;
/** Shorter equal times are how long an answer takes, not a time-out. */
const TIME_OUT_LEAST_S = 0.1;

/**
 * @param share 0 to 1
 * @returns NaN of none
 */
export const spread = (values: Iterable<number>, share: number): number => quantilesOf(values, [share])[0] ?? Number.NaN;

export const middle = (values: Iterable<number>) => spread(values, 0.5);

/** @returns 0 of none */
export const average = (values: number[]): number =>
	values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;

/** @returns 0 of none */
export const share = (part: number, whole: number): number => (whole === 0 ? 0 : part / whole);

/** @returns groups, that of most first */
export const mostFirst = <T, K>(all: T[], keyOf: (one: T) => K): [K, T[]][] =>
	[...grouped(all, keyOf)].toSorted(([, one], [, other]) => other.length - one.length);

/**
 * Of waits that came to one length: a time-out.
 * @param times seconds
 */
export function equalTime(times: number[]): number | null {
	if (times.length < EQUAL_LEAST) return null;
	const most = middle(times);
	if (most < TIME_OUT_LEAST_S) return null;
	const near = times.filter((time) => Math.abs(time - most) <= Math.max(EQUAL_S, EQUAL_SHARE * most));
	return near.length >= EQUAL_LEAST_SHARE * times.length ? most : null;
}

/** Spans of time, asked how many go on at a moment. */
export class Going {
	#began;
	#over;

	constructor(calls: number[], began: Float64Array, over: Float64Array) {
		this.#began = ascending(calls.map((call) => began[call]));
		this.#over = ascending(calls.map((call) => over[call]));
	}

	at(at: number) {
		return upTo(this.#began, at) - upTo(this.#over, at);
	}
}

/**
 * @param calls as they began
 * @param moments in the order of time
 * @returns how many went on at each
 */
export function countsAt(
	{ began }: { began: Float64Array },
	calls: number[],
	over: Float64Array,
	moments: number[],
	isCounted: (call: number) => boolean = () => true,
): number[] {
	const changes = new Int32Array(moments.length + 1);
	const [first, last] = [moments[0], moments[moments.length - 1]];
	// As calls begin one after the other, so do the moments after that.
	let next = 0;
	for (let place = 0; place < calls.length; place += 1) {
		const call = calls[place];
		if (!(began[call] <= last)) break;
		if (over[call] <= first) continue;
		while (moments[next] < began[call]) next += 1;
		// Most calls are over before the next moment.
		if (over[call] <= moments[next] || !isCounted(call)) continue;
		changes[next] += 1;
		changes[before(moments, over[call])] -= 1;
	}
	let going = 0;
	return moments.map((_, index) => {
		going += changes[index];
		return going;
	});
}

type Stretch = { from: number; to: number };

/** @returns in which at least one went on, in the order of time */
export function stretchesOf(calls: number[], { began, over }: { began: Float64Array; over: Float64Array }): Stretch[] {
	const stretches: Stretch[] = [];
	for (const call of calls.toSorted((one, other) => began[one] - began[other])) {
		const last = stretches.at(-1);
		if (last !== undefined && began[call] <= last.to) last.to = Math.max(last.to, over[call]);
		else stretches.push({ from: began[call], to: over[call] });
	}
	return stretches;
}

/**
 * @param calls as they began
 * @returns that began in one of them
 */
export function begunIn(calls: number[], stretches: Stretch[], { began }: { began: Float64Array }): number[] {
	const begun = [];
	for (const { from, to } of stretches)
		for (let place = leading(calls, (call) => began[call] < from); place < calls.length && began[calls[place]] < to; place += 1)
			begun.push(calls[place]);
	return begun;
}

/**
 * How many began in such a time, its ends among it.
 * @param calls as they began
 */
export const countBegun = ({ began }: { began: Float64Array }, calls: number[], from: number, to: number) =>
	leading(calls, (call) => began[call] <= to) - leading(calls, (call) => began[call] < from);

export function endsOf({ began, over }: Pick<Seen, 'began' | 'over'>, calls: number[]): Ends {
	const inTime = calls.toSorted((one, other) => over[one] - over[other]);
	return { began: Float64Array.from(inTime, (call) => began[call]), over: Float64Array.from(inTime, (call) => over[call]) };
}

export const kindsOf = ({ kind }: { kind: string[] }, calls: number[]) => new Set(calls.map((call) => kind[call]));

/** In which state a connection is at a moment. */
/**
 * unread: its asker does not read the answer to its end; held: in a
 *   transaction, and asking nothing
 */
type State = 'connecting' | 'asking' | 'unread' | 'held' | 'idle';

/** More moments tell no more. */
const MOMENTS_MOST = 100;
const [LOW, HIGH] = [0.1, 0.9];

/** @returns null where it is not open */
export function stateAt(seen: Seen, line: Line, at: number): State | null {
	const { opened_at: opened, accepted_at: accepted, ended_at: ended, midway } = line.connection;
	if (at < opened || (ended !== null && at >= ended)) return null;
	const last = lastBefore(seen, line, at);
	if (last === null) return accepted !== null || midway ? 'idle' : 'connecting';
	if (seen.waited[last] > at) return 'asking';
	if (seen.over[last] > at) return 'unread';
	return seen.isWithin[last] === 1 ? 'held' : 'idle';
}

/** @returns the last call that had begun */
export function lastBefore({ began }: Seen, { calls }: Line, at: number): number | null {
	const begun = leading(calls, (call) => began[call] <= at);
	return begun === 0 ? null : calls[begun - 1];
}

/**
 * Where there is a connection for each call, few are open at a moment.
 * @param moments in the order of time
 * @returns places of those at which it was open
 */
export function within({ connection: { opened_at: opened, ended_at: ended } }: Line, moments: number[]): number[] {
	const found = [];
	for (let index = upTo(moments, opened - CLOCK_S); index < moments.length && (ended === null || moments[index] < ended); index += 1)
		found.push(index);
	return found;
}
/** As fine as the record's times are. */
export const CLOCK_S = 1e-6;

/** connections of one edge over moments */
export type Pool = {
	to: string;
	/** middle number of open ones */
	total: number;
	/** their number hardly changes */
	isFlat: boolean;
	/** mean numbers */
	states: Record<State, number>;
	/** connections serve several calls each */
	isKept: boolean;
};

export function poolAt(seen: Seen, from: string, to: string, moments: number[]): Pool {
	const lines = seen.lines(from, to).filter(({ connection }) => connection.transport === 'tcp');
	const at = some(moments, MOMENTS_MOST);
	const looked = at.map(() => ({ connecting: 0, asking: 0, unread: 0, held: 0, idle: 0 }));
	for (const line of lines)
		for (const index of within(line, at)) {
			const state = stateAt(seen, line, at[index]);
			if (state !== null) looked[index][state] += 1;
		}
	const totals = looked.map(({ asking, unread, held, idle }) => asking + unread + held + idle);
	const mean = (state: State) => average(looked.map((counts) => counts[state]));
	return {
		...{ to, total: totals.length === 0 ? 0 : middle(totals), isFlat: totals.length > 0 && spread(totals, LOW) === spread(totals, HIGH) },
		states: { connecting: mean('connecting'), asking: mean('asking'), unread: mean('unread'), held: mean('held'), idle: mean('idle') },
		isKept: lines.filter(({ calls }) => calls.length > 1).length * 2 >= lines.filter(({ calls }) => calls.length > 0).length,
	};
}

export type Transaction = { from: number; to: number; line: Line };

/** Times in which a connection was in a transaction without an end. */
export function transactionsOn({ isWithin, calls, began, over, until }: Seen, line: Line): Transaction[] {
	const spans = [];
	let from = null as number | null;
	for (const call of line.calls) {
		// Of an answer whose end was not recorded no state is known: it is as it was.
		if (from !== null && calls[call].state === undefined && calls[call].hole) continue;
		if (isWithin[call] === 1) from ??= began[call];
		if (isWithin[call] === 1 || from === null) continue;
		spans.push({ from, to: over[call], line });
		from = null;
	}
	if (from !== null) spans.push({ from, to: line.connection.ended_at ?? until, line });
	return spans;
}

/** Which requests of the load failed, and how each ended: by kinds, which are followed apart, since their causes differ. */
export type FailedKind = {
	/** that was asked: the entry, or one of its containers */
	service: string;
	/** how it ended (seen.ts) */
	sign: string;
	/** answered before anything can have been waited for */
	atOnce: boolean;
	/** verb and template; empty where several are taken together */
	kind: string;
	calls: number[];
};

/** of the load */
type Requests = {
	/** the most frequent first */
	kinds: FailedKind[];
	failed: Set<number>;
	goodOf: (failure: FailedKind) => number[];
};

/** Nothing that waits for a full pool, a time-out or a slow callee is over so soon. */
export const AT_ONCE_S = 0.05;
/** Of one URL, so that it is followed by itself; the rest of a kind of end is followed together. */
const APART_LEAST = 20;
/** A request that was open when users went away has failed if it stood longer than good ones do, and than this. */
const STOOD_LEAST_S = 1;
const SLOWEST_SHARE = 0.99;
/** Users go away together: within so long of the load's end. */
const END_S = 0.5;

/** @param failedIds of requests that failed by the generator's own record; null where it has none */
export function failedOf(seen: Seen, failedIds: Set<string> | null): Requests {
	const { load, began, over, sign } = seen;
	// The load ends with its last answer by the generator's clock of whole milliseconds: one that came at once may begin after that.
	const isIn = (call: number) => began[call] <= load.to || failedIds?.has(seen.calls[call].id ?? '');
	const asked = seen.madeBy(GENERATOR_NAME).filter((call) => began[call] >= load.from && isIn(call));
	const [good, bad] = [[] as number[], [] as number[]];
	for (const call of asked) (isFailed(seen, call, failedIds) ? bad : good).push(call);
	const slowest = spread(
		good.map((call) => over[call] - began[call]),
		SLOWEST_SHARE,
	);
	const enough = Math.max(STOOD_LEAST_S, Number.isNaN(slowest) ? 0 : slowest);
	const wasSentAway = (call: number) =>
		!failedIds?.has(seen.calls[call].id ?? '') &&
		(sign[call] === 'open' || (sign[call] === 'given-up' && over[call] >= load.to - END_S)) &&
		over[call] - began[call] < enough;
	const failed = bad.filter((call) => !wasSentAway(call));
	return { kinds: failedKinds(seen, failed), failed: new Set(failed), goodOf: goodBy(seen, good) };
}

/** Good ones to compare with: of the same service, and of the same URL where that is followed by itself. */
function goodBy({ to, kind: kindOf }: Seen, good: number[]): (failure: FailedKind) => number[] {
	const services = grouped(good, (call) => to[call]);
	const kinds = new Map([...services].map(([service, calls]) => [service, grouped(calls, (call) => kindOf[call])]));
	return ({ service, kind }) => (kind === '' ? services.get(service) : kinds.get(service)?.get(kind)) ?? [];
}

const isFailed = ({ calls, isAttempt }: Seen, call: number, failedIds: Set<string> | null) =>
	isAttempt(call) || calls[call].end !== 'answered' || isBadAnswer(calls[call], failedIds);

function failedKinds({ to, sign, kind, began, over }: Seen, failed: number[]): FailedKind[] {
	const ends: Map<string, FailedKind> = new Map();
	for (const call of failed) {
		const atOnce = over[call] - began[call] < AT_ONCE_S;
		const key = JSON.stringify([to[call], sign[call], atOnce]);
		const own = ends.get(key) ?? { service: to[call], sign: sign[call], atOnce, kind: '', calls: [] };
		ends.set(key, own);
		own.calls.push(call);
	}
	return [...tailsWithRest(ends)].flatMap((end) => apart(end, kind)).toSorted((one, other) => other.calls.length - one.calls.length);
}

/** Few that came later or sooner than the others of their end are of the same kind. */
function tailsWithRest(ends: Map<string, FailedKind>): FailedKind[] {
	return [...grouped([...ends.values()], ({ service, sign }) => JSON.stringify([service, sign])).values()].flatMap((parts) => {
		const [most, ...others] = parts.toSorted((one, other) => other.calls.length - one.calls.length);
		const tails = others.filter(({ calls }) => calls.length < APART_LEAST);
		const calls = [most, ...tails].flatMap((part) => part.calls).sort((one, other) => one - other);
		return [{ ...most, calls }, ...others.filter((part) => !tails.includes(part))];
	});
}

/** @returns URLs that failed often by themselves, and the rest */
function apart(end: FailedKind, kind: string[]): FailedKind[] {
	const urls = grouped(end.calls, (call) => kind[call]);
	const often = [...urls].filter(([url, calls]) => url !== '' && calls.length >= APART_LEAST);
	if (urls.size === 1) return [{ ...end, kind: kind[end.calls[0]] }];
	const rest = end.calls.filter((call) => !often.some(([url]) => url === kind[call]));
	return [...often.map(([url, calls]) => ({ ...end, kind: url, calls })), ...(rest.length > 0 ? [{ ...end, calls: rest }] : [])];
}

/** Of what would be enough: a reading that has so much narrowly misses it. */
const NARROW = 0.8;

/** @returns whether it is less than enough, and hardly so */
export const isNarrow = (had: number, needed: number): boolean => had < needed && had >= NARROW * needed;
