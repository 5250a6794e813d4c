/**
 * One step of the walk: requests that failed at a service, with what is known of them there, which every question (questions.ts) is asked of.
 *
 *
 * @typedef {object} Step
 * @property {Seen} seen
 * @property {Readings} readings
 * @property {number[]} calm       moments, seconds since 1970, in which no request failed
 * @property {string} service
 * @property {string} caller       that asked it; the generator at the entry
 * @property {string[]} path       services before it
 * @property {number[]} failed     calls that it served
 * @property {number[]} good       of the same kinds, to compare with
 * @property {Flags} lost  calls that failed, of all services
 * @property {LogWords['codeCause']} codeCause
 * @property {number[]} moments    within the lives of the failed
 * @property {{ from: number, to: number }} time  from the first to the last
 * @property {string} sign         of most of the failed
 * @property {number} took_s       middle
 * @property {number} good_s       that nine tenths of the good were done in; NaN of none
 * @property {number | null} equal_s  where most took one length
 * @property {Asked} asked
 * @property {Waiting} waiting
 * @property {string | null} awaited  callee for which more of them waited than stood in the service; null before the walk has looked
 * @property {number[]} meanwhile  calls that the service was asked while any of the failed went on, as they began
 *
 * @typedef {object} Why           an answer of a question
 * @property {Mechanism | null} mechanism
 * @property {Said} [title]      with what is known of this one, instead of the mechanism's own
 * @property {Said} [full]       of what it had none left, where those wait for a callee
 * @property {Basis} basis
 * @property {Said[]} evidence   sentences
 * @property {Said[]} [doubts]
 * @property {boolean} [isUnsaid]  what it answered does not say why
 * @property {boolean} [isCoded]  a code on the wire says why
 * @property {Pick<Why, 'mechanism' | 'title'>} [besideReason]  of what was only found to part the failed from the good: what it is called where a
 *   reason is on record
 * @property {{ said: Said, of: (calls: number[]) => Said }} [ofAll]  one of the evidence, and the same of all calls that ended there as these did
 * @property {{ service: string, edge?: { from: string, to: string }, beside?: string[] }} [place]  another than the step's service; beside: of
 *   which the same is so at the same time
 * @property {Basis} [where]     of that place, where it is another than the mechanism's
 * @property {{ to: string, total: number }} [idle]  connections to a callee on which nothing is asked
 * @property {boolean} [isQueued]  connections wait to be accepted, and it is idle
 * @property {string} [onTo]       callee that takes longer than in calm seconds, or that had failed before: the walk goes on to it
 * @property {{ count: number, back_s: number | null }} [times]  that it ended, as its title has it
 * @property {number[]} [ends]  when the place ended, seconds since 1970
 * @property {number[]} [kept]  messages that the place was given and never acknowledged
 * @property {number[]} [tried]    calls to it that had failed before, after which it was not asked
 *
 * @typedef {'proved' | 'counted' | 'timed' | 'inferred'} Basis  as the ledger has them (define/result.js)
 *
 * @import { Mechanism } from '../../record/causes.ts'
 * @import { Asked, Waiting } from './asked.ts'
 * @import { LogWords } from './logs.ts'
 * @import { Readings } from './readings.ts'
 * @import { Seen } from './seen.ts'
 * @import { Said } from './writing.ts'
 */

/**
 * What a question names of a step, and of its readings: it gets no more (questions.ts).
 * @template {keyof Step} Fact
 * @template {keyof Readings} [Read=never]
 * @typedef {Pick<Step, Fact> & ([Read] extends [never] ? {} : { readings: Pick<Readings, Read> })} Of
 */

import { leading, upTo } from '../../stats/numbers.ts';
import { some } from '../joins/rules.ts';
import { Flags } from '../joins/spans.ts';
import { askedOf, GOOD_LEAST, momentsOf, timeOf, waitingIn } from './asked.ts';
import { GOOD, once } from './seen.ts';
import { AT_ONCE_S, average, begunIn, countsAt, equalTime, kindsOf, middle, mostFirst, share, spread, stretchesOf } from './spread.ts';

