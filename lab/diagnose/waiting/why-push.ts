/**
 * A service may wait without a call: for what a callee pushes to it on a connection that it keeps open (a queue of replies, a channel, a stream of
 * changes). Good requests have such a push within their lives and failed ones have none, though the service had asked for it. Then what happened
 * is asked of those who take the callee's messages: a broker pushes a reply when somebody sent it one.
 */

import { grouped } from '../../base/values.ts';
import { upTo } from '../../stats/numbers.ts';
import { some } from '../joins/grouped.ts';
import { GOOD_LEAST } from './asked.ts';
import { awaiting } from './awaiting.ts';
import { reasonOf } from './choose.ts';
import { behind, inOrder, sentOn, sentSince, takerText } from './push-behind.ts';
import { GOOD, once, type Seen } from './seen.ts';
import { average, countBegun, countsAt, kindsOf, middle, share, spread } from './spread.ts';
import type { Step, Why } from './step.ts';
import { counted, few, percent, seconds, things } from './text.ts';
import { busy, throttled } from './why-cpu.ts';
import { awayThen } from './why-gone.ts';

/** what did not come */
type Awaited = {
	/** whose push it is */
	to: string;
	/** good requests that had one; null where none went well */
	expected: number | null;
	/** it came, when its request had been given up */
	isLate?: boolean;
	text: string;
};

/** a service that sends the callee about as much as good requests had of it */
export type Taker = {
	/** of its container that keeps most */
	name: string;
	/** of all of its containers */
	names: string[];
	/** messages pushed to it, as they began; none where it asks for each */
	got: number[];
	/** of them, those that it never acknowledged */
	kept: number[];
	/** its own, as they began */
	sent: number[];
};

/** Of the good requests, those that had a push, and of the failed. */
const PUSHED_SHARE = 0.8;
const PUSHED_MOST = 0.2;
/** Of the failed: for so many it had sent something. */
const SENT_SHARE = 0.8;
/** More tell no more. */
const GOOD_MOST = 2000;
/** An answer has to be that of most of the failed. */
const MOST = 0.5;
/** Of its life, when a request is asked whether its service still listens: whoever gives up hangs up too. */
const LATE_PART = 0.9;

/** Messages that a callee sends by itself; an error of its own is none. */
const pushesOn = once((seen, from, to) => inOrder(seen, from, to, ({ role, bad }) => role === 'push' && !bad));

/**
 * Messages given to the requests in whose lives they came, the last to each, one to one.
 * @param pushes as they began
 * @param used is changed
 * @returns requests that have one
 */
function givenTo({ began, over }: Seen, pushes: number[], requests: number[], used: Set<number>): number {
	const begins = pushes.map((call) => began[call]);
	let given = 0;
	for (const request of requests.toSorted((one, other) => over[one] - over[other])) {
		let at = upTo(begins, over[request]) - 1;
		while (at >= 0 && begins[at] >= began[request] && used.has(at)) at -= 1;
		if (at < 0 || begins[at] < began[request]) continue;
		used.add(at);
		given += 1;
	}
	return given;
}

export function awaitedPush(step: Step): Awaited | null {
	const { seen, service, path } = step;
	const callees = seen.calleesOf(service).filter((to) => to !== service && !path.includes(to));
	return callees.map((to) => awaitedOf(step, to) ?? lateOf(step, to)).find((awaited) => awaited !== null) ?? null;
}

/**
 * Replies come in the order in which they were asked for: of the good requests in time, of the failed when nobody waits for them any more, in the
 * lives of others. Every request of their kind has one, from the beginning of the record on.
 */
function lateOf({ seen, service, failed }: Step, to: string): Awaited | null {
	const { began, over, kind, sign } = seen;
	const kinds = kindsOf(seen, failed);
	const requests = seen.servedBy(service).filter((call) => kinds.has(kind[call]));
	const pushes = pushesOn(seen, service, to);
	const answered = requests.slice(0, pushes.length);
	if (answered.filter((call, place) => began[pushes[place]] >= began[call]).length < IN_ORDER_SHARE * answered.length) return null;
	if (share(failed.filter((call) => isSent(seen, call, service, to)).length, failed.length) < SENT_SHARE) return null;
	const lost = new Set(failed);
	const inTime = new Set(answered.filter((call, place) => began[pushes[place]] <= over[call]));
	const goods = requests.filter((call) => sign[call] === GOOD && !lost.has(call));
	const had = goods.filter((call) => inTime.has(call)).length;
	const failedPart = share(failed.filter((call) => inTime.has(call)).length, failed.length);
	if (goods.length < GOOD_LEAST || had < PUSHED_SHARE * goods.length || failedPart > PUSHED_MOST) return null;
	return {
		to,
		expected: had,
		isLate: true,
		text: `${service} waited for what ${to} pushes: taken in their order, ${percent(share(had, goods.length))} of the good requests had their message of ${to} while they went on, of the failed ${percent(failedPart)}; the others' came later, or not.`,
	};
}
/** Of the messages: a reply never comes before its request. */
const IN_ORDER_SHARE = 0.98;

