/**
 * One step of the walk: requests that failed at a service, with what is known of them there, which every question (questions.ts) is asked of.
 */

/** What a question names of a step, and of its readings: it gets no more (questions.ts). */

import type { Mechanism } from '../../record/causes.ts';
import { leading, upTo } from '../../stats/numbers.ts';
import { some } from '../joins/grouped.ts';
import { Flags } from '../joins/spans.ts';
import type { Asked, Waiting } from './asked.ts';
import { askedOf, GOOD_LEAST, momentsOf, timeOf, waitingIn } from './asked.ts';
import type { LogWords } from './logs.ts';
import type { Readings } from './readings.ts';
import type { Seen } from './seen.ts';
import { GOOD, once } from './seen.ts';
import { AT_ONCE_S, average, begunIn, countsAt, equalTime, kindsOf, middle, mostFirst, share, spread, stretchesOf } from './spread.ts';
import type { Said } from './writing.ts';

export type Step = {
	seen: Seen;
	readings: Readings;
	/** moments, seconds since 1970, in which no request failed */
	calm: number[];
	service: string;
	/** that asked it; the generator at the entry */
	caller: string;
	/** services before it */
	path: string[];
	/** calls that it served */
	failed: number[];
	/** of the same kinds, to compare with */
	good: number[];
	/** calls that failed, of all services */
	lost: Flags;
	codeCause: LogWords['codeCause'];
	/** within the lives of the failed */
	moments: number[];
	/** from the first to the last */
	time: { from: number; to: number };
	/** of most of the failed */
	sign: string;
	/** middle */
	took_s: number;
	/** that nine tenths of the good were done in; NaN of none */
	good_s: number;
	/** where most took one length */
	equal_s: number | null;
	asked: Asked;
	waiting: Waiting;
	/** callee for which more of them waited than stood in the service; null before the walk has looked */
	awaited: string | null;
	/** calls that the service was asked while any of the failed went on, as they began */
	meanwhile: number[];
};

/** an answer of a question */
export type Why = {
	mechanism: Mechanism | null;
	/** with what is known of this one, instead of the mechanism's own */
	title?: Said;
	/** of what it had none left, where those wait for a callee */
	full?: Said;
	basis: Basis;
	/** sentences */
	evidence: Said[];
	doubts?: Said[];
	/** what it answered does not say why */
	isUnsaid?: boolean;
	/** a code on the wire says why */
	isCoded?: boolean;
	/** of what was only found to part the failed from the good: what it is called where a reason is on record */
	besideReason?: Pick<Why, 'mechanism' | 'title'>;
	/** one of the evidence, and the same of all calls that ended there as these did */
	ofAll?: { said: Said; of: (calls: number[]) => Said };
	/** another than the step's service; beside: of which the same is so at the same time */
	place?: { service: string; edge?: { from: string; to: string }; beside?: string[] };
	/** of that place, where it is another than the mechanism's */
	where?: Basis;
	/** connections to a callee on which nothing is asked */
	idle?: { to: string; total: number };
	/** connections wait to be accepted, and it is idle */
	isQueued?: boolean;
	/** callee that takes longer than in calm seconds, or that had failed before: the walk goes on to it */
	onTo?: string;
	/** that it ended, as its title has it */
	times?: { count: number; back_s: number | null };
	/** when the place ended, seconds since 1970 */
	ends?: number[];
	/** messages that the place was given and never acknowledged */
	kept?: number[];
	/** calls to it that had failed before, after which it was not asked */
	tried?: number[];
};

/** as the ledger has them (../result.ts) */
export type Basis = 'proved' | 'counted' | 'timed' | 'inferred';

export type Of<Fact extends keyof Step, Read extends keyof Readings = never> = Pick<Step, Fact> &
	([Read] extends [never] ? unknown : { readings: Pick<Readings, Read> });

/** Moments that are asked whether they are calm: two a second. */
export const EVERY_S = 0.5;
/** Fewer calm moments tell little: a second of them. */
export const CALM_LEAST = 2;

export function stepOf(
	about: Pick<Step, 'seen' | 'readings' | 'calm' | 'service' | 'caller' | 'path' | 'failed' | 'good' | 'lost' | 'codeCause'>,
): Step {
	const { seen, service, failed, good, lost } = about;
	const own = new Set(failed);
	const took = failed.map((call) => seen.over[call] - seen.began[call]);
	let waiting: Waiting | undefined;
	let meanwhile: number[] | undefined;
	const [[sign] = ['']] = mostFirst(failed, (call) => seen.sign[call]);
	return {
		...about,
		calm: quietOf(about),
		awaited: null,
		moments: momentsOf(seen, failed),
		time: timeOf(seen, failed),
		sign,
		took_s: middle(took),
		good_s: spread(
			some(good, GOOD_MOST).map((call) => seen.over[call] - seen.began[call]),
			SLOW_SHARE,
		),
		equal_s: equalTime(took),
		asked: askedOf(seen, service, failed, good, (call) => lost.has(call) || own.has(call)),
		// Many steps end before anybody asks.
		get waiting() {
			waiting ??= waitingIn(seen, service, failed);
			return waiting;
		},
		get meanwhile() {
			meanwhile ??= begunIn(seen.servedBy(service), stretchesOf(failed, seen), seen);
			return meanwhile;
		},
	};
}

