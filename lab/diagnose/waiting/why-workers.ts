/** Are its workers all taken: by what waits for a callee, by connections that nobody uses, or by few long calls? */

import { grouped } from '../../base/values.ts';
import { ascending, upTo } from '../../stats/numbers.ts';
import { some } from '../joins/rules.ts';
import { askedBy } from './asked.ts';
import type { Line } from './seen.ts';
import { GOOD, once } from './seen.ts';
import { average, countsAt, isNarrow, kindsOf, middle, share, spread, stateAt, within } from './spread.ts';
import type { Of, Step, Why } from './step.ts';
import { answeredBeside, CALM_LEAST, slownessOf } from './step.ts';
import { asked } from './text.ts';
import { isIdle, usedThen } from './why-few.ts';
import { mostFor, onward, STANDING_LEAST } from './why-full.ts';
import { isHardlyAsked } from './why-own.ts';
import { answeredText, keepersOf } from './why-slots.ts';
import type { Worded } from './writing.ts';
import { tell } from './writing.ts';

/** Of the moments: a number that nothing limits is seldom at its own highest. */
const AT_MOST_SHARE = 0.5;
/** Of the calls that are waited for, so that a callee is named. The lab's own choice. */
const CALLEE_SHARE = 0.1;
/** A single connection that is kept open may be anybody's. */
const IDLE_LEAST = 2;
const [LOW, HIGH] = [0.1, 0.9];
const MOMENTS_MOST = 100;

/** As many at a time as it has workers, each waiting. */
export function workersTaken(
	step: Of<'asked' | 'calm' | 'equal_s' | 'failed' | 'meanwhile' | 'moments' | 'seen' | 'service' | 'sign' | 'took_s', 'queued'>,
): Why | null {
	const { seen, service, moments, readings } = step;
	const isOfLoad = (call: number) => seen.began[call] >= seen.load.warmupFrom;
	const callees = askedBy(seen, service, kindsServed(seen, service))
		// What goes on without requests takes no worker of theirs.
		.filter((to) => seen.onEdge(service, to).some((call) => isOfLoad(call) && seen.joins.parent[call] >= 0))
		.map((to) => ({ to, counts: countsAt(seen, seen.onEdge(service, to), seen.waited, moments, isOfLoad) }));
	const all = moments.map((_, index) => callees.reduce((sum, { counts }) => sum + counts[index], 0));
	const standing = average(countsAt(seen, seen.servedBy(service), seen.over, moments));
	// Hardly ever more, and mostly as many: between one that leaves and the next, a worker has none for a moment; one that was given up may be on
	// record for longer than it was kept.
	const high = spread(all, HARDLY_EVER);
	const before = standing - average(all);
	// Who is busy computing has one call out at many moments by chance, and now and then two.
	const least = spread(all, 1) > high ? ALMOST_ALWAYS : AT_MOST_SHARE;
	const isMostly = share(all.filter((count) => count === high).length, all.length) >= least;
	const queue = readings.queued(service, moments);
	if (!(high >= 1) || before < STANDING_LEAST || !(isMostly || isLeaving(queue, all, high))) return null;
	const waitingAt = (at: number[]) =>
		callees.reduce((most, { to }) => Math.max(most, ...countsAt(seen, seen.onEdge(service, to), seen.waited, at, isOfLoad)), 0);
	const streams = queue === null || queue.middle < 1 ? null : streamsBeside(step, high, queue.middle, waitingAt);
	if (streams !== null) return streams;
	const [most] = callees.toSorted((one, other) => average(other.counts) - average(one.counts));
	const named = callees.filter(({ counts }) => average(counts) >= CALLEE_SHARE * average(all)).map(({ to }) => to);
	const whom = named.sort().join(' or ');
	const slow = slownessOf(step, most.to);
	const spared = sparedBeside(step);
	const kept = mostFor(step, named);
	const full = tell('workers-taken', 'title', { high, whom, kind: kept?.kind });
	const otherwise =
		queuedText(step, high, whom) ??
		sharedText(step, high, most.to) ??
		(spared && tell('workers-taken', 'spared', { high, whom, kinds: spared.kinds }));
	return {
		...{ mechanism: 'workers-taken', title: otherwise ?? full, ...(otherwise === null ? { full } : {}) },
		basis: 'counted',
		place: { service, edge: { from: service, to: most.to } },
		evidence: [
			tell('workers-taken', 'worked', { service, high, isNever: spread(all, 1) <= high, whom, before }),
			...(spared ? [spared.said] : []),
			...(kept === null ? [] : [kept.said]),
			tell('any', 'took', { to: most.to, slow }),
			...(queue && queue.middle > 0 ? [tell('any', 'queue', { count: queue.middle, service })] : []),
		],
		...onward(most.to, slow),
	};
}

/**
 * A worker has short requests and work of its own between. Where connections are left in the accept queue none is free: then it tells enough that
 * about as many wait for a callee at all moments, and never more.
 */
