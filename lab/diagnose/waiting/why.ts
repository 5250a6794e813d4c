/**
 * Why requests fail at a service: questions, each with its own reading, which questions.ts lists. None is asked by time alone: an answer has
 * to be that of most of the failed and of hardly any good ones, or higher than in calm seconds.
 */

import { grouped } from '../../base/values.ts';
import { ascending } from '../../stats/numbers.ts';
import { GOOD_LEAST } from './asked.ts';
import { GOOD } from './seen.ts';
import { average, countsAt, kindsOf, middle, share, spread } from './spread.ts';
import { answeredBeside, isAtOnce, type Of, type Step, slownessOf, type Why } from './step.ts';
import { counted, ended, few, percent, seconds, things, tookText } from './text.ts';
import { isIdle, usedThen } from './why-few.ts';
import { poolIdle } from './why-full.ts';
import { ON_ITS_WAY_S, SILENT_LEAST_S, WAITING_MOST } from './why-hung.ts';
import { mayAwaitLost } from './why-lost.ts';
import { isBlind } from './why-own.ts';
import { tell } from './writing.ts';

/**
 * Do services wait for each other in a circle? The way ends where it would come back: each has its workers taken by what waits for the other.
 *
 */

export function circle(step: Of<'calm' | 'moments' | 'path' | 'seen' | 'service' | 'waiting', 'queued'>): Why | null {
	const { seen, service, path, waiting, readings, moments } = step;
	const [most] = waiting.callees;
	if (!most || most.mean <= waiting.own || !path.includes(most.to)) return null;
	const slow = slownessOf(step, most.to);
	if (!slow.isSlower) return null;
	const first = most.to;
	const next = path[path.indexOf(first) + 1] ?? service;
	const isOfLoad = (call: number) => seen.began[call] >= seen.load.warmupFrom;
	const high = spread(countsAt(seen, seen.onEdge(first, next), seen.waited, moments, isOfLoad), 1);
	const queue = readings.queued(first, moments);
	return {
		mechanism: 'workers-taken',
		title: `waited in a circle: for ${next}, ${next === service ? 'which' : `and ${service}`} waited for ${first} again, whose workers that took`,
		basis: 'inferred',
		place: { service: first, edge: { from: first, to: next } },
		evidence: [
			`${few(waiting.standing)} requests were in ${service}, which waited for ${few(most.mean)} answers of ${first}; up to ${few(high)} requests in ${first} waited for ${next} meanwhile.`,
			tookText(first, slow),
			...(queue && queue.middle > 0 ? [`${things(queue.middle, 'connection')} waited to be accepted by ${first}.`] : []),
		],
	};
}

/**
 * What its slowest kind of call took, beside its usual, for whoever reads on.
 * @returns none or a sentence
 */
function slowestText({ seen, meanwhile }: Of<'meanwhile' | 'seen'>): string[] {
	const rows = [...grouped(meanwhile, (call) => seen.kind[call])].map(([kind, calls]) => ({
		kind,
		calls: calls.length,
		sum: calls.reduce((sum, call) => sum + seen.over[call] - seen.began[call], 0),
	}));
	const [most] = rows.toSorted((one, other) => other.sum - one.sum);
	if (!most || most.kind === '') return [];
	return [`${things(most.calls, 'call')} ${most.kind} took ${seconds(most.sum / most.calls)} each at the mean.`];
}

/**
 * One kind of request is answered no more from a moment on, in a service that is idle, has no call open for them, and answers all others as before:
 * they do not come so far as good ones do, and whoever has what they wait for waits for the same, or never gives it back.
 */
