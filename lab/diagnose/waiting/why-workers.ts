/** Are its workers all taken: by what waits for a callee, by connections that nobody uses, or by few long calls? */

import { some } from '../joins/grouped.ts';
import { askedBy } from './asked.ts';
import { GOOD, type Line, once } from './seen.ts';
import { average, countsAt, isNarrow, kindsOf, middle, share, spread, stateAt, within } from './spread.ts';
import { answeredBeside, CALM_LEAST, type Of, type Step, slownessOf, type Why } from './step.ts';
import { asked } from './text.ts';
import { mostFor, onward, STANDING_LEAST } from './why-full.ts';
import { AT_MOST_SHARE, CALM_PART, holdersOf } from './why-held.ts';
import { isHardlyAsked } from './why-own.ts';
import { answeredText, keepersOf } from './why-slots.ts';
import { tell, type Worded } from './writing.ts';

/** Of the calls that are waited for, so that a callee is named. */
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
/** Of moments. */
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

/** Of the connections. */
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

export type Holders = { calls: number[]; high: number; whose: string; lasted: number };

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