function isLeaving(queue: ReturnType<Step['readings']['queued']>, counts: number[], high: number) {
	if (queue === null || queue.middle < 1 || high < NEAR_LEAST || spread(counts, NEVER) > high) return false;
	const mean = average(counts);
	return average(counts.map((count) => (count - mean) ** 2)) <= VARIES_MOST * mean;
}
/** The lab's own choices. The variance of what nothing limits is its mean (Poisson's distribution). */
const NEAR_LEAST = 3;
const NEVER = 0.99;
const VARIES_MOST = 0.5;

const kindsServed = once((seen, service) => kindsOf(seen, seen.servedBy(service)));

/** Who answers after a time of its own what it sent on to nobody has read it, and kept it in a line of its own. */
function queuedText(step: Of<'asked' | 'equal_s' | 'failed' | 'seen' | 'sign'>, high: number, whom: string) {
	const { equal_s: equal, sign, seen, failed } = step;
	const isAnswered = failed.every((call) => seen.calls[call].end === 'answered');
	if (equal === null || !isAnswered || !isHardlyAsked(step)) return null;
	return tell('workers-taken', 'queue', { high, whom, sign, equal });
}
/** Of moments. The lab's own choices. */
const HARDLY_EVER = 0.95;
const ALMOST_ALWAYS = 0.7;

/** Who has no worker left answers nobody. */
function sparedBeside(step: Of<'failed' | 'meanwhile' | 'moments' | 'seen' | 'took_s'>): { kinds: string; said: Worded } | null {
	const { seen, failed } = step;
	const { others, quick, isThroughout } = answeredBeside(step);
	const kinds = kindsOf(seen, failed);
	if (!isThroughout || kinds.size > NAMED_MOST) return null;
	const usual = middle(quick.map((call) => seen.over[call] - seen.began[call]));
	return {
		kinds: [...kinds].map(asked).sort().join(' and '),
		said: tell('workers-taken', 'answered', { quick: quick.length, others: others.length, usual }),
	};
}
/** The lab's own choice. */
const NAMED_MOST = 2;

/** Several calls go on at once on each connection, as streams of HTTP/2 do, of which either end may allow so many. */
function sharedText({ seen, service, moments }: Of<'moments' | 'seen' | 'service'>, high: number, to: string) {
	const at = some(moments, MOMENTS_MOST);
	const open = at.map(() => 0);
	for (const line of seen.lines(service, to))
		for (const index of within(line, at)) if (stateAt(seen, line, at[index]) === 'asking') open[index] += 1;
	const lines = Math.round(middle(open));
	if (lines < 1 || high < 2 * lines) return null;
	return tell('workers-taken', 'shared', { high, to, lines });
}

/** Who reads a connection until its caller closes it serves nobody else. */
export function workersIdle(step: Of<'failed' | 'moments' | 'seen' | 'service' | 'time', 'queued'>): Why | null {
	const { seen, service, moments, readings } = step;
	const queue = readings.queued(service, moments);
	if (!queue || queue.middle < 1) return null;
	const keepers = keepersOf(step);
	const idle = some(moments, MOMENTS_MOST).map((_, place) => keepers.reduce((sum, { open }) => sum + open[place], 0));
	if (middle(idle) < IDLE_LEAST || spread(idle, LOW) * 2 < spread(idle, HIGH)) return null;
	const again = askedAgain(step);
	if (again.lost > again.all / 2) return null;
	const [{ client, count, lines }] = keepers;
	const isOfOne = count >= OF_ONE_SHARE * middle(idle);
	const whose = isOfOne ? client : 'callers';
	const all = keepers.flatMap((keeper) => keeper.lines);
	const unread = all.filter(({ connection }) => connection.hidden_bytes > 0);
	// What was asked for there is that it go on in another protocol: it is in use.
	const became = unread.length >= OF_ONE_SHARE * all.length ? unread[0].connection.protocol : null;
	const onward = became === null ? [] : passedOnTo(step, lines);
	const used = became === null ? null : { protocol: became, to: onward.length === 1 ? onward[0] : null };
	return {
		mechanism: 'workers-idle-connections',
		title: tell('workers-idle-connections', 'title', {
			...{ count: Math.round(middle(idle)), whose, used, lasted: middle(lines.map((line) => lengthOf(seen, line))) },
		}),
		basis: 'inferred',
		evidence: [
			tell('workers-idle-connections', 'kept', {
				...{ service, count: middle(idle), used, keepers: keepers.slice(0, KEEPERS_SHOWN), queue: queue.middle },
			}),
			...answeredText(step),
			...(became === null ? [tell('workers-idle-connections', 'alone', { service })] : []),
		],
		...(again.all > 0 || became !== null ? {} : { doubts: [tell('workers-idle-connections', 'unasked', {})] }),
	};
}

