/**
 * Did it ask for something again and again until its own time was up: a lock, a result, a state? Each answer is quick and good, and none is the
 * one that it waits for. The wire does not tell what was in the answers; that good requests need few of them, and these many, it does.
 */

import { grouped } from '../../base/values.ts';
import { leading, upTo } from '../../stats/numbers.ts';
import { GOOD_LEAST } from './asked.ts';
import { reasonOf } from './choose.ts';
import { ownLocksTo } from './own-locks.ts';
import type { Seen } from './seen.ts';
import { GOOD } from './seen.ts';
import { average, begunIn, countBegun, kindsOf, middle, poolAt, share, stretchesOf } from './spread.ts';
import type { Of, Why } from './step.ts';
import { CALM_LEAST, calmCount, EVERY_S, isByItself } from './step.ts';
import { asked, counted, few, seconds, things } from './text.ts';
import { busy, throttled } from './why-cpu.ts';
import { isIdle, usedThen } from './why-few.ts';
import { rootOf } from './why-given.ts';
import { takersOf } from './why-push.ts';

/** what it reads of a step */
type Polled = TakerStep & Of<'equal_s' | 'failed' | 'took_s' | 'waiting', 'away'>;

/** Calls of one kind for a failed request: fewer are tries again. The lab's own choice. */
const POLLS_LEAST = 5;
/** As many times as for a request in calm seconds, and as often a second: what goes on by itself is no more frequent then. */
const POLLS_TIMES = 3;
/** Of the request's time, what all of its polls take: who waits for their answers does not wait between them. */
const QUICK_PART = 0.1;
const GOOD_SHARE = 0.9;
/** Of the requests in it, those for which it waits on nobody. */
const OWN_SHARE = 0.5;

export function polled(step: Polled): Why | null {
	const { seen, service, failed, calm, time, waiting, took_s: took, equal_s: equal } = step;
	if (equal === null || calm.length < CALM_LEAST || waiting.own < OWN_SHARE * waiting.standing || !isIdle(step)) return null;
	const { began, over, sign } = seen;
	const kinds = kindsOf(seen, failed);
	const same = seen.servedBy(service).filter((call) => kinds.has(seen.kind[call]));
	const calmSame = calmCount(seen, same, calm);
	if (calmSame < GOOD_LEAST) return null;
	const during = (calls: number[]) => countBegun(seen, calls, time.from, time.to);
	const goodOnes = during(same.filter((call) => sign[call] === GOOD));
	const lost = Math.max(failed.length, during(same) - goodOnes);
	const all = seen.madeBy(service).filter((call) => !seen.isAttempt(call) && began[call] >= seen.load.warmupFrom);
	const found = [...grouped(all, (call) => JSON.stringify([seen.to[call], seen.kind[call]])).values()].flatMap((calls) => {
		const before = calmCount(seen, calls, calm);
		const usual = before / calmSame;
		const own = begunIn(calls, stretchesOf(failed, seen), seen);
		const polls = (during(calls) - usual * goodOnes) / lost;
		const length = average(own.map((call) => over[call] - began[call]));
		const isMany = polls >= Math.max(POLLS_LEAST, POLLS_TIMES * usual);
		const isOften = own.length / stretched(step) >= (POLLS_TIMES * before) / (calm.length * EVERY_S);
		const isQuick =
			polls * length <= QUICK_PART * took && share(own.filter((call) => sign[call] === GOOD).length, own.length) >= GOOD_SHARE;
		return isMany && isOften && isQuick ? [{ calls, polls, usual, length }] : [];
	});
	const [most] = found.toSorted((one, other) => other.polls - one.polls);
	if (most === undefined) return null;
	const [to, kind] = [seen.to[most.calls[0]], seen.kind[most.calls[0]]];
	const behind = behindAt(step, to, new Set(namesIn(kind)));
	if (behind !== null) return behind;
	return {
		mechanism: 'polled',
		title: `asked ${to} ${counted(most.polls)} times for each without success until ${seconds(equal)} were over: it waits for something that it polls for, such as a lock or a result`,
		basis: 'counted',
		place: { service, edge: { from: service, to } },
		evidence: [
			`${service} asked ${to} ${asked(kind.trim())} ${counted(most.polls)} times for each failed request, ${few(most.usual)} for each in calm seconds; each answer came after ${seconds(most.length)} and was none of an error.`,
			...holderText(step, to, kind),
		],
	};
}

