/** Was it starved of CPU, by its quota or by somebody else, or busy computing? */

import { GENERATOR_NAME } from '../../base/paths.ts';
import { ownOf } from '../../base/values.ts';
import { average, countsAt, isNarrow, middle, mostFirst, share } from './spread.ts';
import type { Of, Step, Why } from './step.ts';
import { answeredBeside, CALM_LEAST } from './step.ts';
import { asked } from './text.ts';
import { calmCalls, OTHERS_LEAST, slowest } from './why-slow.ts';
import type { Worded } from './writing.ts';
import { doubtOfCalm, tell, titleOf } from './writing.ts';

/** Of quota periods. A service at its quota is throttled in nearly all; a spike throttles in some. */
const THROTTLED_SHARE = 0.25;
/** Of quota periods: in so many, whoever asks it waits for its CPU. */
const THROUGHOUT_SHARE = 0.9;
/** What is as high in calm seconds explains nothing: at most this part of it. */
const CALM_PART = 0.5;
/** Of the machine: what is left is the kernel's own rounding and interrupts. */
const FULL_SHARE = 0.9;
/** A neighbour that took less of a core took nothing that was missed. */
const TAKEN_CORES = 0.25;
/** Of one core, or of its quota: a program with one thread can do no more. */
const BUSY_SHARE = 0.9;
const BUSY_CALM_PART = 0.75;
/** Of one core, of a program that meanwhile answers nobody and asks nobody: on a full machine it gets no more. */
const WORKING_SHARE = 0.5;
/** Of the calls of the time: an answer may be on its way. */
const ANSWERED_MOST = 0.1;
const ONE_CORE = 1;
/** Cores: what is counted between two readings may be a little more than their time. */
const ONE_THREAD_MOST = 1.05;

export function throttled({ readings, service, moments, calm }: Of<'calm' | 'moments' | 'service', 'use'>): Why | null {
	const [now, before] = [readings.use(service, moments), calmUse(readings, service, calm)];
	if (!now || now.throttled < THROTTLED_SHARE || (before && before.throttled > now.throttled * CALM_PART)) return null;
	return {
		mechanism: 'cpu-throttled',
		basis: 'timed',
		evidence: [tell('cpu-throttled', 'throttled', { service, now: now.throttled, before: before?.throttled ?? null })],
		...doubtOfCalm(before, 'its usual CPU'),
	};
}

export function nearlyThrottled({ readings, service, moments, calm }: Of<'calm' | 'moments' | 'service', 'use'>): Worded | null {
	const [now, before] = [readings.use(service, moments), calmUse(readings, service, calm)];
	if (!now || !isNarrow(now.throttled, THROTTLED_SHARE) || (before && before.throttled > now.throttled * CALM_PART)) return null;
	return tell('cpu-throttled', 'nearly', { service, now: now.throttled, least: THROTTLED_SHARE });
}

/**
 * It stood still for most of the time, which is what those waited for that stood in it, and did so in seconds too in which requests were still
 * answered: when that began is not told by them. Asked last, for what it does meanwhile may take its time all the same.
 */
export function throttledThroughout({ readings, service, moments, calm }: Of<'calm' | 'moments' | 'service', 'use'>): Why | null {
	const [now, before] = [readings.use(service, moments), calmUse(readings, service, calm)];
	if (!now || now.throttled < THROUGHOUT_SHARE) return null;
	return {
		mechanism: 'cpu-throttled',
		basis: 'inferred',
		evidence: [tell('cpu-throttled', 'throughout', { service, now: now.throttled, cores: now.cores })],
		doubts: before ? [tell('cpu-throttled', 'calm-too', { before: before.throttled })] : doubtOfCalm(before, 'its usual CPU').doubts,
	};
}