function awaitedOf(step: Step, to: string): Awaited | null {
	const { seen, service, failed } = step;
	const pushes = pushesOn(seen, service, to);
	const goods = goodsOf(step, to);
	const used: Set<number> = new Set();
	const had = givenTo(seen, pushes, goods, used);
	const [part, failedPart] = [share(had, goods.length), share(givenTo(seen, pushes, failed, used), failed.length)];
	const sent = share(failed.filter((call) => isSent(seen, call, service, to) && isListened(seen, call, service, to)).length, failed.length);
	if (failedPart > PUSHED_MOST || sent < SENT_SHARE) return null;
	const its = `though ${service} had sent something to ${to} for ${percent(sent)} of these and kept its connection open`;
	if (goods.length < GOOD_LEAST)
		// Nothing tells what good ones wait for; but it asks nobody else.
		return seen.calleesOf(service).length > 1
			? null
			: { to, expected: null, text: `Of the failed requests ${percent(failedPart)} had a message of ${to} while they went on, ${its}.` };
	if (part < PUSHED_SHARE) return null;
	return {
		to,
		expected: had,
		text: `${service} waited for what ${to} pushes: of the good requests ${percent(part)} had a message of ${to} while they went on, of the failed ${percent(failedPart)}, ${its}.`,
	};
}

/** To compare with: of the same kind; where there are too few, all for which it had sent something. */
function goodsOf({ seen, service, good }: Step, to: string) {
	if (good.length >= GOOD_LEAST) return some(good, GOOD_MOST);
	const well = seen.servedBy(service).filter((call) => seen.sign[call] === GOOD && seen.began[call] >= seen.load.warmupFrom);
	return some(
		well.filter((call) => isSent(seen, call, service, to)),
		GOOD_MOST,
	);
}

/** Whether its service sent something there while it went on. */
export const isSent = (seen: Seen, request: number, from: string, to: string) =>
	countBegun(seen, sentOn(seen, from, to), seen.began[request], seen.over[request]) > 0;

/** A connection was open nearly to its end. */
function isListened(seen: Seen, request: number, from: string, to: string) {
	const { began, over } = seen;
	return isOpen(seen, from, to, began[request] + (over[request] - began[request]) * LATE_PART);
}

const isOpen = (seen: Seen, from: string, to: string, at: number) =>
	seen
		.lines(from, to)
		.some(
			({ connection: { accepted_at: accepted, opened_at: opened, ended_at: ended } }) =>
				accepted !== null && opened <= at && (ended ?? Number.POSITIVE_INFINITY) > at,
		);

/**
 * Who should have sent it: first whether a taker was there, then whether it was given any, then what it did with it.
 * @returns null where too little is known
 */
export function whyNotPushed(step: Step, { to, expected, isLate = false, text }: Awaited): Why | null {
	if (expected === null) {
		const why = answerOf(
			[held],
			step,
			to,
			takersOf(step, to, ({ got }) => got.length > 0),
		);
		return why && { ...why, basis: 'inferred', evidence: [text, ...why.evidence], doubts: [NONE_WELL] };
	}
	const takers = takersOf(step, to, givingTo(step, goodsOf(step, to), MOST * expected));
	const found = answerOf([takerAway, takerGone, held, isLate ? lagging : late, behind], step, to, takers) ??
		throttled({ ...step, service: to }) ?? {
			mechanism: null,
			basis: 'inferred',
			evidence: takers.map((taker) => takerText(step, to, taker)),
		};
	return { ...found, place: found.place ?? { service: to, edge: { from: step.service, to } }, evidence: [text, ...found.evidence] };
}
const NONE_WELL =
	'too few such requests went well: that they wait for a message is inferred from there being nobody else whom their service asks';