/**
 * Of the calm moments those in which it still worked on nothing that had kept it busy in others: whoever had asked for it may have given up.
 * @returns the same, where too few are left to compare with
 */
function quietOf({ seen, calm, service }: Pick<Step, 'seen' | 'calm' | 'service'>): number[] {
	const { began, over } = seen;
	const calmSlots = slotsOf(calm);
	const busy = new Set();
	let until = Number.NEGATIVE_INFINITY;
	for (const call of longServed(seen, service)) {
		if (isThroughout(calm, began[call], over[call])) continue;
		// Lives overlap: each slot is looked at once.
		for (let slot = Math.max(Math.round(began[call] / EVERY_S), until + 1); slot <= Math.round(over[call] / EVERY_S); slot += 1)
			if (calmSlots.has(slot)) busy.add(slot);
		until = Math.max(until, Math.round(over[call] / EVERY_S));
	}
	const quiet = calm.filter((at) => !busy.has(Math.round(at / EVERY_S)));
	return quiet.length >= QUIET_LEAST ? quiet : calm;
}
const longServed = once(({ servedBy, began, over }, service) => servedBy(service).filter((call) => over[call] - began[call] > LONG_S));
/** Shorter ones pass from one moment to the next. */
const LONG_S = 2 * EVERY_S;
/** Five seconds. The lab's own choice, as for lines (saying.ts). */
const QUIET_LEAST = 10;

/** Whether no moment from the one to the other was other than calm. */
export const isThroughout = (calm: number[], from: number, to: number) =>
	upTo(calm, to + EVERY_S / 2) - upTo(calm, from - EVERY_S / 2) >= Math.floor((to - from) / EVERY_S);

/** Good ones of those seconds: who came or went at some moment, or what grew meanwhile, is no reason. */
export const besideOf = ({ seen, good, time }: Of<'good' | 'seen' | 'time'>) =>
	good.filter((call) => seen.began[call] >= time.from && seen.began[call] <= time.to);

export const isAtOnce = ({ took_s: took }: Of<'took_s'>) => took < AT_ONCE_S;

/** HTTP's own words for it: RFC 6585, 4 and RFC 9110, 15.6.4. */
const TURNED_AWAY = new Set(['429', '503']);

/** @returns it answered at once that it takes no more */
export const isTurnedAway = (step: Of<'sign' | 'took_s'>): boolean => TURNED_AWAY.has(step.sign) && isAtOnce(step);

/** Its server gave an answer. */
const isAnswered = ({ seen, failed }: Of<'failed' | 'seen'>) =>
	failed.filter((call) => isAnsweredCall(seen, call)).length * 2 > failed.length;

/** It answered, and not well. */
const isRefusal = (step: Of<'failed' | 'seen' | 'sign'>) => isAnswered(step) && step.sign !== GOOD;

/** At once: it waited for nobody. */
export const isOwn = (step: Of<'failed' | 'seen' | 'sign' | 'took_s'>) => isRefusal(step) && (isAtOnce(step) || isAfterGood(step));

/** Soon after its callees had answered well, each time after another while: it waited for nobody any more, and no time had run out. */
function isAfterGood({ seen, failed, took_s: took }: Of<'failed' | 'seen' | 'took_s'>) {
	if (took >= DEADLINE_LEAST_S || equalTime(failed.map((call) => seen.over[call] - seen.began[call])) !== null) return false;
	const isLastGood = (call: number) => {
		const [first, ...others] = seen.childrenOf(call);
		const last = others.reduce((later, child) => (seen.over[child] > seen.over[later] ? child : later), first);
		return last !== undefined && seen.sign[last] === GOOD && seen.over[last] <= seen.over[call];
	};
	return share(failed.filter(isLastGood).length, failed.length) >= SLOW_SHARE;
}
/** A program gives nobody a shorter time: what it does so soon after an answer it does not because that was late. */
const DEADLINE_LEAST_S = 0.5;

/** By the service, before it answered; its callees it asks for good ones. */
export const isBrokenOff = (step: Of<'asked' | 'failed' | 'moments' | 'seen' | 'service'>) => {
	const { seen, failed, asked } = step;
	return (
		asked.good !== null &&
		asked.failed < asked.good * ASKED_PART &&
		failed.filter((call) => BROKEN.has(seen.sign[call])).length * 2 > failed.length &&
		!isDialling(step)
	);
};