export function starved(
	step: Of<
		'calm' | 'failed' | 'meanwhile' | 'moments' | 'path' | 'seen' | 'service' | 'took_s',
		'busy' | 'cores' | 'names' | 'strain' | 'use'
	>,
): Why | null {
	const { readings, service, moments, calm, path, seen } = step;
	// Who is short of CPU is slow for all it is asked.
	if (answeredBeside(step).isThroughout) return null;
	const [busy, still] = [readings.busy(moments), calm.length < CALM_LEAST ? null : readings.busy(calm)];
	if (busy === null || busy < FULL_SHARE) return null;
	const increments = readings.names.map((name) => ({
		name,
		now: readings.use(name, moments)?.cores ?? 0,
		before: calmUse(readings, name, calm)?.cores ?? 0,
	}));
	const [taker] = increments.toSorted((one, other) => other.now - other.before - (one.now - one.before));
	const isOnWay = (name: string) => name === service || path.includes(name) || reached(seen, service).has(name);
	if (!taker || taker.now - taker.before < TAKEN_CORES || isOnWay(taker.name) || still === null) return null;
	// On a machine that is as full in calm seconds another that takes little of it tells nothing.
	if (still >= FULL_SHARE && taker.now - taker.before < TAKEN_SHARE * readings.cores) return null;
	return {
		mechanism: 'cpu-taken',
		basis: still < FULL_SHARE ? 'timed' : 'inferred',
		place: { service: taker.name },
		evidence: [
			tell('cpu-taken', 'taken', { ...taker, cores: readings.cores }),
			tell('cpu-taken', 'machine', { busy, still }),
			...waitedFor(readings, service, moments, calm),
			tell('cpu-taken', 'stood', { service }),
		],
		...(still < FULL_SHARE ? {} : { doubts: [tell('cpu-taken', 'calm-too', {})] }),
	};
}

/** Of all cores. */
const TAKEN_SHARE = 0.25;

/**
 * What the kernel counts of it by itself, where it does.
 * @returns none or one
 */
function waitedFor(readings: Pick<Step['readings'], 'strain'>, service: string, moments: number[], calm: number[]): Worded[] {
	const [now, before] = [readings.strain(service, moments).cpu_wait, readings.strain(service, calm).cpu_wait];
	return now === null || before === null ? [] : [tell('cpu-taken', 'waited', { service, now, before })];
}

/** All that it asks, and they ask. */
function reached({ calleesOf }: Step['seen'], service: string) {
	const all = new Set([service]);
	for (const one of all) for (const to of calleesOf(one)) all.add(to);
	return all;
}

export function busy(step: Of<'calm' | 'moments' | 'seen' | 'service' | 'time', 'queued' | 'quotas' | 'use'>): Why | null {
	const { readings, service, moments, calm } = step;
	const [now, before] = [readings.use(service, moments), calmUse(readings, service, calm)];
	const most = Math.min(ONE_CORE, ownOf(readings.quotas, service) ?? ONE_CORE);
	if (!now || now.cores < WORKING_SHARE * most || (before && before.cores > now.cores * BUSY_CALM_PART)) return null;
	const isSilent = isWithoutCalls(step) && isWithoutAnswers(step);
	if (!isSilent && now.cores < BUSY_SHARE * most) return null;
	const queue = readings.queued(service, moments);
	const isFull = now.cores >= BUSY_SHARE * most && now.cores < ONE_THREAD_MOST;
	return {
		mechanism: 'busy',
		...(isFull ? { title: tell('busy', 'title', { cores: now.cores, isThread: most === ONE_CORE }) } : {}),
		basis: 'timed',
		evidence: [
			tell('busy', 'used', { service, cores: now.cores, before: before?.cores ?? null }),
			...(queue && queue.middle > 0 ? [tell('any', 'queue', { count: queue.middle })] : []),
			...(isSilent ? [tell('busy', 'silent', {})] : []),
		],
		...doubtOfCalm(before, 'its usual CPU'),
	};
}

/** It was too busy to take connections: its kernel took none when the queue was full. */
export function busyUnreached(
	step: Of<'calm' | 'failed' | 'moments' | 'seen' | 'service' | 'time', 'queued' | 'quotas' | 'use'>,
): Why | null {
	const unanswered = step.failed.filter((call) => step.seen.sign[call] === 'unanswered').length;
	const why = unanswered * 2 > step.failed.length ? busy(step) : null;
	return why && { ...why, evidence: [...why.evidence, tell('busy', 'unanswered', { count: unanswered })] };
}

const isWithoutCalls = ({ seen, service, moments }: Of<'moments' | 'seen' | 'service'>) =>
	countsAt(seen, seen.madeBy(service), seen.over, moments).every((count) => count === 0);

function isWithoutAnswers({ seen, service, time }: Of<'seen' | 'service' | 'time'>) {
	const during = seen.servedBy(service).filter((call) => seen.began[call] <= time.to && seen.over[call] >= time.from);
	return share(during.filter((call) => seen.calls[call].end === 'answered').length, during.length) <= ANSWERED_MOST;
}

