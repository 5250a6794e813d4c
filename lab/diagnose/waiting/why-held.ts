/** Are they taken by few long calls of one kind, whoever asks them? A caller that sends slowly, a download, an export. */

import { grouped } from '../../base/values.ts';
import { ascending, upTo } from '../../stats/numbers.ts';
import { GOOD } from './seen.ts';
import { average, countsAt, kindsOf, middle, share, spread } from './spread.ts';
import { CALM_LEAST, type Of, type Why } from './step.ts';
import { asked } from './text.ts';
import { isIdle, usedThen } from './why-few.ts';
import type { Holders } from './why-workers.ts';
import { tell } from './writing.ts';

/** Of the moments: a number that nothing limits is seldom at its own highest. */
export const AT_MOST_SHARE = 0.5;

/** One that holds a server by itself is asked elsewhere (heldByOne in why.ts). */
const HOLDERS_LEAST = 2;
/** The work of a busy worker lasts so many times as long as what waits for one. */
const LONGER_TIMES = 2;
/** Of the length of such a call. */
const SENDING_SHARE = 0.8;
const WORKED_ON = new Set([GOOD, 'open']);
/** Of them in calm seconds. */
export const CALM_PART = 0.5;

/**
 * It is idle, and calls of one kind go on in it, as many at most moments and never more, while connections wait to be accepted, or while it answers
 * to all of them already and to nobody else.
 */
export function workersHeld(
	step: Of<'calm' | 'failed' | 'moments' | 'seen' | 'service' | 'took_s', 'queued' | 'quotas' | 'use'>,
): Why | null {
	const { seen, service, readings, moments, calm } = step;
	const queue = readings.queued(service, moments);
	const isQueued = queue !== null && queue.middle >= 1;
	if (!isIdle(step)) return null;
	const holders = holdersOf(step);
	if (holders === null) return null;
	const { calls, high, whose, lasted } = holders;
	if (!isQueued && !isAnsweringAlone(step, calls, high)) return null;
	const sending = middle(calls.map((call) => (seen.calls[call].sent_at ?? seen.began[call]) - seen.began[call]));
	const isSending = sending >= SENDING_SHARE * lasted;
	return {
		mechanism: 'workers-taken',
		title: tell('workers-taken', 'held', { whose, high, lasted, isSending }),
		basis: calm.length >= CALM_LEAST ? 'timed' : 'inferred',
		evidence: [
			tell('workers-taken', 'going', { service, whose, high, lasted, queue: isQueued ? queue.middle : null }),
			...(isSending ? [tell('workers-taken', 'sent', { service, sending })] : []),
			...usedThen(step),
		],
		...(calm.length >= CALM_LEAST ? {} : { doubts: [tell('workers-taken', 'unknown', {})] }),
	};
}

/** Of those that last far longer than what waits for a worker the most, where as many go on at most moments and far fewer did in calm seconds. */
export function holdersOf(
	{ seen, service, failed, moments, calm, took_s: took }: Of<'calm' | 'failed' | 'moments' | 'seen' | 'service' | 'took_s'>,
	isCounted: (call: number) => boolean = () => true,
): Holders | null {
	const own = new Set(failed);
	const length = (call: number) => seen.over[call] - seen.began[call];
	// What was given up may wait like the others.
	const isLong = (call: number) => !own.has(call) && WORKED_ON.has(seen.sign[call]) && length(call) >= LONGER_TIMES * took;
	const long = seen.servedBy(service).filter((call) => isLong(call) && isCounted(call));
	const groups = [...grouped(long, (call) => JSON.stringify([seen.from[call], seen.kind[call]])).values()]
		.map((calls) => ({ calls, counts: countsAt(seen, calls, seen.over, moments) }))
		.toSorted((one, other) => average(other.counts) - average(one.counts));
	const [most] = groups;
	if (most === undefined) return null;
	const { calls, counts } = most;
	const high = spread(counts, 1);
	if (high < HOLDERS_LEAST || share(counts.filter((count) => count === high).length, counts.length) < AT_MOST_SHARE) return null;
	if (calm.length >= CALM_LEAST && average(countsAt(seen, calls, seen.over, calm)) > high * CALM_PART) return null;
	const [first] = calls;
	return { calls, high, whose: `${asked(seen.kind[first])} of ${seen.from[first]}`, lasted: middle(calls.map(length)) };
}

/**
 * Their answers have begun, and go on; of what is asked beside all of them hardly anything gets one: who can answer more at a time does.
 */
function isAnsweringAlone({ seen, failed }: Of<'failed' | 'seen'>, held: number[], high: number) {
	const { began, over, calls, sign } = seen;
	const begins = ascending(held.flatMap((call) => calls[call].first_at ?? []));
	const ends = ascending(held.map((call) => over[call]));
	if (begins.length < STREAMS_SHARE * held.length) return false;
	const streams = new Set(held);
	const kinds = kindsOf(seen, failed);
	const all = seen.servedBy(failed.length > 0 ? seen.to[failed[0]] : '').filter((call) => !streams.has(call));
	const others = all.filter((call) => kinds.has(seen.kind[call]));
	// Those that have begun by its begin, less those that are over by its end, go on all the time.
	const isBeside = (call: number) => upTo(begins, began[call]) - upTo(ends, over[call]) >= high;
	const isApart = (call: number) => (upTo(begins, began[call]) - upTo(ends, began[call])) * 2 <= high;
	const [beside, apart] = [others.filter(isBeside), all.filter(isApart)];
	const wellOf = (all: number[]) => share(all.filter((call) => sign[call] === GOOD).length, all.length);
	// Who fails as well where half as many go on fails by something else.
	return Math.min(beside.length, apart.length) >= STREAMS_LEAST && wellOf(beside) <= BESIDE_MOST && wellOf(apart) >= MOST_APART;
}
const STREAMS_SHARE = 0.9;
const STREAMS_LEAST = 5;
const BESIDE_MOST = 0.1;
const MOST_APART = 0.5;