/** As many of its attempts to connect went on as of these: an attempt is joined to no request. */
function isDialling({ seen, service, failed, moments }: Of<'failed' | 'moments' | 'seen' | 'service'>) {
	const meanAt = (calls: number[]) => average(countsAt(seen, calls, seen.over, moments));
	return meanAt(seen.madeBy(service).filter(seen.isAttempt)) >= meanAt(failed) * DIALLING_PART;
}
/** Of the failed that go on. */
const DIALLING_PART = 0.5;

/** By the service, without an answer. */
export const BROKEN = new Set(['closed', 'reset']);
/** Of the share of good ones that have a call: joins by order give some by chance. */
const ASKED_PART = 0.5;

/** No later than good answers come: what it waited for does not tell why. */
export const isAsSoonAsGood = (step: Of<'failed' | 'good_s' | 'seen' | 'sign' | 'took_s'>) => isRefusal(step) && step.took_s <= step.good_s;

/** It answered by itself, and not after a wait that good ones are spared. */
export const isByItself = (step: Of<'failed' | 'good_s' | 'seen' | 'sign' | 'took_s'>) => isOwn(step) || isAsSoonAsGood(step);
const SLOW_SHARE = 0.9;
/** More tell no more. */
const GOOD_MOST = 2000;

/**
 * Others of their kinds were there all through those moments, far more of them, and nearly all were done in a small part of their time: what
 * befalls a service as a whole does not tell why these were not.
 * @param isSuch of the others, those that count
 */
export function areOthersQuick(
	{ seen, failed, lost, moments, meanwhile, took_s: took }: Of<'failed' | 'lost' | 'meanwhile' | 'moments' | 'seen' | 'took_s'>,
	isSuch: (call: number) => boolean = () => true,
) {
	const { began, over, sign, kind } = seen;
	const [own, kinds] = [new Set(failed), kindsOf(seen, failed)];
	const others = meanwhile.filter(
		(call) => sign[call] === GOOD && kinds.has(kind[call]) && !lost.has(call) && !own.has(call) && isSuch(call),
	);
	if (others.length < Math.max(GOOD_LEAST, OTHERS_TIMES * failed.length)) return false;
	const length = (call: number) => over[call] - began[call];
	if (spread(some(others, GOOD_MOST).map(length), SLOW_SHARE) * QUICK_TIMES >= took) return false;
	return areAllThrough(seen, others, moments);
}
/** As many times as the failed: a service that loses most of what it has is in trouble as a whole. */
const OTHERS_TIMES = 3;
/** Who waits in one line, or for one CPU, waits about as long. */
const QUICK_TIMES = 10;

/**
 * Requests of other kinds that a service was asked while any of the failed went on, and those that it answered in a small part of their time: what
 * befalls it as a whole spares none.
 * @returns isThroughout: nearly all of them, and all through those moments
 */
export function answeredBeside({
	seen,
	failed,
	meanwhile,
	moments,
	took_s: took,
}: Of<'failed' | 'meanwhile' | 'moments' | 'seen' | 'took_s'>): { others: number[]; quick: number[]; isThroughout: boolean } {
	const { kind, calls, began, over } = seen;
	const kinds = kindsOf(seen, failed);
	const others = meanwhile.filter((call) => !kinds.has(kind[call]));
	const quick = others.filter((call) => calls[call].end === 'answered' && (over[call] - began[call]) * QUICK_TIMES <= took);
	const isEnough = quick.length >= SPARED_LEAST && quick.length >= ALMOST_ALL * others.length;
	return { others, quick, isThroughout: isEnough && areAllThrough(seen, quick, moments) };
}
const SPARED_LEAST = 20;
const ALMOST_ALL = 0.9;

/**
 * At nearly each moment one of them began soon before or after.
 * @param calls as they began
 */
function areAllThrough({ began }: Seen, calls: number[], moments: number[]) {
	const begins = calls.map((call) => began[call]);
	return moments.filter((at) => upTo(begins, at + EVERY_S) > upTo(begins, at - EVERY_S)).length >= ALMOST_ALL * moments.length;
}

/** Moments of the load and its warm-up around which no failed request began, was on its way or ended. */
export function calmMoments({ began, over, load }: Seen, failed: Set<number>): number[] {
	const begins = Float64Array.from(failed, (call) => began[call]).sort();
	const ends = Float64Array.from(failed, (call) => over[call]).sort();
	const moments = [];
	for (let at = load.warmupFrom + EVERY_S; at < load.to; at += EVERY_S)
		if (upTo(begins, at + EVERY_S) === upTo(ends, at - EVERY_S)) moments.push(at);
	return moments;
}