/** Seconds in which any of the failed went on. */
const stretched = ({ seen, failed }: Polled) => stretchesOf(failed, seen).reduce((sum, { from, to }) => sum + to - from, 0);

/**
 * Who asked the same last and has ended since may have left it behind: that is reported, and accuses nobody.
 * @returns none or a sentence
 */
function holderText({ seen, service, time, readings }: Polled, to: string, kind: string): string[] {
	const { began, servedBy, from } = seen;
	const last = servedBy(to).findLast((call) => from[call] !== service && seen.kind[call] === kind && began[call] <= time.to);
	if (last === undefined) return [];
	const end = readings.away.find(({ name, from: at }) => name === from[last] && at >= began[last] && at <= time.to);
	if (end === undefined || began[last] > time.from + EVERY_S) return [];
	const at = (moment: number) => few(Math.max(0, moment - seen.load.from));
	return [
		`${from[last]} was the last other one to ask ${to} ${asked(kind.trim())}, in second ${at(began[last])}, and ended in second ${at(end.from)}: what it may have left there nobody gave back.`,
	];
}

/*
 * Has who should do the work stopped? Then it takes nothing more of what waits at whom both ask, and requests that look for its result find none.
 */

/** Of the failed. The lab's own choices, as are the numbers below. */
const ASKED_SHARE = 0.9;
/** Calls before it stopped that waited for what others give, over so long. */
const TAKEN_LEAST = 10;
const TAKEN_LEAST_S = 3;
/** Longer than any pause before, and than so long. */
const PAUSE_TIMES = 3;
const PAUSE_LEAST_S = 3;
/** Of the failed, that came after its last call. */
const AFTER_SHARE = 0.5;
/** Before the first failed request: who waits for a result waits for so long. */
const SINCE_MOST_S = 30;

export function takerStopped(step: Of<'failed' | 'good_s' | 'path' | 'seen' | 'service' | 'sign' | 'time' | 'took_s', 'away'>): Why | null {
	const { seen, service, path, failed } = step;
	if (!isByItself(step)) return null;
	for (const at of seen.calleesOf(service).filter((to) => to !== service && !path.includes(to))) {
		const asking = failed.filter((call) => seen.childrenOf(call).some((child) => seen.to[child] === at));
		if (asking.length < ASKED_SHARE * failed.length) continue;
		const takers = [...new Set(seen.linesTo(at).map(({ from }) => from))].filter((name) => name !== service && !path.includes(name));
		const stops = takers.flatMap((name) => stopOf(step, name, at) ?? []);
		// Several that stop together have a reason in common, which is not theirs.
		if (stops.length === 1) return stops[0];
	}
	return null;
}

function stopOf(
	{ seen, service, failed, time, readings }: Of<'failed' | 'seen' | 'service' | 'time', 'away'>,
	taker: string,
	at: string,
): Why | null {
	const { began, waited, load } = seen;
	if (seen.servedBy(taker).length > 0 || readings.away.some(({ name }) => name === taker)) return null;
	const calls = seen.onEdge(taker, at).filter((call) => !seen.isAttempt(call) && began[call] >= load.warmupFrom);
	const moments = calls.flatMap((call) => [began[call], waited[call]]).sort((one, other) => one - other);
	const [first, last] = [moments[0], moments[moments.length - 1]];
	// Who only asks now and then, or puts something there once, has other reasons to ask no more.
	const waits = calls.filter((call) => seen.calls[call].role === 'wait').length;
	if (waits < TAKEN_LEAST || last - first < TAKEN_LEAST_S) return null;
	const pause = moments.reduce((longest, moment, place) => Math.max(longest, moment - (moments[place - 1] ?? moment)), 0);
	const since = time.to - last;
	// Who waits for work has a call that goes on.
	if (!(since > Math.max(PAUSE_LEAST_S, PAUSE_TIMES * pause)) || last < time.from - SINCE_MOST_S) return null;
	// Its last ones may have been lost to it one after the other.
	if (share(failed.filter((call) => began[call] > last).length, failed.length) < AFTER_SHARE) return null;
	const open = seen.lines(taker, at).filter(({ connection: { ended_at: ended } }) => ended === null || ended > time.to);
	const given = (from: number, to: number) => seen.onEdge(service, at).filter((call) => began[call] >= from && began[call] < to).length;
	const [before, after] = [given(first, last) / (last - first), given(last, time.to) / since];
	if (open.length === 0 || after < before / 2) return null;
	const second = few(Math.round(last - load.from));
	return {
		mechanism: 'hung',
		title: `took nothing more from ${at} from second ${second} on, though it was connected`,
		basis: 'inferred',
		place: { service: taker, edge: { from: taker, to: at } },
		evidence: [
			`${taker} asked ${at} ${counted(calls.length)} times, and waited there for work ${counted(waits)} times, never with a longer pause than ${seconds(pause)}, and not once in the ${seconds(since)} from second ${second} until the last of these requests; ${things(open.length, 'connection')} of it stayed open.`,
			`${service} went on asking ${at}, ${few(after)} times a second, ${few(before)} before.`,
		],
		doubts: [`that ${service} lacks what ${taker} would have done is inferred from the time`],
	};
}