/**
 * The same of calls that wait on purpose (a blocking read of a list): their server is asked for what another client is to give it.
 * @param step of such calls, at their server
 */
export function whyNotGiven(step: Step): Why | null {
	const { seen, service: to, caller, failed, good } = step;
	if (good.length < GOOD_LEAST || !isOnPurpose(step)) return null;
	const takers = takersOf({ seen, service: caller }, to, givingTo(step, some(good, GOOD_MOST), MOST * good.length));
	const why = answerOf([takerAway, takerGone, late, behind], { ...step, service: caller }, to, takers);
	return (
		why && {
			...why,
			evidence: [`${counted(failed.length)} calls of ${caller} waited at ${to} for what another client gives it.`, ...why.evidence],
		}
	);
}

/**
 * Who gives them what they wait for sends something while they do; who only puts something in beside them does so now and then.
 * @param least sent at all
 */
const givingTo =
	({ seen }: Pick<Step, 'seen'>, goods: number[], least: number): ((taker: Taker) => boolean) =>
	({ sent }) =>
		sent.length >= least &&
		share(goods.filter((call) => countBegun(seen, sent, seen.began[call], seen.over[call]) > 0).length, goods.length) >= GIVEN_SHARE;
/** Of the good requests; the clocks of two hosts are one. */
const GIVEN_SHARE = 0.5;

/** They wait until somebody else has something for them. */
export const isOnPurpose = ({ seen, failed }: Step) =>
	failed.filter((call) => seen.calls[call].role === 'wait').length > MOST * failed.length;

/** @param questions each is asked of all before the next */
export const answerOf = (questions: ((step: Step, to: string, taker: Taker) => Why | null)[], step: Step, to: string, takers: Taker[]) =>
	questions.flatMap((question) => takers.map((taker) => question(step, to, taker))).find((why) => why !== null) ?? null;

/** Services other than its own; who keeps most messages first. */
export function takersOf({ seen, service }: Pick<Step, 'seen' | 'service'>, to: string, isSuch: (taker: Taker) => boolean): Taker[] {
	const serviceOf = new Map(seen.wire.services.map((one) => [one.name, one.service]));
	const ofOne = (name: string) => serviceOf.get(name) || name;
	const clients = [...new Set(seen.linesTo(to).map(({ from }) => from))].filter((name) => ofOne(name) !== ofOne(service));
	const all = (lists: number[][]) => lists.flat().sort((one, other) => seen.began[one] - seen.began[other]);
	return [...grouped(clients, ofOne).values()]
		.map((names) => {
			const keptBy = (name: string) => keptOf(seen, pushesOn(seen, name, to)).length;
			const [name] = names.toSorted((one, other) => keptBy(other) - keptBy(one));
			const got = all(names.map((own) => pushesOn(seen, own, to)));
			return { name, names, got, kept: keptOf(seen, got), sent: all(names.map((own) => sentOn(seen, own, to))) };
		})
		.filter(isSuch)
		.toSorted((one, other) => other.kept.length - one.kept.length || other.sent.length - one.sent.length);
}

/** Who need not acknowledge has done so at once. */
const keptOf = ({ calls }: Seen, got: number[]) => got.filter((call) => calls[call].end !== 'answered');

export function takerAway(step: Step, to: string, taker: Taker): Why | null {
	const found = taker.names.map((name) => ({ name, away: awayThen(step, name) })).find(({ away }) => away !== null);
	return found?.away
		? {
				mechanism: found.away.mechanism,
				basis: 'timed',
				place: { service: found.name, edge: { from: found.name, to } },
				evidence: [found.away.text, takerText(step, to, taker)],
			}
		: null;
}

export function takerGone(step: Step, to: string, taker: Taker): Why | null {
	const { seen, moments } = step;
	if (share(moments.filter((at) => taker.names.some((name) => isOpen(seen, name, to, at))).length, moments.length) > 1 - MOST) return null;
	return {
		mechanism: 'gone',
		title: `had no connection to ${to} any more, whose messages it takes`,
		basis: 'counted',
		place: { service: taker.name, edge: { from: taker.name, to } },
		evidence: [takerText(step, to, taker)],
	};
}

