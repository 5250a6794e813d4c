/**
 * Was it short of files, of memory, or did it wait for the disk? Each is asked of the service's own readings beside those of calm seconds:
 * what the whole machine waits for is no evidence against a service that does not use it.
 */

import { share } from './spread.ts';
import { areOthersQuick, CALM_LEAST, type Of, type Step, type Why } from './step.ts';
import { causeByCode } from './text.ts';
import { keepersOf } from './why-slots.ts';
import { doubtOfCalm, tell, type Worded } from './writing.ts';

/** Of the files that a process may have open: between two readings some are closed. */
const FILES_SHARE = 0.95;
/** Pages a second that come back from the disk: at 10 ms each, as of a turning disk, they are all of a thread's time. */
const REFAULTS_LEAST = 100;
/** Of the time, in which a task waited for memory, or for the disk: below it other time counts for more. */
const MEMORY_WAIT_SHARE = 0.1;
const DISK_WAIT_SHARE = 0.4;
/** Bytes a second that are more than a log. */
const DISK_LEAST = 64 * 1024;
/** More of a neighbour's, beside calm, may be what the disk was busy with. */
const DISK_TAKEN = 1024 * 1024;
/** What is less often as high in calm seconds has a lift. */
const LIFT_TIMES = 3;

/** Connections are files. */
export function outOfDescriptors(
	step: Of<
		'calm' | 'codeCause' | 'failed' | 'lost' | 'meanwhile' | 'moments' | 'seen' | 'service' | 'sign' | 'time' | 'took_s',
		'queued' | 'strain'
	>,
): Why | null {
	const { seen, readings, service, moments, calm, time } = step;
	// Whoever says which limit it was had a file left to say it on.
	if (causeByCode(step) !== null) return null;
	const [now, before] = beside(calm, (at) => readings.strain(service, at).files, moments);
	if (now === null || now.open < FILES_SHARE * now.limit || (before !== null && before.open >= FILES_SHARE * before.limit)) return null;
	const isOnNew = (call: number) => (seen.lineOf(call)?.connection.opened_at ?? 0) >= time.from;
	// Others were accepted meanwhile, and served.
	if (areOthersQuick(step, isOnNew)) return null;
	const queue = readings.queued(service, moments);
	const keeper = keeperOf(step, now.open);
	return {
		mechanism: 'out-of-descriptors',
		title: tell('out-of-descriptors', 'title', { ...now, keeper: keeper?.facts ?? null }),
		basis: before === null ? 'inferred' : 'timed',
		evidence: [
			tell('out-of-descriptors', 'open', { service, ...now, before: before?.open ?? null }),
			...(keeper === null ? [] : [keeper]),
			...(queue && queue.middle > 0 ? [tell('any', 'queue', { count: queue.middle })] : []),
		],
		...doubtOfCalm(before),
	};
}

/** Who has most of them as connections that nothing is asked on. */
function keeperOf(step: Of<'moments' | 'seen' | 'service' | 'time'>, files: number): Worded | null {
	const { seen, time } = step;
	const [most] = keepersOf(step);
	if (most === undefined || most.count < KEPT_SHARE * files) return null;
	const { client, count } = most;
	const opened = seen.lines(client, step.service).filter(({ connection: { accepted_at: at } }) => at !== null && at <= time.to);
	const closed = opened.filter(({ connection: { ended_at: at } }) => at !== null && at <= time.to);
	return tell('out-of-descriptors', 'keeper', { client, count, opened: opened.length, closed: closed.length });
}
/** Of the files: the others are fewer together. */
const KEPT_SHARE = 0.5;

/** No connection to it came about. */
export const outOfDescriptorsUnreached = (
	step: Of<
		'calm' | 'codeCause' | 'failed' | 'lost' | 'meanwhile' | 'moments' | 'seen' | 'service' | 'sign' | 'time' | 'took_s',
		'queued' | 'strain'
	>,
): Why | null => (share(step.failed.filter(step.seen.isAttempt).length, step.failed.length) > 1 / 2 ? outOfDescriptors(step) : null);