/*
 * Is who should do the work busy with what it has? Then it fetches no more of what waits at whom both ask.
 */

/**
 * Calls stand in a service that has nothing to do, and whoever fetches work from it, who waits there in calm seconds, asks it for none: a queue
 * answers when a taker has done the work. Where several calls are fetched by turns no decoder has to read them.
 */
export function takersBusy(step: Of<'calm' | 'caller' | 'failed' | 'moments' | 'path' | 'seen' | 'service', 'quotas' | 'use'>): Why | null {
	const { seen, service, caller, calm, failed, moments, path } = step;
	if (calm.length < CALM_LEAST || !isIdle(step)) return null;
	const isOnWay = (name: string) => path.includes(name) || seen.calleesOf(caller).includes(name);
	for (const { name, names, sent } of takersOf({ seen, service: caller }, service, ({ sent }) => sent.length > 0)) {
		const [now, before] = [fetchedAt(seen, names, service, moments), fetchedAt(seen, names, service, calm)];
		// Who keeps a transaction open fetches nothing, and neither does who keeps tables locked.
		const isLocking = ownLocksTo(seen, service).some(
			({ from, to, line, isOfTables }) => isOfTables && names.includes(line.from) && upTo(moments, to) > upTo(moments, from),
		);
		const isFetching = now.total > 0 && now.held === 0 && !isLocking && before.asking >= FREE_PART * before.total;
		if (names.some(isOnWay) || !isFetching || now.asking > BUSY_PART * now.total) continue;
		const { took_s: took, questions } = workOf(seen, names, service, moments);
		const { took_s: usual } = workOf(seen, names, service, calm);
		// Each came back for more: who ended, or was done for good, is none whom the others wait for.
		if (took === null || questions < now.total || took < LONGER_TIMES * (usual ?? 0)) continue;
		return {
			mechanism: 'workers-taken',
			title: `worked on what it had fetched from ${service} on ${Math.round(now.total) === 1 ? 'its one connection' : `all its ${things(Math.round(now.total), 'connection')}`} there, and fetched nothing else`,
			basis: 'timed',
			place: { service: name, edge: { from: name, to: service } },
			evidence: [
				`${names.join(', ')} had ${things(Math.round(now.total), 'connection')} to ${service}, and waited there for work on ${few(now.asking)} of them while requests failed, in calm seconds on ${few(before.asking)}.`,
				`From an answer to its next question it took ${seconds(took)} then${usual === null ? '' : `, and ${seconds(usual)} in calm seconds`}; it asked ${counted(sent.length)} times in all.`,
				`${counted(failed.length)} calls of ${caller} waited in ${service}, which was idle.`,
			],
			doubts: [`that ${caller} waited for what ${names.join(', ')} does is inferred: both ask ${service}, and nobody else was busy`],
		};
	}
	return null;
}
/** Of the connections on which it fetches work: so few wait for some when it is busy, so many when it is not. The lab's own choices. */
const BUSY_PART = 0.1;
const FREE_PART = 0.3;
/** As long for one piece of work as in calm seconds. The lab's own choice, as for slowness (step.js). */
const LONGER_TIMES = 3;

function fetchedAt(seen: Seen, names: string[], to: string, moments: number[]) {
	const pools = names.map((name) => poolAt(seen, name, to, moments));
	return {
		total: pools.reduce((sum, { total }) => sum + total, 0),
		asking: pools.reduce((sum, { states }) => sum + states.asking, 0),
		held: pools.reduce((sum, { states }) => sum + states.held, 0),
	};
}

/**
 * From an answer to its next question on the same connection, as it goes on at some moments. Who asks no more has ended, or has something else to do.
 * @returns took_s: as a middle; questions: with which such times ended
 */
