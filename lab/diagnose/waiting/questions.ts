/**
 * What is asked of requests that failed at a service. All questions of a subject are asked, and choose.ts says which answer explains the others. Each
 * names what it reads of a step and of its readings, and gets no more.
 */

import type { Mechanism } from '../../record/causes.ts';
import type { Rule } from '../rule.ts';
import { answersOf } from '../rule.ts';
import { choose } from './choose.ts';
import { familyOf, isSymptom } from './graph.ts';
import { nearMisses } from './nearly.ts';
import type { Of, Step, Why } from './step.ts';
import { areOthersQuick, isAsSoonAsGood, isAtOnce, isBrokenOff, isOwn } from './step.ts';
import { takerBehind } from './taker-behind.ts';
import { takerStopped } from './taker-stopped.ts';
import { takersBusy } from './takers-busy.ts';
import { circle, keptInside, stands, stoodStill } from './why.ts';
import { reportedByCode, statementUnfit } from './why-code.ts';
import { busyFor, busyUnreached, starved, throttledBeside, throttledFor, throttledThroughout } from './why-cpu.ts';
import { deadConnections } from './why-dead.ts';
import { poolExhausted } from './why-exhausted.ts';
import { fewAtATime, outOfThreads, overrun } from './why-few.ts';
import { forgotten } from './why-forgotten.ts';
import { poolFull, poolHeld } from './why-full.ts';
import { givenBefore } from './why-given.ts';
import { calleeGone, gone, noConnection, raced, staleAddress } from './why-gone.ts';
import { workersHeld } from './why-held.ts';
import { heldByOne } from './why-held-up.ts';
import { hung } from './why-hung.ts';
import { endedByItself, gaveUpFirst } from './why-limit.ts';
import { lockHeld, lockReleased, lockReported } from './why-lock.ts';
import { notRead, packetsLost } from './why-lost.ts';
import { manyCalls } from './why-many-calls.ts';
import { lookupFailed, lookupsWaiting, nameUnanswered, outside } from './why-name.ts';
import { behindOne } from './why-one-line.ts';
import { brokenOff, ownAnswer } from './why-own.ts';
import { polled } from './why-polled.ts';
import { noPorts } from './why-ports.ts';
import { isOnPurpose } from './why-push.ts';
import { diskWait, memoryShort, outOfDescriptors, outOfDescriptorsUnreached } from './why-short.ts';
import { slotsTaken } from './why-slots.ts';
import { slowKind } from './why-slow.ts';
import { checksFailed } from './why-tried.ts';
import { triedBefore } from './why-tried-before.ts';
import { shutAfter, tooMany } from './why-turned-away.ts';
import { unconnected } from './why-unconnected.ts';
import { unended } from './why-unended.ts';
import { workersIdle, workersTaken } from './why-workers.ts';

/** What its requests waited for explains nothing of answers that come no later than good ones do. */
const AS_SOON = 'answers come as soon as good ones do' as const;
/** What befalls the whole service explains nothing of what others of the kind are spared. */
const SPARED = 'others of its kind are spared' as const;

/** What a service does for a call: one that waits on purpose is not worked on. */
const ON_PURPOSE = 'calls wait on purpose' as const;

type Unless = typeof AS_SOON | typeof SPARED | typeof ON_PURPOSE;

type Situation = 'unreached' | 'limited' | 'own' | 'broken-off' | 'at-once' | 'standing' | 'as-soon';

/** family: of its answers, where it is not that of their cause */
type Question = Rule & { shows: Situation[]; unless: Unless[]; family: string | null };

const question = <Fact extends Exclude<keyof Step, 'readings'>, Read extends keyof Step['readings'] = never>(
	ask: (step: Of<NoInfer<Fact>, NoInfer<Read>>) => Why | null,
	{
		of: shows,
		unless = [],
		family = null,
		says,
		facts,
		readings = [],
	}: { of: Situation[]; unless?: Unless[]; family?: string | null; says: Mechanism[]; facts: Fact[]; readings?: Read[] },
): Omit<Question, 'of' | 'id'> => ({
	...{ shows, unless, family, says, facts: [...facts, ...readings.map((name) => `readings.${name}`)], asks: [] },
	apply: (_, step) => ask(step),
});

