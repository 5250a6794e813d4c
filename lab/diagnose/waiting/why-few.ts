/** Does it work on few at a time, though it waits for nobody that is seen? A lock of its own, a pool of threads, workers that sleep. */

import { ownOf } from '../../base/values.ts';
import { ascending } from '../../stats/numbers.ts';
import { GOOD_LEAST } from './asked.ts';
import { GOOD } from './seen.ts';
import { CLOCK_S, Going, kindsOf, middle, share, spread } from './spread.ts';
import { areOthersQuick, CALM_LEAST, calmAt, EVERY_S, type Of, type Why } from './step.ts';
import { causeByCode } from './text.ts';
import { beside, isLifted } from './why-short.ts';
import { doubtOfCalm, tell, type Worded } from './writing.ts';

/** Spans between answers tell of a rhythm from so many on. */
const SPANS_LEAST = 20;
/** More at a time are told from chance by no rhythm. */
const FEW_MOST = 8;
/** Of answers of calm seconds, the quickest: nobody was before them. */
const ALONE_SHARE = 0.1;
/** Of the time that one takes alone: who works on k at a time is never over with k more within it, and mostly with the next soon after. */
const ALONE_LEAST = 0.8;
const ALONE_MOST = 1.5;
const [EARLY, USUAL] = [0.1, 0.4];
/** Of answers that come by chance, those are far apart: 4.9 times for one at a time, 1.5 for eight (quantiles of the gamma distribution). */
const RHYTHM_MOST = 1.25;
/** Who waits in a line takes longer than alone; so quick ones of the time did not. */
const WAITED_TIMES = 2;
/** Answers a second, beside calm seconds: who answered as many then without a line has room for them. */
const MORE_TIMES = 1.1;
/** Shorter ones are over before anybody notices. */
const ALONE_LEAST_S = 0.01;
/** Of one core: who uses more works. */
const IDLE_CORES = 0.5;
/** Of the requests that stood in it: the others are on their way. */
const OWN_SHARE = 0.5;

export function fewAtATime(
	step: Of<
		'calm' | 'failed' | 'lost' | 'meanwhile' | 'moments' | 'seen' | 'service' | 'time' | 'took_s' | 'waiting',
		'queued' | 'quotas' | 'use'
	>,
): Why | null {
	const { seen, service, failed, waiting, time, calm } = step;
	if (!isIdle(step) || waiting.own < OWN_SHARE * waiting.standing || calm.length < CALM_LEAST) return null;
	const kinds = kindsOf(seen, failed);
	const isDone = (call: number) => seen.sign[call] === GOOD || seen.calls[call].late_at !== undefined;
	const done = seen.servedBy(service).filter((call) => kinds.has(seen.kind[call]) && isDone(call));
	// What had been given up by then keeps it from others all the same.
	const doneAt = (call: number) => seen.calls[call].late_at ?? seen.over[call];
	const isCalm = calmAt(calm);
	const quiet = done.filter((call) => seen.sign[call] === GOOD && isCalm(seen.began[call]));
	const alone = spread(
		quiet.map((call) => seen.over[call] - seen.began[call]),
		ALONE_SHARE,
	);
	if (quiet.length < GOOD_LEAST || !(alone >= ALONE_LEAST_S)) return null;
	const all = done.filter((call) => doneAt(call) >= time.from && doneAt(call) <= time.to);
	const hasWaited = (call: number) => doneAt(call) - seen.began[call] >= WAITED_TIMES * alone;
	// Where others are quick those wait for each other alone.
	const isOfSome = areOthersQuick(step);
	const during = isOfSome ? all.filter(hasWaited) : all;
	if (during.filter(hasWaited).length * 2 < during.length) return null;
	if (!isOfSome && during.length / (time.to - time.from) < MORE_TIMES * rateInQuiet(step, quiet, alone)) return null;
	if (!isOfSome && isAsLongWithFew(step, done.filter(hasWaited), doneAt)) return null;
	const ends = ascending(during.map(doneAt));
	for (let width = 1; width <= FEW_MOST && width * 2 <= waiting.standing; width += 1) {
		const spans = ends.slice(width).map((end, place) => end - ends[place]);
		if (spans.length < SPANS_LEAST) return null;
		const [early, usual] = [spread(spans, EARLY), spread(spans, USUAL)];
		if (early < ALONE_LEAST * alone) continue;
		if (usual > ALONE_MOST * alone || usual > RHYTHM_MOST * early) return null;
		return {
			mechanism: 'workers-taken',
			title: tell('workers-taken', 'few', { width, standing: waiting.standing, isOfSome }),
			basis: 'inferred',
			evidence: [
				tell('workers-taken', 'rhythm', { alone, width, spans: spans.length, early }),
				tell('workers-taken', 'inside', { service, standing: waiting.standing, own: waiting.own }),
				...acceptedThen(step),
				...usedThen(step),
			],
		};
	}
	return null;
}

/**
 * Whoever stands in a line waits for those before it: where the first of them took as long, with few before them, it is no line. Its caller may have
 * so many under way at most, so that answers come at a pace all the same.
 * @param waited calls that took long, and were done
 */
function isAsLongWithFew({ seen, service }: Of<'seen' | 'service'>, waited: number[], doneAt: (call: number) => number) {
	const { began } = seen;
	const served = seen.servedBy(service);
	const done = Float64Array.from(seen.over);
	for (const call of served) done[call] = doneAt(call);
	const going = new Going(served, began, done);
	const rows = waited.map((call) => ({ took: done[call] - began[call], before: going.at(began[call] - CLOCK_S) }));
	const [usual, most] = [middle(rows.map(({ took }) => took)), middle(rows.map(({ before }) => before))];
	const first = rows.filter(({ before }) => before <= most * FEW_PART);
	return first.length >= FIRST_LEAST && first.filter(({ took }) => took >= AS_LONG_PART * usual).length * 2 > first.length;
}
/** Of those that usually stood before one, and of the time that one usually took. */
const FEW_PART = 0.5;
const AS_LONG_PART = 0.8;
const FIRST_LEAST = 5;

