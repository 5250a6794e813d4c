/**
 * A service may wait without a call: for what a callee pushes to it on a connection that it keeps open (a queue of replies, a channel, a stream of
 * changes). Good requests have such a push within their lives and failed ones have none, though the service had asked for it. Then what happened
 * is asked of those who take the callee's messages: a broker pushes a reply when somebody sent it one.
 *
 *
 * @typedef {object} Awaited    what did not come
 * @property {string} to        whose push it is
 * @property {number | null} expected  good requests that had one; null where none went well
 * @property {boolean} [isLate]  it came, when its request had been given up
 * @property {string} text
 *
 * @typedef {object} Taker      a service that sends the callee about as much as good requests had of it
 * @property {string} name      of its container that keeps most
 * @property {string[]} names   of all of its containers
 * @property {number[]} got     messages pushed to it, as they began; none where it asks for each
 * @property {number[]} kept    of them, those that it never acknowledged
 * @property {number[]} sent    its own, as they began
 *
 * @import { Seen } from './seen.ts'
 * @import { Step, Why } from './step.ts'
 */

/** @template {keyof Step} Fact @template {keyof Step['readings']} [Read=never] @typedef {import('./step.ts').Of<Fact, Read>} Of */

import { grouped } from '../../base/values.ts';
import { upTo } from '../../stats/numbers.ts';
import { some } from '../joins/rules.ts';
import { GOOD_LEAST } from './asked.ts';
import { awaiting } from './beside.ts';
import { reasonOf } from './choose.ts';
import { GOOD, once } from './seen.ts';
import { average, CLOCK_S, countBegun, countsAt, kindsOf, middle, mostFirst, share, spread } from './spread.ts';
import { CALM_LEAST } from './step.ts';
import { asked, counted, few, percent, seconds, things } from './text.ts';
import { busy, throttled } from './why-cpu.ts';
import { awayThen } from './why-gone.ts';

/** Of the good requests, those that had a push, and of the failed. The lab's own choices. */
const PUSHED_SHARE = 0.8;
const PUSHED_MOST = 0.2;
/** Of the failed: for so many it had sent something. The lab's own choice. */
const SENT_SHARE = 0.8;
/** More tell no more. */
const GOOD_MOST = 2000;
/** An answer has to be that of most of the failed. */
const MOST = 0.5;
/** Of its life, when a request is asked whether its service still listens: whoever gives up hangs up too. */
const LATE_PART = 0.9;

/** Messages that a callee sends by itself; an error of its own is none. */
const pushesOn = once((seen, from, to) => inOrder(seen, from, to, ({ role, bad }) => role === 'push' && !bad));
/** Messages that get no answer; where it has none, what it asks. */
const sentOn = once((seen, from, to) => {
	const sent = inOrder(seen, from, to, ({ role }) => role === 'send');
	return sent.length > 0 ? sent : inOrder(seen, from, to, ({ role = 'call' }) => role === 'call');
});

/** @param {Seen} seen @param {string} from @param {string} to @param {(call: Seen['calls'][number]) => boolean} isSuch */
function inOrder({ calls, began, lineOf }, from, to, isSuch) {
	const found = [];
	for (let call = 0; call < calls.length; call += 1) {
		if (!isSuch(calls[call])) continue;
		const line = lineOf(call);
		if (line?.from === from && line.to === to) found.push(call);
	}
	return found.sort((one, other) => began[one] - began[other]);
}

/**
 * Messages given to the requests in whose lives they came, the last to each, one to one.
 * @param {Seen} seen @param {number[]} pushes  as they began @param {number[]} requests @param {Set<number>} used  is changed
 * @returns {number} requests that have one
 */