export function nearlyIdle(step: Of<'failed' | 'moments' | 'seen' | 'service' | 'time', 'queued'>): Worded | null {
	const { service, moments, readings } = step;
	const queue = readings.queued(service, moments);
	if (!queue || queue.middle < 1) return null;
	const keepers = keepersOf(step);
	const idle = some(moments, MOMENTS_MOST).map((_, place) => keepers.reduce((sum, { open }) => sum + open[place], 0));
	const [low, high] = [spread(idle, LOW), spread(idle, HIGH)];
	if (middle(idle) < IDLE_LEAST || !isNarrow(low, high / 2)) return null;
	return tell('workers-idle-connections', 'nearly', { service, low, high, queue: queue.middle });
}

/** Of the connections. The lab's own choice. */
const OF_ONE_SHARE = 0.8;

const endOf = ({ until }: Step['seen'], { connection: { ended_at: at } }: Line) => at ?? until;

const lengthOf = (seen: Step['seen'], line: Line) => endOf(seen, line) - line.connection.opened_at;

/** To whom it had a connection for most of the time of each of these, which ended with it. */
const passedOnTo = ({ seen, service }: Of<'seen' | 'service'>, lines: Line[]): string[] =>
	seen.calleesOf(service).filter((to) => {
		const onward = seen.lines(service, to);
		const isBeside = (line: Line, other: Line) =>
			Math.abs(endOf(seen, line) - endOf(seen, other)) <= TOGETHER_S && lengthOf(seen, other) >= lengthOf(seen, line) / 2;
		return lines.filter((line) => onward.some((other) => isBeside(line, other))).length >= OF_ONE_SHARE * lines.length;
	});
/** The lab's own choice. */
const TOGETHER_S = 0.5;

const KEEPERS_SHOWN = 4;

/** On connections that it had answered on before: a worker that keeps one does answer there. */
function askedAgain({ seen, service, time }: Of<'seen' | 'service' | 'time'>) {
	const { began, sign } = seen;
	const again = seen
		.linesTo(service)
		.flatMap(({ calls }) =>
			calls.slice(1).filter((call, place) => sign[calls[place]] === GOOD && began[call] >= time.from && began[call] <= time.to),
		);
	return { all: again.length, lost: again.filter((call) => sign[call] !== GOOD).length };
}

/*
 * Are they taken by few long calls of one kind, whoever asks them? A caller that sends slowly, a download, an export.
 */

/** One that holds a server by itself is asked elsewhere (heldByOne in why.ts). */
const HOLDERS_LEAST = 2;
/** The work of a busy worker lasts so many times as long as what waits for one. The lab's own choice. */
const LONGER_TIMES = 2;
/** Of the length of such a call. The lab's own choice. */
const SENDING_SHARE = 0.8;
const WORKED_ON = new Set([GOOD, 'open']);
/** Of them in calm seconds. */
const CALM_PART = 0.5;

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

type Holders = { calls: number[]; high: number; whose: string; lasted: number };

/** Of those that last far longer than what waits for a worker the most, where as many go on at most moments and far fewer did in calm seconds. */
function holdersOf(
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
 * What is answered for long, and waits for no callee, holds a worker as well: an event stream, a long poll, a download. Where it worked on more at a time
 * beside few of them, they have the places of those.
 * @param high others that it works on at a time
 * @param queue connections that wait to be accepted
 * @param waitingAt most of those others at such moments
 */
function streamsBeside(
	step: Of<'calm' | 'failed' | 'moments' | 'seen' | 'service' | 'took_s'>,
	high: number,
	queue: number,
	waitingAt: (at: number[]) => number,
): Why | null {
	const { seen, service, calm } = step;
	const length = (call: number) => seen.waited[call] - seen.began[call];
	const isAwaiting = (call: number) => seen.childrenOf(call).some((child) => length(child) * 2 >= length(call));
	const streams = calm.length < CALM_LEAST ? null : holdersOf(step, (call) => !isAwaiting(call));
	if (streams === null || streams.high < high) return null;
	const { calls, whose, lasted } = streams;
	const going = countsAt(seen, calls, seen.over, calm);
	const calmer = calm.filter((_, index) => going[index] <= streams.high * CALM_PART);
	const earlier = calmer.length === 0 ? 0 : waitingAt(calmer);
	if (earlier <= high) return null;
	return {
		mechanism: 'workers-taken',
		title: tell('workers-taken', 'streams', { whose, lasted, high: streams.high, total: streams.high + high }),
		basis: 'counted',
		place: { service },
		evidence: [
			tell('workers-taken', 'going', { service, whose, high: streams.high, lasted, queue }),
			tell('workers-taken', 'left', { service, high, earlier, most: Math.round(streams.high * CALM_PART) }),
		],
	};
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
/** The lab's own choices. */
const STREAMS_SHARE = 0.9;
const STREAMS_LEAST = 5;
const BESIDE_MOST = 0.1;
const MOST_APART = 0.5;