const calmUse = (readings: Pick<Step['readings'], 'use'>, name: string, calm: number[]) =>
	calm.length < CALM_LEAST ? null : readings.use(name, calm);

type Starved = Of<'caller' | 'calm' | 'failed' | 'meanwhile' | 'moments' | 'seen' | 'service', 'use'>;

export function throttledFor(step: Starved): Why | null {
	const why = throttled(step);
	return why && workedOn(step, why, othersThere(step));
}

/** It is at its quota in calm seconds too, so that the quota alone tells nothing; that somebody else has new work there does. */
export function throttledBeside(step: Starved): Why | null {
	const also = othersThere(step);
	const why = also && throttledThroughout(step);
	return why && workedOn(step, why, also);
}

/**
 * Short of CPU, which spares no kind of call: the one that takes long beside others, and had not in calm seconds, is what it works on; and who else
 * has it work.
 */
function workedOn(step: Starved, why: Why, also: ReturnType<typeof othersThere>): Why {
	const slow = slowest(step);
	const usual = slow === null ? [] : calmCalls(step).filter((call) => step.seen.kind[call] === slow.kind);
	const isKnown = slow?.why.mechanism === 'slow-kind' && slow.why.basis === 'counted' && usual.length >= OTHERS_LEAST;
	const took = middle(usual.map((call) => step.seen.over[call] - step.seen.began[call]));
	const worked = isKnown ? { title: titleOf(slow.why), usual: took } : null;
	return {
		...why,
		...(worked !== null || also !== null ? { title: tell('cpu-throttled', 'title', { slow: worked, also: also?.text ?? null }) } : {}),
		evidence: [...why.evidence, ...(also ? [also.evidence] : []), ...(isKnown ? slow.why.evidence : [])],
	};
}

export function busyFor(step: Of<'calm' | 'moments' | 'seen' | 'service' | 'time', 'queued' | 'quotas' | 'use'>): Why | null {
	const why = busy(step);
	const also = why === null ? null : othersThere(step);
	return why === null || also === null
		? why
		: { ...why, title: tell('busy', 'beside', { one: titleOf(why), also: also.text }), evidence: [...why.evidence, also.evidence] };
}

/** A client that no service asks has more going on there than it has in calm seconds, and a good part of all. */
function othersThere({
	seen,
	service,
	moments,
	calm,
}: Of<'calm' | 'moments' | 'seen' | 'service'>): { text: Worded; evidence: Worded } | null {
	if (calm.length < CALM_LEAST) return null;
	const goingAt = (calls: number[], times: number[]) => average(countsAt(seen, calls, seen.waited, times));
	const all = goingAt(seen.servedBy(service), moments);
	const [most] = othersAt(seen, service)
		.map(({ from, calls }) => ({ from, calls, now: goingAt(calls, moments), usual: goingAt(calls, calm) }))
		.toSorted((one, other) => other.now - one.now);
	if (!most || most.now < THERE_LEAST || most.now < THERE_TIMES * most.usual || most.now < THERE_SHARE * all) return null;
	const { from, calls, now, usual } = most;
	const going = calls.filter((call) => seen.waited[call] >= moments[0] && seen.began[call] <= moments[moments.length - 1]);
	const [kind] = mostFirst(going, (call) => seen.kind[call])[0];
	const longest = going.reduce((time, call) => Math.max(time, seen.waited[call] - seen.began[call]), 0);
	return {
		text: tell('busy', 'also', { now, kind: asked(kind), from }),
		evidence: tell('busy', 'others', { now, all, usual, from, service, longest }),
	};
}
/** Who is none of the load's and asked by no service, each with its calls. */
export const othersAt = (seen: Step['seen'], service: string): { from: string; calls: number[] }[] =>
	[...new Set(seen.linesTo(service).map(({ from }) => from))]
		.filter((from) => from !== GENERATOR_NAME && seen.servedBy(from).length === 0)
		// Who waits on purpose, as for a next job, has nobody work.
		.map((from) => ({ from, calls: seen.onEdge(from, service).filter((call) => seen.calls[call].role !== 'wait') }));

/** Of another client's calls, at the mean; as compared with calm seconds; and of all. */
const THERE_LEAST = 1;
const THERE_TIMES = 3;
const THERE_SHARE = 0.3;