export function keptInside(
	step: Of<'failed' | 'meanwhile' | 'moments' | 'seen' | 'service' | 'time' | 'took_s', 'quotas' | 'use'>,
): Why | null {
	const { seen, service, failed, time, moments } = step;
	const { began, over, kind, calls, joins, sign } = seen;
	const kinds = kindsOf(seen, failed);
	if (kinds.size !== 1 || !isIdle(step) || isBlind(step) || mayAwaitLost(step)) return null;
	const same = seen.servedBy(service).filter((call) => kinds.has(kind[call]) && !seen.isAttempt(call));
	const good = same.filter((call) => sign[call] === GOOD);
	const last = good.reduce((latest, call) => Math.max(latest, over[call]), Number.NEGATIVE_INFINITY);
	const after = same.filter((call) => over[call] > last);
	if (good.length < GOOD_LEAST || after.length < GOOD_LEAST || time.to - last < SILENT_LEAST_S) return null;
	if (failed.some((call) => over[call] <= last) || after.some((call) => calls[call].end === 'answered')) return null;
	const { others, quick } = answeredBeside(step);
	if (quick.length < BESIDE_LEAST || quick.length < BESIDE_SHARE * others.length) return null;
	const isTheirs = (call: number) => joins.parent[call] < 0 || kinds.has(kind[joins.parent[call]]);
	const asked = average(countsAt(seen, seen.madeBy(service), seen.waited, moments, isTheirs));
	if (asked > WAITING_MOST) return null;
	const second = Math.round(Math.max(0, last - seen.load.from));
	const askers = after.filter(seen.isAsking);
	// Who asks nobody for good ones may wait for anything.
	if (askers.length > FEW_PART * after.length || good.filter(seen.isAsking).length < BESIDE_SHARE * good.length) return null;
	// Those that have what the others wait for had it when nothing was given back any more.
	const areHolders = askers.every((call) => seen.childrenOf(call).every((child) => began[child] <= last + ON_ITS_WAY_S));
	return {
		mechanism: 'hung',
		title: tell('hung', 'kept', { kind: [...kinds][0], second, holders: areHolders ? askers.length : 0 }),
		basis: 'inferred',
		evidence: [
			tell('hung', 'stopped', {
				...{ service, kind: [...kinds][0], good: good.length, after: after.length, second },
				standing: average(countsAt(seen, same, over, moments)),
			}),
			tell('hung', 'unasked', { service, open: asked, askers: askers.length, after: after.length }),
			...usedThen(step),
			tell('workers-taken', 'answered', {
				...{ quick: quick.length, others: others.length, usual: middle(quick.map((call) => over[call] - began[call])) },
			}),
		],
		doubts: [tell('hung', 'which', {})],
	};
}
/** Requests of other kinds, and those of them that were as quick as ever. The lab's own choices, as is the next. */
const BESIDE_LEAST = 20;
const BESIDE_SHARE = 0.9;
/** Of those that stood: who had begun, among those that had not. */
const FEW_PART = 0.5;

/** Stretches without a sign of life. The lab's own choices, as are the numbers below. */
const STILL_LEAST_S = 1;
const STANDING_LEAST = 2;
/** Of the failed, and of what stood in it at the end of such a stretch. */
const STILL_SHARE = 0.9;
const GOES_ON_S = 0.25;
/** Of such a stretch. */
const AWAITING_PART = 0.5;