/**
 * Who has accepted what it does not work on has more than one to accept it.
 * @returns none or one
 */
function acceptedThen({ readings, service, moments }: Of<'moments' | 'service', 'queued'>): Worded[] {
	const queue = readings.queued(service, moments);
	return queue && queue.most === 0 ? [tell('workers-taken', 'accepted', { service })] : [];
}

/**
 * Answers a second in calm seconds in which none waited.
 * @param quiet answered ones of calm seconds
 */
function rateInQuiet({ seen: { began, over }, calm }: Of<'calm' | 'seen'>, quiet: number[], alone: number) {
	const slotOf = (at: number) => Math.round(at / EVERY_S);
	const waited = new Set(quiet.filter((call) => over[call] - began[call] > ALONE_MOST * alone).map((call) => slotOf(began[call])));
	const first = slotOf(began[quiet[0]]);
	const slots = new Set(calm.map(slotOf).filter((slot) => slot >= first && !waited.has(slot)));
	return share(quiet.filter((call) => slots.has(slotOf(began[call]))).length, slots.size * EVERY_S);
}

/**
 * It was asked more than it could answer in the time for which its callers wait: who serves the oldest first then works on what was given up alone.
 * What stops of a sudden had answered as soon as ever until then.
 */
export function overrun(
	step: Of<'caller' | 'calm' | 'equal_s' | 'failed' | 'moments' | 'seen' | 'service' | 'sign' | 'time', 'busy' | 'quotas' | 'use'>,
): Why | null {
	const { seen, service, caller, failed, time, calm, equal_s: equal, sign, readings, moments } = step;
	if (sign !== 'given-up' || equal === null || calm.length < CALM_LEAST || !isIdle(step)) return null;
	// On a full machine who uses little may have got no more.
	if ((readings.busy(moments) ?? 0) >= FULL_SHARE) return null;
	const kinds = kindsOf(seen, failed);
	const served = seen.servedBy(service).filter((call) => kinds.has(seen.kind[call]));
	const answered = served.filter((call) => seen.sign[call] === GOOD);
	const late = answered.filter((call) => seen.over[call] >= time.from - BEFORE_S && seen.over[call] <= time.to);
	if (late.length < GOOD_LEAST || middle(late.map((call) => seen.over[call] - seen.began[call])) < LATE_SHARE * equal) return null;
	const isCalm = calmAt(calm);
	const before = served.filter((call) => isCalm(seen.began[call])).length / (calm.length * EVERY_S);
	const now = served.filter((call) => seen.began[call] >= time.from && seen.began[call] <= time.to).length / (time.to - time.from);
	if (now < OVERRUN_TIMES * before) return null;
	return {
		mechanism: 'workers-taken',
		title: tell('workers-taken', 'overrun', { caller, equal }),
		basis: 'inferred',
		evidence: [
			tell('workers-taken', 'rate', { caller, service, equal, now, before }),
			tell('workers-taken', 'late', { count: late.length, took: middle(late.map((call) => seen.over[call] - seen.began[call])) }),
			...usedThen(step),
		],
	};
}
/** The first that are given up began when the last were answered, or after that. */
const BEFORE_S = 3;
/** Of the machine's CPU. */
const FULL_SHARE = 0.8;
/** Of the time for which callers wait. */
const LATE_SHARE = 0.5;
/** Calls a second, beside calm seconds. */
const OVERRUN_TIMES = 1.5;

export function isIdle({ readings, service, moments }: Of<'moments' | 'service', 'quotas' | 'use'>) {
	const use = readings.use(service, moments);
	return use !== null && use.cores < IDLE_CORES * Math.min(1, ownOf(readings.quotas, service) ?? 1) && use.throttled === 0;
}

/** @returns none or one */
export function usedThen({ readings, service, moments }: Of<'moments' | 'service', 'use'>): Worded[] {
	const use = readings.use(service, moments);
	return use ? [tell('any', 'used', { service, cores: use.cores })] : [];
}

/** Each request may want a thread, or a process, of its own. */
export function outOfThreads(
	step: Of<
		'calm' | 'codeCause' | 'failed' | 'lost' | 'meanwhile' | 'moments' | 'seen' | 'service' | 'sign' | 'time' | 'took_s',
		'refusedTasks' | 'strain'
	>,
): Why | null {
	const { readings, service, failed, moments, calm, time } = step;
	if (causeByCode(step) !== null || areOthersQuick(step)) return null;
	const refused = readings.refusedTasks(service, time);
	if (refused === null || refused < REFUSED_PART * failed.length) return null;
	const [now, before] = beside(calm, (at) => readings.strain(service, at).tasks, moments);
	if (now === null || !isLifted(now.refused, before?.refused, Number.MIN_VALUE)) return null;
	return {
		mechanism: 'out-of-threads',
		title: tell('out-of-threads', 'title', { limit: now.limit }),
		basis: before === null ? 'inferred' : 'timed',
		evidence: [
			tell('out-of-threads', 'refused', { service, refused, failed: failed.length, now: now.refused, before: before?.refused ?? null }),
			tell('out-of-threads', 'seen', { most: now.most, limit: now.limit }),
		],
		...doubtOfCalm(before),
	};
}
/** Refusals to failed requests: one may be for several, or several for one. */
const REFUSED_PART = 0.5;