function workOf(seen: Seen, names: string[], to: string, moments: number[]): { took_s: number | null; questions: number } {
	const { began, over } = seen;
	let questions = 0;
	const spans = names
		.flatMap((name) => seen.lines(name, to))
		.flatMap(({ calls }) =>
			calls.slice(1).flatMap((next, index) => {
				const length = upTo(moments, began[next]) - upTo(moments, over[calls[index]]);
				if (length > 0) questions += 1;
				// At each moment: a long one counts as often as it lasts.
				return Array(Math.max(0, length)).fill(began[next] - over[calls[index]]);
			}),
		);
	return { took_s: spans.length === 0 ? null : middle(spans), questions };
}

/*
 * Is who should do the work behind with it? Then each of its looks finds some, where most found none before, and what these requests asked for has
 * its turn later than anybody waits.
 */

/** Looks for each piece of work: at least so many before, and then at most so many. The lab's own choices, as are the numbers below. */
const LOOKS_LEAST = 2;
const LOOKS_MOST = 1.25;
/** Pieces of work, and as many times a second as before that, of which so much is known. */
const WORKS_LEAST = 20;
const MORE_TIMES = 3;
const BEFORE_LEAST_S = 5;
/** Of the failed, that were asked before without success so often by the same user, and within so long. */
const POLLED_SHARE = 0.8;
const POLLED_LEAST = 2;
const POLLED_S = 30;
/** Of the good answers, as a part of what is usual: that what was asked for is done is told by another status. */
const DONE_PART = 1 / 3;
/** About the moment at which it came to have more than it can do. */
const GIVEN_S = 2;

export function takerBehind(step: BehindStep): Why | null {
	const { seen, service, path, failed } = step;
	if (!isByItself(step) || !isAskedBefore(step) || !isDoneSeldom(step)) return null;
	for (const at of seen.calleesOf(service).filter((to) => to !== service && !path.includes(to))) {
		const theirs = failed.map((call) => seen.childrenOf(call).filter((child) => seen.to[child] === at));
		if (theirs.filter((children) => children.length > 0).length < ASKED_SHARE * failed.length) continue;
		const why = behindAt(step, at, new Set(theirs.flat().flatMap((child) => namesIn(seen.kind[child]))));
		if (why !== null) return why;
	}
	return null;
}

type BehindStep = TakerStep & Of<'failed' | 'good_s' | 'sign' | 'took_s'>;

/** What a statement is about: its template has the verb first. */
const namesIn = (kind: string) => kind.split(/[ ,]+/).slice(1);

/** The same was asked before on the connection of its user, and answered as one does who has nothing yet. */
function isAskedBefore({ seen, failed }: BehindStep) {
	const { began, kind, sign } = seen;
	const askedBefore = failed.filter((call) => {
		const root = rootOf(seen, call);
		const before = seen.lineOf(root)?.calls ?? [];
		return (
			before.filter(
				(one) => kind[one] === kind[root] && sign[one] === GOOD && began[one] < began[root] && began[one] >= began[root] - POLLED_S,
			).length >= POLLED_LEAST
		);
	});
	return askedBefore.length >= POLLED_SHARE * failed.length;
}

/** A status that such requests had before is seldom then. */
function isDoneSeldom({ seen, service, failed, time }: BehindStep) {
	const kinds = kindsOf(seen, failed);
	const good = seen
		.servedBy(service)
		.filter((call) => kinds.has(seen.kind[call]) && seen.sign[call] === GOOD && seen.began[call] >= seen.load.warmupFrom);
	const [before, now] = [
		good.filter((call) => seen.began[call] < time.from),
		good.filter((call) => seen.began[call] >= time.from && seen.began[call] <= time.to),
	];
	const had = (calls: number[], status: number | null) => calls.filter((call) => seen.calls[call].status === status).length;
	const statuses = new Set(before.map((call) => seen.calls[call].status));
	return [...statuses].some(
		(status) =>
			had(before, status) >= GOOD_LEAST && share(had(now, status), now.length) <= share(had(before, status), before.length) * DONE_PART,
	);
}

type TakerStep = Of<'calm' | 'moments' | 'path' | 'seen' | 'service' | 'time', 'queued' | 'quotas' | 'use'>;

/** @param names of what they look for there */
function behindAt(step: TakerStep, at: string, names: Set<string>): Why | null {
	const { seen, service, path } = step;
	const serviceOf = new Map(seen.wire.services.map((one) => [one.name, one.service]));
	const clients = [...new Set(seen.linesTo(at).map(({ from }) => from))].filter(
		(name) => name !== service && !path.includes(name) && seen.servedBy(name).length === 0,
	);
	const found = [...grouped(clients, (name) => serviceOf.get(name) || name).values()].flatMap(
		(own) => behindOf(step, at, names, own) ?? [],
	);
	return found.length === 1 ? found[0] : null;
}