/** It did nothing at all for a while, though requests stood in it and connections waited, and then went on with all of it at once. */
export function stoodStill(step: Of<'failed' | 'moments' | 'seen' | 'service', 'queued' | 'quotas' | 'use'>): Why | null {
	const { seen, service, failed, readings } = step;
	const { began, over, calls } = seen;
	if (!isIdle(step) || isBlind(step)) return null;
	const served = seen.servedBy(service);
	const answered = served.filter((call) => calls[call].end === 'answered');
	const life = ascending([
		...answered.flatMap((call) => [calls[call].first_at ?? over[call], over[call]]),
		...seen.madeBy(service).map((call) => began[call]),
	]);
	const spans: { from: number; to: number }[] = [];
	for (let place = 1; place < life.length; place += 1) {
		const [from, to] = [life[place - 1], life[place]];
		if (to - from < STILL_LEAST_S || to < seen.load.from || from > seen.load.to) continue;
		const standing = served.filter((call) => began[call] < to - STILL_LEAST_S / 2 && over[call] > from + STILL_LEAST_S / 2);
		const left = standing.filter((call) => over[call] >= to);
		const isAll = left.length > 0 && left.filter((call) => over[call] <= to + GOES_ON_S).length >= STILL_SHARE * left.length;
		// Who waits for an answer does so on somebody else's account.
		const isAwaiting = seen
			.madeBy(service)
			.some((call) => Math.min(seen.waited[call], to) - Math.max(began[call], from) >= AWAITING_PART * (to - from));
		if (standing.length >= STANDING_LEAST && isAll && !isAwaiting) spans.push({ from, to });
	}
	const isIn = (call: number) => spans.some(({ from, to }) => began[call] < to && over[call] > from);
	if (spans.length === 0 || failed.filter(isIn).length < STILL_SHARE * failed.length) return null;
	const queued = spans.map(({ from, to }) => readings.queued(service, [(from + to) / 2])?.most ?? 0);
	if (queued.some((most) => most < 1)) return null;
	const longest = Math.max(...spans.map(({ from, to }) => to - from));
	const times = spans.length === 1 ? 'once' : `${counted(spans.length)} times`;
	return {
		mechanism: 'hung',
		title: `stood still ${times}, for up to ${seconds(longest)}: it answered and asked nothing while connections waited to be accepted, and then went on with all at once`,
		basis: 'counted',
		evidence: [
			`In ${counted(spans.length)} ${spans.length === 1 ? 'stretch' : 'stretches'} of ${seconds(Math.min(...spans.map(({ from, to }) => to - from)))} to ${seconds(longest)} no answer of ${service} began or ended and it made no calls, though requests were waiting in it and up to ${counted(Math.max(...queued))} connections waited to be accepted; what stood at its end was answered within ${seconds(GOES_ON_S)}.`,
			`${percent(share(failed.filter(isIn).length, failed.length))} of the failed requests went on in such a stretch.`,
			...usedThen(step),
		],
		doubts: ['a program that was stopped and one whose only thread slept or waited for a lock look the same'],
	};
}

/** All that can be said where no question has an answer. */
export function stands(step: Step): Why {
	const { service, caller, waiting, readings, moments, sign, took_s: took, equal_s: equal, failed } = step;
	const [use, queue] = [readings.use(service, moments), readings.queued(service, moments)];
	const isGivenUp = sign === 'given-up';
	const idle = isAtOnce(step) ? null : poolIdle(step);
	return {
		mechanism: null,
		basis: 'inferred',
		...(idle ? { idle } : {}),
		...(queue && queue.middle >= 1 && isIdle(step) ? { isQueued: true } : {}),
		evidence: [
			isAtOnce(step)
				? `${counted(failed.length)} calls of ${caller} to ${service} were ${ended(sign)} after ${seconds(took)}; no bad call of ${service} goes with them.`
				: `${few(waiting.own)} of ${few(waiting.standing)} requests were in ${service}, and waited for no other service on record.`,
			...(equal === null ? [] : [isGivenUp ? `${caller} gave up after ${seconds(equal)} each time.` : `Each took ${seconds(equal)}.`]),
			...(use
				? [
						`${service} used ${use.cores.toFixed(2)} cores${use.throttled > 0 ? ` and was throttled in ${percent(use.throttled)} of its periods` : ''}.`,
					]
				: []),
			...(queue && queue.middle > 0 ? [`${things(queue.middle, 'connection')} waited to be accepted.`] : []),
			...(isStill(step) ? ['It was idle: a lock, a sleep or a limit of workers inside looks like this.'] : []),
			...(idle ? [idle.said] : []),
			...slowestText(step),
		],
	};
}

/** Most stood in it for long, and neither its CPU nor anybody whom it may have asked kept it. */
const isStill = (step: Of<'failed' | 'moments' | 'seen' | 'service' | 'took_s' | 'waiting', 'quotas' | 'use'>) =>
	!isAtOnce(step) && step.waiting.own > step.waiting.standing / 2 && isIdle(step) && !isBlind(step);