/**
 * What it used was thrown out of memory and had to come back. Pages that come from the disk for the first time are a cold cache, and memory that
 * is full of a warm one is as it should be.
 */
export function memoryShort({ readings, service, moments, calm }: Of<'calm' | 'moments' | 'service', 'strain'>): Why | null {
	const [now, before] = beside(calm, (at) => readings.strain(service, at), moments);
	if (now === null) return null;
	const isWaiting = isLifted(now.memory_wait, before?.memory_wait, MEMORY_WAIT_SHARE);
	const isBack = isLifted(now.refaults, before?.refaults, REFAULTS_LEAST);
	if (!isWaiting && !isBack) return null;
	return {
		mechanism: 'memory-short',
		basis: before === null ? 'inferred' : 'timed',
		evidence: [
			...(now.memory_limit === null ? [] : [tell('memory-short', 'limit', { service, limit: now.memory_limit })]),
			...(isWaiting ? [tell('memory-short', 'waited', { now: now.memory_wait ?? 0, before: before?.memory_wait })] : []),
			...(isBack ? [tell('memory-short', 'back', { now: now.refaults ?? 0, before: before?.refaults })] : []),
		],
		...doubtOfCalm(before),
	};
}

/** Many a store waits for its disk whenever it is asked: without calm seconds that says nothing. */
export function diskWait({
	readings,
	service,
	moments,
	calm,
}: Of<'calm' | 'moments' | 'service', 'machineDiskWait' | 'names' | 'strain'>): Why | null {
	const [now, before] = beside(calm, (at) => readings.strain(service, at), moments);
	if (now === null || before === null) return null;
	const isOwn = now.disk_wait !== null;
	const [wait, usualWait] = isOwn ? [now.disk_wait, before.disk_wait] : beside(calm, readings.machineDiskWait, moments);
	// Where the kernel counts waiting for the machine alone, it is no service's that does not use the disk.
	if (!isLifted(wait, usualWait, DISK_WAIT_SHARE) || (!isOwn && (now.disk_bytes ?? 0) < DISK_LEAST)) return null;
	return {
		mechanism: 'disk-wait',
		basis: isOwn ? 'timed' : 'inferred',
		evidence: [
			tell('disk-wait', 'waited', { service: isOwn ? service : null, now: wait ?? 0, before: usualWait }),
			...(now.disk_bytes === null ? [] : [tell('disk-wait', 'moved', { name: service, now: now.disk_bytes, before: before.disk_bytes })]),
			...neighbourAt(readings, service, moments, calm),
		],
		...(isOwn ? {} : { doubts: [tell('disk-wait', 'machine-alone', { service })] }),
	};
}

/**
 * Who else kept the disk busy.
 * @returns none or one
 */
function neighbourAt(readings: Pick<Step['readings'], 'names' | 'strain'>, service: string, moments: number[], calm: number[]): Worded[] {
	const increments = readings.names
		.filter((name) => name !== service)
		.map((name) => {
			const [now, before] = beside(calm, (at) => readings.strain(name, at).disk_bytes, moments);
			return { name, now: now ?? 0, before };
		});
	const [most] = increments.toSorted((one, other) => incrementOf(other) - incrementOf(one));
	if (!most || incrementOf(most) < DISK_TAKEN) return [];
	return [tell('disk-wait', 'moved', most)];
}

const incrementOf = ({ now, before }: { now: number; before: number | null }) => now - (before ?? 0);

/** @returns at the failed, and in calm; null where there was too little of it */
export const beside = <T>(calm: number[], read: (moments: number[]) => T | null, moments: number[]): [T | null, T | null] => [
	read(moments),
	calm.length < CALM_LEAST ? null : read(calm),
];

export const isLifted = (now: number | null | undefined, before: number | null | undefined, least: number) =>
	typeof now === 'number' && now >= least && (before ?? 0) * LIFT_TIMES <= now;