/** @param takers containers of one service */
function behindOf(step: TakerStep, at: string, names: Set<string>, takers: string[]): Why | null {
	const { seen, service, time, calm, moments, readings } = step;
	const [length, lengthBefore] = [time.to - time.from, time.from - seen.load.warmupFrom];
	const all = takers
		.flatMap((name) => seen.onEdge(name, at))
		.filter((call) => seen.began[call] >= seen.load.warmupFrom && namesIn(seen.kind[call]).some((name) => names.has(name)))
		.sort((one, other) => seen.began[one] - seen.began[other]);
	const kinds = [...grouped(all, (call) => seen.kind[call]).values()].map((calls) => ({
		calls,
		before: leading(calls, (call) => seen.began[call] < time.from),
		now: leading(calls, (call) => seen.began[call] <= time.to) - leading(calls, (call) => seen.began[call] < time.from),
	}));
	const isBehind = (looks: (typeof kinds)[number], works: (typeof kinds)[number]) =>
		works.now >= WORKS_LEAST &&
		looks.now >= works.now / LOOKS_MOST &&
		looks.now <= works.now * LOOKS_MOST &&
		looks.before >= works.before * LOOKS_LEAST &&
		works.now / length >= (MORE_TIMES * works.before) / lengthBefore;
	const [pair] = kinds.flatMap((works) => kinds.flatMap((looks) => (looks !== works && isBehind(looks, works) ? [{ looks, works }] : [])));
	if (pair === undefined || lengthBefore < BEFORE_LEAST_S) return null;
	const { looks, works } = pair;
	const [look, work] = [asked(seen.kind[looks.calls[0]]), asked(seen.kind[works.calls[0]])];
	const since = sinceOf(seen, works.calls, time.from, works.now / length);
	const at_s = few(Math.max(0, Math.round(since - seen.load.from)));
	const giver = giverOf(step, at, names, takers, since);
	const [name, ...beside] = takers.toSorted();
	const its = { seen, time, calm, moments, readings, service: name };
	const connections = takers.reduce((sum, one) => sum + poolAt(seen, one, at, step.moments).total, 0);
	return {
		...(reasonOf([throttled(its), busy(its)]) ?? { mechanism: 'workers-taken' }),
		title: `was behind with its work from second ${at_s} on: it did ${few(works.now / length)} a second (${work}), and what these had asked for stood behind${giver === null ? '' : ` what ${giver.from} had put there (${giver.kind})`}`,
		basis: 'inferred',
		place: { service: name, edge: { from: name, to: at }, beside },
		evidence: [
			`${takers.toSorted().join(', ')} looked at ${at} for work (${look}) ${counted(looks.now)} times while requests failed, on ${things(connections, 'connection')}, and did some (${work}) ${counted(works.now)} times; before that ${counted(looks.before)} and ${counted(works.before)} times: most looks found none.`,
			...(giver === null
				? []
				: [`${giver.from} sent ${at} ${giver.kind} in second ${few(Math.max(0, giver.at - seen.load.from))}, for the first time.`]),
			...usedThen(its),
		],
		doubts: [`which work it did is not read: that ${service} lacks what stood behind is inferred from the time`],
	};
}

/** From when on it did at least half as much in each second. */
function sinceOf({ began, load }: Seen, works: number[], until: number, rate: number) {
	const countIn = (from: number) => leading(works, (call) => began[call] < from + 1) - leading(works, (call) => began[call] < from);
	let since = until;
	while (since - 1 >= load.warmupFrom && countIn(since - 1) >= rate / 2) since -= 1;
	return since;
}

/** Another that sent something about the same then, which it had never sent before. */
function giverOf({ seen, service }: TakerStep, at: string, names: Set<string>, takers: string[], since: number) {
	const { began, from, kind } = seen;
	const others = seen.servedBy(at).filter((call) => from[call] !== service && !takers.includes(from[call]));
	const first = [...grouped(others, (call) => JSON.stringify([from[call], kind[call]])).values()].map(([call]) => call);
	const call = first.findLast((one) => Math.abs(began[one] - since) <= GIVEN_S && namesIn(kind[one]).some((name) => names.has(name)));
	return call === undefined ? null : { from: from[call], kind: asked(kind[call]), at: began[call] };
}