export const QUESTIONS: Question[] = Object.entries({
	lookupFailed: question(lookupFailed, {
		of: ['unreached'],
		says: ['name-unanswered'],
		facts: ['caller', 'calm', 'failed', 'good', 'moments', 'seen', 'service', 'sign'],
	}),
	raced: question(raced, {
		of: ['unreached'],
		says: ['keep-alive-race'],
		facts: ['caller', 'failed', 'lost', 'seen', 'service', 'time', 'took_s'],
		readings: ['away'],
	}),
	outside: question(outside, {
		of: ['unreached'],
		says: ['outside-failed', 'outside-slow'],
		facts: ['caller', 'calm', 'equal_s', 'failed', 'good', 'moments', 'seen', 'service', 'sign'],
	}),
	staleAddress: question(staleAddress, {
		of: ['unreached'],
		says: ['stale-address'],
		facts: ['caller', 'failed', 'seen', 'service'],
	}),
	gone: question(gone, {
		of: ['unreached'],
		says: ['gone', 'paused', 'out-of-memory'],
		facts: ['failed', 'good', 'seen', 'service'],
		readings: ['away'],
	}),
	calleeGone: question(calleeGone, {
		of: ['unreached'],
		says: ['gone', 'paused', 'out-of-memory'],
		facts: ['failed', 'good', 'lost', 'moments', 'seen', 'service', 'time'],
		readings: ['away'],
	}),
	outOfDescriptorsUnreached: question(outOfDescriptorsUnreached, {
		of: ['unreached'],
		says: ['out-of-descriptors'],
		facts: ['calm', 'codeCause', 'failed', 'lost', 'meanwhile', 'moments', 'seen', 'service', 'sign', 'time', 'took_s'],
		readings: ['queued', 'strain'],
	}),
	busyUnreached: question(busyUnreached, {
		of: ['unreached'],
		says: ['busy'],
		facts: ['calm', 'failed', 'moments', 'seen', 'service', 'time'],
		readings: ['queued', 'quotas', 'use'],
	}),
	slotsTaken: question(slotsTaken, {
		of: ['unreached', 'broken-off', 'at-once'],
		says: ['slots-taken'],
		facts: ['failed', 'moments', 'seen', 'service'],
	}),
	noConnection: question(noConnection, {
		of: ['unreached'],
		family: 'unconnected',
		says: [
			'accept-backlog-overflow',
			'refused',
			'unanswered',
			'closed-unasked',
			'turned-away',
			'workers-taken',
			'workers-idle-connections',
		],
		facts: ['asked', 'calm', 'equal_s', 'failed', 'meanwhile', 'moments', 'seen', 'service', 'sign', 'time', 'took_s'],
		readings: ['queued', 'strain'],
	}),
	gaveUpFirst: question(gaveUpFirst, {
		of: ['unreached'],
		says: ['time-limit'],
		facts: ['caller', 'equal_s', 'failed', 'seen', 'service', 'sign'],
	}),
	endedByItself: question(endedByItself, {
		of: ['limited'],
		family: 'limit',
		says: ['broken-off', 'time-limit'],
		facts: ['awaited', 'caller', 'equal_s', 'failed', 'good', 'seen', 'service', 'sign', 'took_s'],
	}),
	manyCalls: question(manyCalls, {
		of: ['limited'],
		says: ['many-calls'],
		facts: ['awaited', 'caller', 'calm', 'equal_s', 'failed', 'moments', 'seen', 'service', 'sign', 'took_s', 'waiting'],
	}),
	outOfDescriptors: question(outOfDescriptors, {
		of: ['own', 'broken-off', 'at-once', 'standing'],
		says: ['out-of-descriptors'],
		facts: ['calm', 'codeCause', 'failed', 'lost', 'meanwhile', 'moments', 'seen', 'service', 'sign', 'time', 'took_s'],
		readings: ['queued', 'strain'],
	}),
	outOfThreads: question(outOfThreads, {
		of: ['own', 'broken-off', 'at-once', 'standing'],
		says: ['out-of-threads'],
		facts: ['calm', 'codeCause', 'failed', 'lost', 'meanwhile', 'moments', 'seen', 'service', 'sign', 'time', 'took_s'],
		readings: ['refusedTasks', 'strain'],
	}),
	statementUnfit: question(statementUnfit, {
		of: ['unreached', 'own', 'standing'],
		family: 'statement',
		says: ['login-refused', 'statement-unfit'],
		facts: ['caller', 'codeCause', 'failed', 'seen', 'service', 'sign', 'time'],
	}),
	reportedByCode: question(reportedByCode, {
		of: ['own', 'standing'],
		says: [
			'conflict',
			'deadlock',
			'disk-full',
			'login-refused',
			'memory-short',
			'no-writes',
			'not-ready',
			'statement-elsewhere',
			'statement-unfit',
			'turned-away',
		],
		facts: ['caller', 'codeCause', 'failed', 'moments', 'seen', 'service', 'sign', 'time'],
	}),
	checksFailed: question(checksFailed, {
		of: ['own'],
		says: ['checks-failed'],
		facts: ['failed', 'good', 'seen', 'service', 'sign', 'time', 'took_s'],
	}),
	noPorts: question(noPorts, {
		of: ['own', 'standing'],
		says: ['no-ports'],
		facts: ['asked', 'moments', 'seen', 'service', 'time'],
		readings: ['ports'],
	}),
	nameUnanswered: question(nameUnanswered, {
		of: ['own', 'standing'],
		says: ['name-unanswered'],
		facts: ['calm', 'failed', 'good', 'lost', 'meanwhile', 'moments', 'seen', 'service', 'time', 'took_s'],
	}),
	lookupsWaiting: question(lookupsWaiting, {
		of: ['own', 'standing'],
		says: ['name-unanswered'],
		family: 'names-unread',
		facts: ['calm', 'moments', 'service'],
		readings: ['strain'],
	}),
	deadConnections: question(deadConnections, {
		of: ['own', 'as-soon'],
		says: ['dead-connections'],
		facts: ['asked', 'failed', 'good', 'good_s', 'seen', 'service', 'sign', 'time', 'took_s'],
	}),
	forgotten: question(forgotten, {
		of: ['standing'],
		says: ['forgotten'],
		facts: ['caller', 'failed', 'seen', 'service', 'sign', 'time'],
	}),
	poolExhausted: question(poolExhausted, {
		of: ['own', 'as-soon'],
		says: ['pool-full', 'pool-held'],
		facts: ['asked', 'calm', 'failed', 'good', 'good_s', 'moments', 'path', 'seen', 'service', 'sign', 'took_s'],
	}),
	tooMany: question(tooMany, {
		of: ['own'],
		says: ['turned-away'],
		facts: ['calm', 'failed', 'good', 'moments', 'seen', 'service', 'sign', 'time', 'took_s'],
	}),
	shutAfter: question(shutAfter, {
		of: ['own'],
		says: ['checks-failed'],
		facts: ['calm', 'failed', 'path', 'seen', 'service', 'sign', 'took_s'],
	}),
	triedBefore: question(triedBefore, {
		of: ['own'],
		family: 'remembers',
		says: ['checks-failed'],
		facts: ['asked', 'failed', 'good', 'path', 'seen', 'service', 'sign', 'took_s'],
	}),
	unconnected: question(unconnected, {
		of: ['own', 'standing'],
		family: 'remembers',
		says: ['checks-failed'],
		facts: ['failed', 'good', 'moments', 'path', 'seen', 'service', 'time'],
	}),
	takerStopped: question(takerStopped, {
		of: ['own'],
		family: 'stopped',
		says: ['hung'],
		facts: ['failed', 'good_s', 'path', 'seen', 'service', 'sign', 'time', 'took_s'],
		readings: ['away'],
	}),
	takerBehind: question(takerBehind, {
		of: ['own'],
		says: ['busy', 'cpu-throttled', 'workers-taken'],
		facts: ['calm', 'failed', 'good_s', 'moments', 'path', 'seen', 'service', 'sign', 'time', 'took_s'],
		readings: ['queued', 'quotas', 'use'],
	}),
	givenBefore: question(givenBefore, {
		of: ['own', 'as-soon'],
		says: ['given-before', 'not-shared'],
		facts: ['caller', 'failed', 'good', 'good_s', 'seen', 'service', 'sign', 'time', 'took_s'],
	}),
	ownAnswer: question(ownAnswer, {
		of: ['own', 'as-soon'],
		family: 'outcome',
		says: ['own-error', 'turned-away'],
		facts: ['asked', 'caller', 'calm', 'failed', 'good', 'good_s', 'moments', 'seen', 'service', 'sign', 'time', 'took_s'],
	}),
	brokenOff: question(brokenOff, {
		of: ['broken-off'],
		says: ['broken-off'],
		facts: ['asked', 'failed', 'moments', 'service', 'sign', 'took_s'],
		readings: ['queued'],
	}),
	unended: question(unended, {
		of: ['standing'],
		says: ['unended'],
		facts: ['caller', 'failed', 'good', 'seen', 'service', 'sign', 'time'],
	}),
	behindOne: question(behindOne, {
		of: ['standing'],
		unless: [AS_SOON],
		says: ['held-by-one'],
		facts: ['calm', 'moments', 'path', 'seen', 'service', 'waiting'],
	}),
	circle: question(circle, {
		of: ['standing'],
		says: ['workers-taken'],
		facts: ['calm', 'moments', 'path', 'seen', 'service', 'waiting'],
		readings: ['queued'],
	}),
	lockReleased: question(lockReleased, {
		of: ['standing'],
		says: ['lock'],
		facts: ['codeCause', 'failed', 'good', 'moments', 'seen', 'service', 'sign', 'took_s'],
	}),
	throttled: question(throttledFor, {
		of: ['standing'],
		unless: [SPARED],
		says: ['cpu-throttled'],
		facts: ['caller', 'calm', 'failed', 'meanwhile', 'moments', 'seen', 'service'],
		readings: ['use'],
	}),
	throttledBeside: question(throttledBeside, {
		of: ['standing'],
		unless: [SPARED],
		says: ['cpu-throttled'],
		facts: ['caller', 'calm', 'failed', 'meanwhile', 'moments', 'seen', 'service'],
		readings: ['use'],
	}),
	starved: question(starved, {
		of: ['standing'],
		unless: [SPARED],
		says: ['cpu-taken'],
		facts: ['calm', 'failed', 'meanwhile', 'moments', 'path', 'seen', 'service', 'took_s'],
		readings: ['busy', 'cores', 'names', 'strain', 'use'],
	}),
	poolHeld: question(poolHeld, {
		of: ['standing'],
		unless: [SPARED],
		says: ['pool-held'],
		facts: ['calm', 'failed', 'moments', 'seen', 'service', 'waiting'],
	}),
	poolFull: question(poolFull, {
		of: ['standing'],
		unless: [SPARED],
		says: ['pool-full'],
		facts: ['calm', 'failed', 'moments', 'seen', 'service', 'waiting'],
	}),
	workersTaken: question(workersTaken, {
		of: ['standing'],
		unless: [SPARED, ON_PURPOSE],
		says: ['workers-taken'],
		facts: ['asked', 'calm', 'equal_s', 'failed', 'meanwhile', 'moments', 'seen', 'service', 'sign', 'took_s'],
		readings: ['queued'],
	}),
	workersIdle: question(workersIdle, {
		of: ['standing'],
		says: ['workers-idle-connections'],
		facts: ['failed', 'moments', 'seen', 'service', 'time'],
		readings: ['queued'],
	}),
	lockReported: question(lockReported, {
		of: ['standing'],
		unless: [AS_SOON],
		says: ['lock'],
		facts: ['calm', 'moments', 'seen', 'service', 'waiting'],
		readings: ['holders'],
	}),
	memoryShort: question(memoryShort, {
		of: ['standing'],
		unless: [AS_SOON, SPARED],
		says: ['memory-short'],
		facts: ['calm', 'moments', 'service'],
		readings: ['strain'],
	}),
	diskWait: question(diskWait, {
		of: ['standing'],
		unless: [AS_SOON, SPARED],
		says: ['disk-wait'],
		facts: ['calm', 'moments', 'service'],
		readings: ['machineDiskWait', 'names', 'strain'],
	}),
	notRead: question(notRead, {
		of: ['standing'],
		unless: [AS_SOON, SPARED],
		says: ['busy', 'cpu-throttled', 'not-read'],
		facts: ['calm', 'moments', 'path', 'seen', 'service', 'time'],
		readings: ['queued', 'quotas', 'use'],
	}),
	packetsLost: question(packetsLost, {
		of: ['standing'],
		unless: [AS_SOON, SPARED],
		says: ['packets-lost'],
		facts: ['caller', 'calm', 'failed', 'moments', 'seen', 'service', 'time'],
		readings: ['strain'],
	}),
	lockHeld: question(lockHeld, {
		of: ['standing'],
		family: 'kept',
		says: ['lock'],
		facts: ['codeCause', 'failed', 'good', 'moments', 'seen', 'service', 'sign', 'took_s'],
	}),
	workersHeld: question(workersHeld, {
		of: ['standing'],
		unless: [SPARED, ON_PURPOSE],
		says: ['workers-taken'],
		facts: ['calm', 'failed', 'moments', 'seen', 'service', 'took_s'],
		readings: ['queued', 'quotas', 'use'],
	}),
	takersBusy: question(takersBusy, {
		of: ['standing'],
		says: ['workers-taken'],
		facts: ['calm', 'caller', 'failed', 'moments', 'path', 'seen', 'service'],
		readings: ['quotas', 'use'],
	}),
	heldByOne: question(heldByOne, {
		of: ['standing'],
		unless: [AS_SOON, ON_PURPOSE],
		says: ['held-by-one'],
		facts: ['failed', 'seen', 'service', 'time', 'took_s'],
	}),
	polled: question(polled, {
		of: ['standing'],
		says: ['busy', 'cpu-throttled', 'polled', 'workers-taken'],
		facts: ['calm', 'equal_s', 'failed', 'moments', 'path', 'seen', 'service', 'time', 'took_s', 'waiting'],
		readings: ['away', 'queued', 'quotas', 'use'],
	}),
	slowKind: question(slowKind, {
		of: ['standing'],
		unless: [AS_SOON, ON_PURPOSE],
		says: ['own-wait', 'slow-kind'],
		facts: ['caller', 'calm', 'failed', 'meanwhile', 'seen', 'service'],
	}),
	busy: question(busyFor, {
		of: ['standing'],
		unless: [AS_SOON, SPARED],
		says: ['busy'],
		facts: ['calm', 'moments', 'seen', 'service', 'time'],
		readings: ['queued', 'quotas', 'use'],
	}),
	fewAtATime: question(fewAtATime, {
		of: ['standing'],
		unless: [AS_SOON, ON_PURPOSE],
		says: ['workers-taken'],
		facts: ['calm', 'failed', 'lost', 'meanwhile', 'moments', 'seen', 'service', 'time', 'took_s', 'waiting'],
		readings: ['queued', 'quotas', 'use'],
	}),
	overrun: question(overrun, {
		of: ['standing'],
		unless: [ON_PURPOSE],
		family: 'overrun',
		says: ['workers-taken'],
		facts: ['caller', 'calm', 'equal_s', 'failed', 'moments', 'seen', 'service', 'sign', 'time'],
		readings: ['busy', 'quotas', 'use'],
	}),
	stoodStill: question(stoodStill, {
		of: ['standing'],
		unless: [SPARED, ON_PURPOSE],
		says: ['hung'],
		facts: ['failed', 'moments', 'seen', 'service'],
		readings: ['queued', 'quotas', 'use'],
	}),
	hung: question(hung, {
		of: ['standing'],
		unless: [ON_PURPOSE],
		says: ['hung'],
		facts: ['failed', 'moments', 'seen', 'service', 'time', 'waiting'],
		readings: ['use'],
	}),
	keptInside: question(keptInside, {
		of: ['standing'],
		unless: [AS_SOON, ON_PURPOSE],
		family: 'slow',
		says: ['hung'],
		facts: ['failed', 'meanwhile', 'moments', 'seen', 'service', 'time', 'took_s'],
		readings: ['quotas', 'use'],
	}),
	throttledThroughout: question(throttledThroughout, {
		of: ['standing'],
		family: 'throughout',
		says: ['cpu-throttled'],
		facts: ['calm', 'moments', 'service'],
		readings: ['use'],
	}),
}).map(([name, one]) => ({ ...one, of: 'step', id: name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`) }));

const chosenOf = (of: Situation[], step: Step, but: Unless[] = []): Why | null =>
	choose(
		answersOf(
			QUESTIONS.filter(({ shows, unless }) => shows.some((one) => of.includes(one)) && !unless.some((one) => but.includes(one))),
			step,
		).map(({ rule, answer }) => ({ family: rule.family ?? familyOf(answer.mechanism), why: answer })),
	);

/** @returns null where what was sent reached it */
export const whyUnreached = (step: Step): Why | null => chosenOf(['unreached'], step);

/** @returns of those that waited for a callee: what ended them all the same */
export const whyLimited = (step: Step): Why | null => chosenOf(['limited'], step);

export function whyHere(step: Step): Why {
	const why = answerOf(step) ?? stands(step);
	const nearly = isSymptom(why.mechanism) ? nearMisses(step) : [];
	return nearly.length === 0 ? why : { ...why, doubts: [...(why.doubts ?? []), ...nearly] };
}

/** What was over at once stood nowhere. */
function answerOf(step: Step) {
	if (isOwn(step)) return chosenOf(['own'], step);
	if (isBrokenOff(step)) return chosenOf(['broken-off'], step);
	if (isAtOnce(step)) return chosenOf(['at-once'], step);
	return chosenOf(isAsSoonAsGood(step) ? ['standing', 'as-soon'] : ['standing'], step, [
		...(isAsSoonAsGood(step) ? [AS_SOON] : []),
		...(areOthersQuick(step) ? [SPARED] : []),
		...(isOnPurpose(step) ? [ON_PURPOSE] : []),
	]);
}