function givenTo({ began, over }, pushes, requests, used) {
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

/** @param {Step} step @returns {Awaited | null} */
export function awaitedPush(step) {
	const { seen, service, path } = step;
	const callees = seen.calleesOf(service).filter((to) => to !== service && !path.includes(to));
	return callees.map((to) => awaitedOf(step, to) ?? lateOf(step, to)).find((awaited) => awaited !== null) ?? null;
}

/**
 * Replies come in the order in which they were asked for: of the good requests in time, of the failed when nobody waits for them any more, in the
 * lives of others. Every request of their kind has one, from the beginning of the record on.
 * @param {Step} step @param {string} to @returns {Awaited | null}
 */
function lateOf({ seen, service, failed }, to) {
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
/** Of the messages: a reply never comes before its request. The lab's own choice. */
const IN_ORDER_SHARE = 0.98;

/** @param {Step} step @param {string} to @returns {Awaited | null} */
function awaitedOf(step, to) {
	const { seen, service, failed } = step;
	const pushes = pushesOn(seen, service, to);
	const goods = goodsOf(step, to);
	const used = new Set();
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

/** To compare with: of the same kind; where there are too few, all for which it had sent something. @param {Step} step @param {string} to */
function goodsOf({ seen, service, good }, to) {
	if (good.length >= GOOD_LEAST) return some(good, GOOD_MOST);
	const well = seen.servedBy(service).filter((call) => seen.sign[call] === GOOD && seen.began[call] >= seen.load.warmupFrom);
	return some(
		well.filter((call) => isSent(seen, call, service, to)),
		GOOD_MOST,
	);
}

/** @param {Seen} seen @param {number} request @param {string} from @param {string} to */
const isSent = (seen, request, from, to) => countBegun(seen, sentOn(seen, from, to), seen.began[request], seen.over[request]) > 0;

/** A connection was open nearly to its end. @param {Seen} seen @param {number} request @param {string} from @param {string} to */
function isListened(seen, request, from, to) {
	const { began, over } = seen;
	return isOpen(seen, from, to, began[request] + (over[request] - began[request]) * LATE_PART);
}

/** @param {Seen} seen @param {string} from @param {string} to @param {number} at */
const isOpen = (seen, from, to, at) =>
	seen
		.lines(from, to)
		.some(
			({ connection: { accepted_at: accepted, opened_at: opened, ended_at: ended } }) =>
				accepted !== null && opened <= at && (ended ?? Number.POSITIVE_INFINITY) > at,
		);

/**
 * Who should have sent it: first whether a taker was there, then whether it was given any, then what it did with it.
 * @param {Step} step @param {Awaited} awaited @returns {Why | null} null where too little is known
 */
export function whyNotPushed(step, { to, expected, isLate = false, text }) {
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
 * @param {Step} step  of such calls, at their server @returns {Why | null}
 */
export function whyNotGiven(step) {
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
 * @param {Pick<Step, 'seen'>} step @param {number[]} goods @param {number} least  sent at all @returns {(taker: Taker) => boolean}
 */
const givingTo =
	({ seen }, goods, least) =>
	({ sent }) =>
		sent.length >= least &&
		share(goods.filter((call) => countBegun(seen, sent, seen.began[call], seen.over[call]) > 0).length, goods.length) >= GIVEN_SHARE;
/** Of the good requests; the clocks of two hosts are one. The lab's own choice. */
const GIVEN_SHARE = 0.5;

/** They wait until somebody else has something for them. @param {Step} step */
export const isOnPurpose = ({ seen, failed }) => failed.filter((call) => seen.calls[call].role === 'wait').length > MOST * failed.length;

/**
 * @param {((step: Step, to: string, taker: Taker) => Why | null)[]} questions  each is asked of all before the next
 * @param {Step} step @param {string} to @param {Taker[]} takers
 */
export const answerOf = (questions, step, to, takers) =>
	questions.flatMap((question) => takers.map((taker) => question(step, to, taker))).find((why) => why !== null) ?? null;

/** Services other than its own; who keeps most messages first. @param {Pick<Step, 'seen' | 'service'>} step @param {string} to @param {(taker: Taker) => boolean} isSuch @returns {Taker[]} */
export function takersOf({ seen, service }, to, isSuch) {
	const serviceOf = new Map(seen.wire.services.map((one) => [one.name, one.service]));
	const ofOne = (/** @type {string} */ name) => serviceOf.get(name) || name;
	const clients = [...new Set(seen.linesTo(to).map(({ from }) => from))].filter((name) => ofOne(name) !== ofOne(service));
	const all = (/** @type {number[][]} */ lists) => lists.flat().sort((one, other) => seen.began[one] - seen.began[other]);
	return [...grouped(clients, ofOne).values()]
		.map((names) => {
			const keptBy = (/** @type {string} */ name) => keptOf(seen, pushesOn(seen, name, to)).length;
			const [name] = names.toSorted((one, other) => keptBy(other) - keptBy(one));
			const got = all(names.map((own) => pushesOn(seen, own, to)));
			return { name, names, got, kept: keptOf(seen, got), sent: all(names.map((own) => sentOn(seen, own, to))) };
		})
		.filter(isSuch)
		.toSorted((one, other) => other.kept.length - one.kept.length || other.sent.length - one.sent.length);
}

/** Who need not acknowledge has done so at once. @param {Seen} seen @param {number[]} got */
const keptOf = ({ calls }, got) => got.filter((call) => calls[call].end !== 'answered');

/** @param {Step} step @param {string} to @param {Taker} taker @returns {Why | null} */
export function takerAway(step, to, taker) {
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

/** @param {Step} step @param {string} to @param {Taker} taker @returns {Why | null} */
export function takerGone(step, to, taker) {
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

/** It has what it never acknowledges: as many as it is given at a time, or those of the failed requests themselves. @param {Step} step @param {string} to @param {Taker} taker @returns {Why | null} */
function held(step, to, taker) {
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

/** Nothing is pushed to it any more, while the waiting service goes on to send. @param {Step} step @param {string} to @param {Taker} taker */
const isStopped = ({ seen, service, failed }, to, { got }) =>
	sentSince(seen, service, to, got) >= Math.max(GOOD_LEAST, MOST * failed.length);

/** By the service, after the last of these. @param {Seen} seen @param {string} service @param {string} to @param {number[]} calls */
const sentSince = (seen, service, to, calls) => countBegun(seen, sentOn(seen, service, to), lastOf(seen, calls) + CLOCK_S, seen.until);

/** @param {Seen} seen @param {number[]} calls */
const lastOf = ({ began, load }, calls) => (calls.length === 0 ? load.warmupFrom : began[calls[calls.length - 1]]);

/** At a time. @param {Seen} seen @param {number[]} got  as they began */
const mostHeld = (seen, got) =>
	spread(
		countsAt(
			seen,
			got,
			seen.over,
			got.map((call) => seen.began[call]),
		),
		1,
	);

/** Where more is sent all the time than is answered, what is answered are old ones. @type {(step: Step, to: string, taker: Taker) => Why | null} */
const lagging = (step, to, taker) => late(step, to, taker, GOOD_LEAST);

/**
 * It was there, and sent less than it had been sent.
 * @param {Step} step @param {string} to @param {Taker} taker @param {number} [least]  so many fewer @returns {Why | null}
 */
function late(step, to, taker, least = MOST * step.failed.length) {
	const { seen, service, moments, time } = step;
	const { name, got, sent } = taker;
	const during = (/** @type {number[]} */ calls) => countBegun(seen, calls, time.from, time.to);
	if (during(sentOn(seen, service, to)) - during(sent) < least) return null;
	const holding = average(countsAt(seen, got, seen.over, moments));
	// Whom nothing is given can send nothing.
	if (got.length > 0 && holding === 0 && during(got) === 0) return null;
	const its = { ...step, service: name };
	const whys = [throttled(its), busy(its), awaiting(step, to, taker), fewHeld(step, to, taker), behind(step, to, taker)];
	const why = reasonOf(whys) ?? { mechanism: null, basis: /** @type {const} */ ('inferred'), evidence: [] };
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

/** As many of its messages at a time at nearly all moments, and never more: it is given no other until it is done. @param {Step} step @param {string} to @param {Taker} taker @returns {Why | null} */
function fewHeld({ seen, service, moments, time }, to, { names, got }) {
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
/** Of moments: between one that is done and the next there is none. The lab's own choice. */
const ALMOST_ALWAYS = 0.7;

/*
 * Does it find something to do each time it looks? Then there is more than it can do, and what these asked for has its turn later than anybody waits.
 */

/** Of calm moments, those at which it waits for something to do, and of the failed ones'. The lab's own choices. */
const FREE_SHARE = 0.5;
const BUSY_MOST = 0.1;
/** Of all of that kind since it began: fewer make no queue. The lab's own choice. */
const FILLED_SHARE = 0.25;
/** Of the failed: so many had their service send a message of that kind. */
const SENT_LEAST = 0.8;

/** @param {Step} step @param {string} to @param {Taker} taker @returns {Why | null} */
function behind(step, to, taker) {
	const { seen, service, calm, moments, time } = step;
	const { name, names } = taker;
	const looks = names.flatMap((own) => seen.onEdge(own, to)).filter((call) => seen.calls[call].role === 'wait');
	const waitingAt = (/** @type {number[]} */ times) =>
		share(countsAt(seen, looks, seen.over, times).filter((count) => count > 0).length, times.length);
	const [now, before] = [waitingAt(moments), waitingAt(calm)];
	const found = looks.filter((call) => seen.sign[call] === GOOD && seen.over[call] >= time.from && seen.over[call] <= time.to).length;
	if (calm.length < CALM_LEAST || now > BUSY_MOST || before < FREE_SHARE || found < GOOD_LEAST) return null;
	const its = { ...step, service: name };
	const why = reasonOf([throttled(its), busy(its), awaiting(step, to, taker)]);
	const filler = fillerOf(step, to, names);
	return {
		title: `found work at ${to} each time it looked, more than it can do${filler === null ? '' : `: ${filler.title}`}`,
		...(why ?? { mechanism: 'workers-taken', basis: 'timed' }),
		place: why?.place ?? { service: name, edge: { from: name, to } },
		evidence: [
			`${names.toSorted().join(', ')} waited at ${to} for something to do at ${percent(now)} of the moments at which requests were waiting in ${service}, at ${percent(before)} of calm ones, and found some ${counted(found)} times.`,
			...(filler === null ? [] : [filler.evidence]),
			...(why?.evidence ?? []),
		],
	};
}

/**
 * Another client sent more of what the service sends for each of these requests.
 * @param {Step} step @param {string} to @param {string[]} takers @returns {{ title: string, evidence: string } | null}
 */
function fillerOf({ seen, service, failed, time }, to, takers) {
	const { began, kind, from } = seen;
	const sent = sentOn(seen, service, to);
	const isForEach = (/** @type {number[]} */ calls) =>
		share(failed.filter((call) => countBegun(seen, calls, began[call], seen.over[call]) > 0).length, failed.length) >= SENT_LEAST;
	const [most] = [...grouped(sent, (call) => kind[call])]
		.filter(([, calls]) => isForEach(calls))
		.flatMap(([one, calls]) => {
			const others = seen.servedBy(to).filter((call) => kind[call] === one && from[call] !== service && !takers.includes(from[call]));
			return mostFirst(others, (call) => from[call]).map(([client, theirs]) => ({ one, client, own: calls, theirs }));
		})
		.map(({ one, client, own, theirs }) => {
			const since = began[theirs[0]];
			const until = (/** @type {number[]} */ calls) => calls.filter((call) => began[call] >= since && began[call] <= time.to).length;
			return { one, client, own: until(own), count: until(theirs), first: since - seen.load.from };
		})
		.toSorted((one, other) => other.count - one.count);
	if (most === undefined || most.count < FILLED_SHARE * (most.count + most.own)) return null;
	const { one, client, own, count, first } = most;
	return {
		title: `${client} had put ${counted(count)} in (${asked(one)})`,
		evidence: `${client} sent ${to} ${asked(one)} ${counted(count)} times from second ${few(Math.max(0, Math.round(first)))} on, until the last of them failed, and ${service} ${counted(own)} times.`,
	};
}

/** @param {Step} step @param {string} to @param {Taker} taker */
function takerText({ seen, service, time }, to, { names, got, sent }) {
	const whom = names.toSorted().join(', ');
	const calls = got.length > 0 ? got : sent;
	const reported =
		got.length > 0
			? `${to} pushed ${things(got.length, 'message')} to ${whom}`
			: `${whom} sent ${to} something ${counted(sent.length)} times`;
	const since = sentSince(seen, service, to, calls);
	const at = lastOf(seen, calls) - seen.load.from;
	return since >= GOOD_LEAST
		? `${reported}, the last ${at < 0 ? 'before the load began' : `in second ${few(Math.round(at))}`}; after it ${service} sent ${counted(since)} times more.`
		: `${reported}, ${counted(countBegun(seen, calls, time.from, time.to))} of them while requests failed.`;
}