/** With all lookups that failed for them. */
export function lostOf({ calls, childrenOf }: Seen, failed: Set<number>) {
	const lost = new Flags(calls.length);
	const left = [...failed];
	for (let call = left.pop(); call !== undefined; call = left.pop()) {
		if (lost.has(call)) continue;
		lost.add(call);
		left.push(...childrenOf(call));
	}
	return lost;
}

/** A callee takes longer than in calm by so many times, and by more than nothing. */
const SLOWER_TIMES = 3;
const SLOWER_LEAST_S = 0.05;
const CALM_CALLS_LEAST = 5;
/** Where no second was calm, its quickest calls stand for it. */
const QUICKEST_SHARE = 0.1;
/** Moments, and calls before each, that are looked at. */
const MOMENTS_MOST = 200;
const LOOKED_AT_MOST = 256;

export type Slowness = {
	now_s: number;
	/** of answered calls alone, where there are any: what nobody answered has no usual time */
	calm_s: number;
	/** there were calm calls; else the quickest of all stand for them */
	isCalm: boolean;
	isSlower: boolean;
	/** most of those that went on at the moments of the failed were */
	isAnswered: boolean;
	/** those to compare with */
	wasAnswered: boolean;
};

/**
 * How long calls of an edge take at the moments of the failed, beside calm ones: those that go on then, so that many quick calls of quiet
 * stretches do not hide few slow ones.
 */
export function slownessOf({ seen, service, moments, calm }: Of<'calm' | 'moments' | 'seen' | 'service'>, to: string): Slowness {
	const { began, over } = seen;
	const [all, answered] = [ofLoad(seen, service, to), answeredOfLoad(seen, service, to)];
	const goingAt = (calls: number[], at: number, isSuch: (call: number) => boolean) => {
		const next = leading(calls, (call) => began[call] <= at);
		const going = [];
		let last = -1;
		for (let index = next - 1; index >= 0 && index >= next - LOOKED_AT_MOST; index -= 1) {
			if (!isSuch(calls[index])) continue;
			if (last < 0) last = calls[index];
			if (over[calls[index]] > at) going.push(calls[index]);
		}
		return going.length > 0 || last < 0 ? going : [last];
	};
	const took = (calls: number[]) => calls.map((call) => over[call] - began[call]);
	const goingIn = (calls: number[], times: number[], isSuch: (call: number) => boolean) =>
		some(times, MOMENTS_MOST)
			.map((at) => goingAt(calls, at, isSuch))
			.filter(({ length }) => length > 0);
	const [during, usual] = [goingIn(all, moments, () => true), answered.length > 0 ? answered : all];
	// What went on through other seconds took as long as those made it.
	const still = goingIn(usual, calm, (call) => isThroughout(calm, began[call], over[call])).map((calls) => average(took(calls)));
	const isCalm = still.length >= CALM_CALLS_LEAST;
	const now = middle(during.map((calls) => average(took(calls))));
	const best = isCalm ? middle(still) : spread(took(usual), QUICKEST_SHARE);
	const unanswered = during.flatMap((calls) => calls.map((call) => !isAnsweredCall(seen, call)));
	return {
		...{ now_s: now, calm_s: best, isCalm, isSlower: now > SLOWER_TIMES * best && now > SLOWER_LEAST_S },
		isAnswered: unanswered.filter(Boolean).length * 2 <= unanswered.length,
		wasAnswered: answered.length > 0,
	};
}

/** Calls of the load and its warm-up. */
const ofLoad = once(({ onEdge, began, load }, from, to) => {
	const all = onEdge(from, to);
	return all.slice(leading(all, (call) => began[call] < load.warmupFrom));
});
const answeredOfLoad = once((seen, from, to) => ofLoad(seen, from, to).filter((call) => isAnsweredCall(seen, call)));

const isAnsweredCall = ({ calls, isAttempt }: Pick<Seen, 'calls' | 'isAttempt'>, call: number) =>
	calls[call].end === 'answered' && !isAttempt(call);

export function calmAt(calm: number[]): (at: number) => boolean {
	const slots = slotsOf(calm);
	return (at) => slots.has(Math.round(at / EVERY_S));
}

/**
 * How many began in calm seconds.
 * @param calls as they began
 */
export function calmCount({ began }: Seen, calls: number[], calm: number[]) {
	const begunBefore = (slot: number) => leading(calls, (call) => began[call] < slot * EVERY_S);
	return [...slotsOf(calm)].reduce((sum, slot) => sum + begunBefore(slot + 0.5) - begunBefore(slot - 0.5), 0);
}

/**
 * A second, around such moments.
 * @param calls as they began
 * @returns 0 of none
 */
export const paceAt = (seen: Seen, calls: number[], moments: number[]): number =>
	share(calmCount(seen, calls, moments), slotsOf(moments).size * EVERY_S);

const slotsOf = (calm: number[]) => new Set(calm.map((at) => Math.round(at / EVERY_S)));