/** Moments that are asked whether they are calm: two a second. */
export const EVERY_S = 0.5;
/** Fewer calm moments tell little: a second of them. */
export const CALM_LEAST = 2;

/**
 * @param {Pick<Step, 'seen' | 'readings' | 'calm' | 'service' | 'caller' | 'path' | 'failed' | 'good' | 'lost' | 'codeCause'>} about
 * @returns {Step}
 */
export function stepOf(about) {
	const { seen, service, failed, good, lost } = about;
	const own = new Set(failed);
	const took = failed.map((call) => seen.over[call] - seen.began[call]);
	/** @type {Waiting | undefined} */
	let waiting;
	/** @type {number[] | undefined} */
	let meanwhile;
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
 * @param {Pick<Step, 'seen' | 'calm' | 'service'>} about @returns {number[]} the same, where too few are left to compare with
 */
function quietOf({ seen, calm, service }) {
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
/** Five seconds. The lab's own choice, as for lines (saying.js). */
const QUIET_LEAST = 10;

/** Whether no moment from the one to the other was other than calm. @param {number[]} calm @param {number} from @param {number} to */
export const isThroughout = (calm, from, to) =>
	upTo(calm, to + EVERY_S / 2) - upTo(calm, from - EVERY_S / 2) >= Math.floor((to - from) / EVERY_S);

/** Good ones of those seconds: who came or went at some moment, or what grew meanwhile, is no reason. @param {Of<'good' | 'seen' | 'time'>} step */
export const besideOf = ({ seen, good, time }) => good.filter((call) => seen.began[call] >= time.from && seen.began[call] <= time.to);

/** @param {Of<'took_s'>} step */
export const isAtOnce = ({ took_s: took }) => took < AT_ONCE_S;

/** HTTP's own words for it: RFC 6585, 4 and RFC 9110, 15.6.4. */
const TURNED_AWAY = new Set(['429', '503']);

/** @param {Of<'sign' | 'took_s'>} step @returns {boolean} it answered at once that it takes no more */
export const isTurnedAway = (step) => TURNED_AWAY.has(step.sign) && isAtOnce(step);

/** Its server gave an answer. @param {Of<'failed' | 'seen'>} step */
const isAnswered = ({ seen, failed }) => failed.filter((call) => isAnsweredCall(seen, call)).length * 2 > failed.length;

/** It answered, and not well. @param {Of<'failed' | 'seen' | 'sign'>} step */
const isRefusal = (step) => isAnswered(step) && step.sign !== GOOD;

/** At once: it waited for nobody. @param {Of<'failed' | 'seen' | 'sign' | 'took_s'>} step */
export const isOwn = (step) => isRefusal(step) && (isAtOnce(step) || isAfterGood(step));

/**
 * Soon after its callees had answered well, each time after another while: it waited for nobody any more, and no time had run out.
 * @param {Of<'failed' | 'seen' | 'took_s'>} step
 */
function isAfterGood({ seen, failed, took_s: took }) {
	if (took >= DEADLINE_LEAST_S || equalTime(failed.map((call) => seen.over[call] - seen.began[call])) !== null) return false;
	const isLastGood = (/** @type {number} */ call) => {
		const [first, ...others] = seen.childrenOf(call);
		const last = others.reduce((later, child) => (seen.over[child] > seen.over[later] ? child : later), first);
		return last !== undefined && seen.sign[last] === GOOD && seen.over[last] <= seen.over[call];
	};
	return share(failed.filter(isLastGood).length, failed.length) >= SLOW_SHARE;
}
/** A program gives nobody a shorter time: what it does so soon after an answer it does not because that was late. The lab's own choice. */
const DEADLINE_LEAST_S = 0.5;

/** By the service, before it answered; its callees it asks for good ones. @param {Of<'asked' | 'failed' | 'moments' | 'seen' | 'service'>} step */
export const isBrokenOff = (step) => {
	const { seen, failed, asked } = step;
	return (
		asked.good !== null &&
		asked.failed < asked.good * ASKED_PART &&
		failed.filter((call) => BROKEN.has(seen.sign[call])).length * 2 > failed.length &&
		!isDialling(step)
	);
};

/** As many of its attempts to connect went on as of these: an attempt is joined to no request. @param {Of<'failed' | 'moments' | 'seen' | 'service'>} step */
function isDialling({ seen, service, failed, moments }) {
	const meanAt = (/** @type {number[]} */ calls) => average(countsAt(seen, calls, seen.over, moments));
	return meanAt(seen.madeBy(service).filter(seen.isAttempt)) >= meanAt(failed) * DIALLING_PART;
}
/** Of the failed that go on. The lab's own choice. */
const DIALLING_PART = 0.5;

/** By the service, without an answer. */
export const BROKEN = new Set(['closed', 'reset']);
/** Of the share of good ones that have a call: joins by order give some by chance. */
const ASKED_PART = 0.5;

/** No later than good answers come: what it waited for does not tell why. @param {Of<'failed' | 'good_s' | 'seen' | 'sign' | 'took_s'>} step */
export const isAsSoonAsGood = (step) => isRefusal(step) && step.took_s <= step.good_s;

/** It answered by itself, and not after a wait that good ones are spared. @param {Of<'failed' | 'good_s' | 'seen' | 'sign' | 'took_s'>} step */
export const isByItself = (step) => isOwn(step) || isAsSoonAsGood(step);
const SLOW_SHARE = 0.9;
/** More tell no more. */
const GOOD_MOST = 2000;

/**
 * Others of their kinds were there all through those moments, far more of them, and nearly all were done in a small part of their time: what
 * befalls a service as a whole does not tell why these were not.
 * @param {Of<'failed' | 'lost' | 'meanwhile' | 'moments' | 'seen' | 'took_s'>} step
 * @param {(call: number) => boolean} [isSuch]  of the others, those that count
 */
export function areOthersQuick({ seen, failed, lost, moments, meanwhile, took_s: took }, isSuch = () => true) {
	const { began, over, sign, kind } = seen;
	const [own, kinds] = [new Set(failed), kindsOf(seen, failed)];
	const others = meanwhile.filter(
		(call) => sign[call] === GOOD && kinds.has(kind[call]) && !lost.has(call) && !own.has(call) && isSuch(call),
	);
	if (others.length < Math.max(GOOD_LEAST, OTHERS_TIMES * failed.length)) return false;
	const length = (/** @type {number} */ call) => over[call] - began[call];
	if (spread(some(others, GOOD_MOST).map(length), SLOW_SHARE) * QUICK_TIMES >= took) return false;
	return areAllThrough(seen, others, moments);
}
/** As many times as the failed: a service that loses most of what it has is in trouble as a whole. The lab's own choice. */
const OTHERS_TIMES = 3;
/** Who waits in one line, or for one CPU, waits about as long. The lab's own choice. */
const QUICK_TIMES = 10;

/**
 * Requests of other kinds that a service was asked while any of the failed went on, and those that it answered in a small part of their time: what
 * befalls it as a whole spares none.
 * @param {Of<'failed' | 'meanwhile' | 'moments' | 'seen' | 'took_s'>} step
 * @returns {{ others: number[], quick: number[], isThroughout: boolean }} isThroughout: nearly all of them, and all through those moments
 */
export function answeredBeside({ seen, failed, meanwhile, moments, took_s: took }) {
	const { kind, calls, began, over } = seen;
	const kinds = kindsOf(seen, failed);
	const others = meanwhile.filter((call) => !kinds.has(kind[call]));
	const quick = others.filter((call) => calls[call].end === 'answered' && (over[call] - began[call]) * QUICK_TIMES <= took);
	const isEnough = quick.length >= SPARED_LEAST && quick.length >= ALMOST_ALL * others.length;
	return { others, quick, isThroughout: isEnough && areAllThrough(seen, quick, moments) };
}
/** The lab's own choices. */
const SPARED_LEAST = 20;
const ALMOST_ALL = 0.9;

/** At nearly each moment one of them began soon before or after. @param {Seen} seen @param {number[]} calls  as they began @param {number[]} moments */
function areAllThrough({ began }, calls, moments) {
	const begins = calls.map((call) => began[call]);
	return moments.filter((at) => upTo(begins, at + EVERY_S) > upTo(begins, at - EVERY_S)).length >= ALMOST_ALL * moments.length;
}

/**
 * Moments of the load and its warm-up around which no failed request began, was on its way or ended.
 * @param {Seen} seen @param {Set<number>} failed
 * @returns {number[]}
 */
export function calmMoments({ began, over, load }, failed) {
	const begins = Float64Array.from(failed, (call) => began[call]).sort();
	const ends = Float64Array.from(failed, (call) => over[call]).sort();
	const moments = [];
	for (let at = load.warmupFrom + EVERY_S; at < load.to; at += EVERY_S)
		if (upTo(begins, at + EVERY_S) === upTo(ends, at - EVERY_S)) moments.push(at);
	return moments;
}

/** With all lookups that failed for them. @param {Seen} seen @param {Set<number>} failed */
export function lostOf({ calls, childrenOf }, failed) {
	const lost = new Flags(calls.length);
	const left = [...failed];
	for (let call = left.pop(); call !== undefined; call = left.pop()) {
		if (lost.has(call)) continue;
		lost.add(call);
		left.push(...childrenOf(call));
	}
	return lost;
}

/** A callee takes longer than in calm by so many times, and by more than nothing. The lab's own choice. */
const SLOWER_TIMES = 3;
const SLOWER_LEAST_S = 0.05;
const CALM_CALLS_LEAST = 5;
/** Where no second was calm, its quickest calls stand for it. */
const QUICKEST_SHARE = 0.1;
/** Moments, and calls before each, that are looked at. */
const MOMENTS_MOST = 200;
const LOOKED_AT_MOST = 256;

/**
 * @typedef {object} Slowness
 * @property {number} now_s
 * @property {number} calm_s        of answered calls alone, where there are any: what nobody answered has no usual time
 * @property {boolean} isCalm       there were calm calls; else the quickest of all stand for them
 * @property {boolean} isSlower
 * @property {boolean} isAnswered   most of those that went on at the moments of the failed were
 * @property {boolean} wasAnswered  those to compare with
 */

/**
 * How long calls of an edge take at the moments of the failed, beside calm ones: those that go on then, so that many quick calls of quiet
 * stretches do not hide few slow ones.
 * @param {Of<'calm' | 'moments' | 'seen' | 'service'>} step @param {string} to
 * @returns {Slowness}
 */
export function slownessOf({ seen, service, moments, calm }, to) {
	const { began, over } = seen;
	const [all, answered] = [ofLoad(seen, service, to), answeredOfLoad(seen, service, to)];
	const goingAt = (/** @type {number[]} */ calls, /** @type {number} */ at, /** @type {(call: number) => boolean} */ isSuch) => {
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
	const took = (/** @type {number[]} */ calls) => calls.map((call) => over[call] - began[call]);
	const goingIn = (/** @type {number[]} */ calls, /** @type {number[]} */ times, /** @type {(call: number) => boolean} */ isSuch) =>
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

/** @param {Pick<Seen, 'calls' | 'isAttempt'>} seen @param {number} call */
const isAnsweredCall = ({ calls, isAttempt }, call) => calls[call].end === 'answered' && !isAttempt(call);

/** @param {number[]} calm @returns {(at: number) => boolean} */
export function calmAt(calm) {
	const slots = slotsOf(calm);
	return (at) => slots.has(Math.round(at / EVERY_S));
}

/** How many began in calm seconds. @param {Seen} seen @param {number[]} calls  as they began @param {number[]} calm */
export function calmCount({ began }, calls, calm) {
	const begunBefore = (/** @type {number} */ slot) => leading(calls, (call) => began[call] < slot * EVERY_S);
	return [...slotsOf(calm)].reduce((sum, slot) => sum + begunBefore(slot + 0.5) - begunBefore(slot - 0.5), 0);
}

/** A second, around such moments. @param {Seen} seen @param {number[]} calls  as they began @param {number[]} moments @returns {number} 0 of none */
export const paceAt = (seen, calls, moments) => share(calmCount(seen, calls, moments), slotsOf(moments).size * EVERY_S);

/** @param {number[]} calm */
const slotsOf = (calm) => new Set(calm.map((at) => Math.round(at / EVERY_S)));