/** It has what it never acknowledges: as many as it is given at a time, or those of the failed requests themselves. */
function held(step: Step, to: string, taker: Taker): Why | null {
	const { seen, failed } = step;
	const { name, got, kept } = taker;
	const isFull = isStopped(step, to, taker) && kept.length >= mostHeld(seen, got);
	const own = share(givenTo(seen, kept, failed, new Set()), failed.length);
	if (kept.length === 0 || (!isFull && own < MOST)) return null;
	return {
		mechanism: 'deliveries-held',
		title: isFull
			? `kept ${things(kept.length, 'message')} of ${to} unacknowledged, as many as it takes at a time (its prefetch), and was given no more`
			: `took messages of ${to}, never acknowledged them and sent nothing back`,
		basis: 'counted',
		kept,
		place: { service: name, edge: { from: name, to } },
		evidence: [
			takerText(step, to, taker),
			...(isFull ? [`It never acknowledged ${counted(kept.length)} of them, and never had more unacknowledged at a time.`] : []),
			...(isFull ? [] : [`${percent(own)} of the failed requests have one that it never acknowledged.`]),
		],
	};
}

/** Nothing is pushed to it any more, while the waiting service goes on to send. */
const isStopped = ({ seen, service, failed }: Step, to: string, { got }: Taker) =>
	sentSince(seen, service, to, got) >= Math.max(GOOD_LEAST, MOST * failed.length);

/**
 * At a time.
 * @param got as they began
 */
const mostHeld = (seen: Seen, got: number[]) =>
	spread(
		countsAt(
			seen,
			got,
			seen.over,
			got.map((call) => seen.began[call]),
		),
		1,
	);

/** Where more is sent all the time than is answered, what is answered are old ones. */
const lagging: (step: Step, to: string, taker: Taker) => Why | null = (step, to, taker) => late(step, to, taker, GOOD_LEAST);

/**
 * It was there, and sent less than it had been sent.
 * @param least so many fewer
 */
function late(step: Step, to: string, taker: Taker, least: number = MOST * step.failed.length): Why | null {
	const { seen, service, moments, time } = step;
	const { name, got, sent } = taker;
	const during = (calls: number[]) => countBegun(seen, calls, time.from, time.to);
	if (during(sentOn(seen, service, to)) - during(sent) < least) return null;
	const holding = average(countsAt(seen, got, seen.over, moments));
	// Whom nothing is given can send nothing.
	if (got.length > 0 && holding === 0 && during(got) === 0) return null;
	const its = { ...step, service: name };
	const whys = [throttled(its), busy(its), awaiting(step, to, taker), fewHeld(step, to, taker), behind(step, to, taker)];
	const why = reasonOf(whys) ?? { mechanism: null, basis: 'inferred' as const, evidence: [] };
	return {
		...why,
		place: why.place ?? { service: name, edge: { from: name, to } },
		evidence: [
			takerText(step, to, taker),
			...(holding > 0 ? [`It had ${few(holding)} of them unacknowledged while requests failed.`] : []),
			`${service} sent ${to} something ${counted(during(sentOn(seen, service, to)))} times while requests failed, ${name} ${counted(during(sent))} times.`,
			...why.evidence,
		],
	};
}

/** As many of its messages at a time at nearly all moments, and never more: it is given no other until it is done. */
function fewHeld({ seen, service, moments, time }: Step, to: string, { names, got }: Taker): Why | null {
	const counts = countsAt(seen, got, seen.over, moments);
	const most = mostHeld(seen, got);
	if (most < 1 || share(counts.filter((count) => count === most).length, counts.length) < ALMOST_ALWAYS) return null;
	const took = middle(got.map((call) => seen.over[call] - seen.began[call]));
	// Who keeps them and does nothing stands still.
	const done = got.filter((call) => seen.over[call] >= time.from && seen.over[call] <= time.to).length;
	if (done * took < MOST * most * (time.to - time.from)) return null;
	return {
		mechanism: 'workers-taken',
		title: `worked on ${things(most, 'message')} of ${to} at a time, ${seconds(took)} for each, while ${service} sent more than that is enough for`,
		basis: 'counted',
		evidence: [`${names.toSorted().join(', ')} had ${things(most, 'message')} to work on at nearly all those moments, and never more.`],
	};
}
/** Of moments: between one that is done and the next there is none. */
const ALMOST_ALWAYS = 0.7;
