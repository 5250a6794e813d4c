/** The first questions: was it there, was it still at that address, and did it take what was sent to it? */

import { grouped } from '../../base/values.ts';
import type { Mechanism } from '../../record/causes.ts';
import { lookUp } from '../../wire/tenancy.ts';
import { some } from '../joins/grouped.ts';
import { awaySentences, endedAt, endedBy, isAlikeBeside, lostIn, mechanismOf, spansOf, timesOf } from './absence.ts';
import { asks, GOOD_LEAST, usageOf } from './asked.ts';
import { reasonOf } from './choose.ts';
import { GOOD } from './seen.ts';
import { CLOCK_S, countsAt, equalTime, kindsOf, lastBefore, middle, mostFirst, share } from './spread.ts';
import type { Of, Step, Why } from './step.ts';
import { codeOf, counted, few, percent, seconds, things } from './text.ts';
import { keptText, turnedAwayTitle } from './why-slots.ts';
import { workersIdle, workersTaken } from './why-workers.ts';
import { tell } from './writing.ts';

/** Of the failed: an answer has to be that of most of them. */
const MOST = 0.5;
/** Of the failed, so many good ones without the callee. */
const SURVIVED_PART = 1 / 3;
/** An address has its next holder's name a second before the engine told of it (wire/tenancy.ts). */
const NAMED_EARLY_S = 2;
/** Who waits for an answer from what is gone. */
const UNANSWERED = new Set(['given-up', 'closed', 'reset', 'cut', 'open', 'raced', 'refused', 'unanswered', 'unasked']);
/** Sent, and broken off by the callee before a byte. */
const BROKEN = new Set(['raced', 'reset', 'closed']);
/** Of those that were sent on a connection that had served before. */
const REUSED_SHARE = 0.8;

/** The callee closes a connection that idles at the moment at which its caller sends on it. */
export function raced(step: Of<'caller' | 'failed' | 'lost' | 'seen' | 'service' | 'time' | 'took_s', 'away'>): Why | null {
	const { seen, failed, took_s: took, service, caller, readings } = step;
	const broken = failed.filter((call) => BROKEN.has(seen.sign[call]) && !seen.isAttempt(call));
	if (broken.length < failed.length * REUSED_SHARE) return null;
	// Who asked another for them had read them.
	if (broken.filter((call) => seen.childrenOf(call).length > 0).length >= broken.length * MOST) return null;
	const idle = broken.flatMap((call) => idleBefore(seen, call));
	if (idle.length < broken.length * REUSED_SHARE) return null;
	const known = broken.filter((call) => seen.sign[call] === 'raced').length;
	// Nearly all connections idle for as long where users think for as long between two requests.
	const isSeen = known >= broken.length * MOST && took <= RACE_MOST_S;
	const bound = isSeen ? null : boundOf(step, idle);
	const shorter = isSeen || bound !== null ? null : shorterThan(step, idle);
	if (!isSeen && bound === null && shorter === null) return null;
	const ends = readings.away.filter(({ name }) => name === service);
	// With the service itself they all end, idle or not.
	if (broken.filter((call) => ends.some(({ from }) => isClosedAt(seen, call, from))).length >= broken.length * MOST) return null;
	const equal = equalTime(idle);
	const closes = equalTime(broken.flatMap((call) => idleBefore(seen, call).map((time_s) => time_s + seen.over[call] - seen.began[call])));
	return {
		mechanism: 'keep-alive-race',
		basis: shorter === null ? 'counted' : 'inferred',
		evidence: [
			`${counted(broken.length)} calls of ${caller} were broken off ${seconds(took)} after they were sent, on connections that had served before.`,
			...(closes === null ? [] : [`${service} closed each ${seconds(closes)} after its last answer, which is how long it keeps one idle.`]),
			...(equal === null ? [] : [`The next request had come ${seconds(equal)} after it.`]),
			...(bound === null
				? []
				: [
						`Of ${counted(bound.reused)} good calls in that time on connections that had served before, ${bound.longer === 0 ? 'none' : counted(bound.longer)} came after as long an idle time.`,
					]),
			...(shorter === null
				? []
				: [
						`Of ${counted(shorter.calls)} such calls in that time that came after a shorter idle time, ${shorter.lost === 0 ? 'none was' : `${counted(shorter.lost)} were`} broken off.`,
					]),
			...(known > 0 ? [`${counted(known)} were sent after ${service} had closed the connection.`] : []),
		],
	};
}
export function nearlyRaced({
	seen,
	failed,
	service,
	caller,
	took_s: took,
}: Of<'caller' | 'failed' | 'seen' | 'service' | 'took_s'>): string | null {
	const broken = failed.filter((call) => BROKEN.has(seen.sign[call]) && !seen.isAttempt(call));
	const reused = broken.filter((call) => idleBefore(seen, call).length > 0 && seen.childrenOf(call).length === 0);
	if (took > RACE_MOST_S || reused.length < failed.length * MOST) return null;
	const known = reused.filter((call) => seen.sign[call] === 'raced').length;
	return `${counted(reused.length)} of ${counted(failed.length)} calls of ${caller} were broken off at once on connections that had served before, as when ${service} closes an idle one just then; it is on record of ${counted(known)} that it had`;
}

/** A race is lost within the network's way there and back; a program that breaks off has worked before. */
const RACE_MOST_S = 0.02;

/**
 * A program that has no CPU at once closes later than its time. Then it has to be seen that nobody who idled for as long goes well, while others do.
 * @param idle before the failed
 */
function boundOf(
	{ seen, service, caller, time, took_s: took, lost }: Of<'caller' | 'lost' | 'seen' | 'service' | 'time' | 'took_s'>,
	idle: number[],
): { reused: number; longer: number } | null {
	const most = equalTime(idle);
	if (most === null || took > LATE_PART * most) return null;
	const good = seen
		.onEdge(caller, service)
		.filter((call) => seen.sign[call] === GOOD && !lost.has(call) && seen.began[call] >= time.from && seen.began[call] <= time.to)
		.flatMap((call) => idleBefore(seen, call));
	const longer = good.filter((time_s) => time_s >= most - CLOCK_S).length;
	return good.length >= GOOD_LEAST && longer <= LONGER_PART * idle.length ? { reused: good.length, longer } : null;
}
/**
 * Where some that had idled for as long went well, as of a server that closes now sooner and now later: hardly any of the same kind that came sooner on
 * a connection that had served before was broken off.
 * @param idle before the failed
 */
function shorterThan(
	{ seen, service, caller, time, failed, took_s: took }: Of<'caller' | 'failed' | 'seen' | 'service' | 'time' | 'took_s'>,
	idle: number[],
): { calls: number; lost: number } | null {
	const most = equalTime(idle);
	if (most === null || took > LATE_PART * most) return null;
	const kinds = kindsOf(seen, failed);
	const sooner = seen
		.onEdge(caller, service)
		.filter((call) => !seen.isAttempt(call) && kinds.has(seen.kind[call]) && seen.began[call] >= time.from && seen.began[call] <= time.to)
		.filter((call) => idleBefore(seen, call).some((time_s) => time_s < most * SOONER_PART));
	const lost = sooner.filter((call) => BROKEN.has(seen.sign[call])).length;
	return sooner.length >= GOOD_LEAST && lost <= LONGER_PART * sooner.length && lost <= LONGER_PART * idle.length
		? { calls: sooner.length, lost }
		: null;
}
/** Of the time after which they are broken off: a server that looks now and then may close so much sooner. */
const SOONER_PART = 0.8;

/** Of the time for which a connection may idle. The lab's own choice: timers of a program are late by its turn, not by its own length. */
const LATE_PART = 0.1;
/** Of the failed: so many may have been sent just before a late program closed. */
const LONGER_PART = 0.1;

/** @returns none where it is the first on its connection */
function idleBefore(seen: Step['seen'], call: number): number[] {
	const line = seen.lineOf(call);
	const before = line && lastBefore(seen, line, seen.began[call] - CLOCK_S);
	return before === null || before === undefined ? [] : [seen.began[call] - seen.over[before]];
}

/** @param at at which the engine was told that its server had ended */
function isClosedAt(seen: Step['seen'], call: number, at: number) {
	const ended = seen.lineOf(call)?.connection.ended_at ?? null;
	return ended !== null && Math.abs(ended - at) <= ENDING_S;
}
/** A program is given ten seconds to end, and most take less (docker stop, --time). */
const ENDING_S = 10;

export function gone(step: Of<'failed' | 'good' | 'seen' | 'service', 'away'>): Why | null {
	const { seen, failed, good, service, readings } = step;
	const isLost = lostIn(step);
	// It may have ended again and again.
	const kinds = [...grouped(spansOf(seen, readings, service), ({ away: { how, outOfMemory } }) => `${how} ${outOfMemory}`).values()].map(
		(spans) => {
			const isKilled = spans[0].away.how === 'killed';
			const isThen = (call: number) => spans.some((span) => (isKilled ? endedBy(seen, call, span) : isLost(call, span)));
			const calls = failed.filter((call) => (isKilled ? BROKEN : UNANSWERED).has(seen.sign[call]) && isThen(call));
			return { spans, calls, isThen, isKilled };
		},
	);
	const [most] = kinds.toSorted((one, other) => other.calls.length - one.calls.length);
	if (!most || most.calls.length < failed.length * MOST) return null;
	// The container went on: who is killed again and again is close to whatever ends.
	if (most.isKilled && share(good.filter(most.isThen).length, good.length) > (most.calls.length / failed.length) * KILLED_PART) return null;
	if (!most.isKilled && isAlikeBeside(step, most.spans, most.calls)) return null;
	const times = timesOf(most.spans);
	return {
		mechanism: mechanismOf(most.spans[0].away),
		...(times === null ? {} : { times, title: tell('gone', 'title', times) }),
		basis: 'timed',
		evidence: [
			...awaySentences(most.spans, seen.load.from),
			`${counted(most.calls.length)} of ${counted(failed.length)} calls to it were open or sent then.`,
		],
		ends: endedAt(most.spans),
	};
}
/** Of the failed, so many good ones that ended with a kill. */
const KILLED_PART = 1 / 2;

/** A callee that is gone is asked for by ARP alone: no connection begins, and the edge looks unused. */
export function calleeGone(step: Of<'failed' | 'good' | 'lost' | 'moments' | 'seen' | 'service' | 'time', 'away'>): Why | null {
	const { seen, failed, service, readings, good } = step;
	const usage = usageOf(seen, service);
	const kinds = kindsOf(seen, failed);
	const isLost = lostIn(step);
	const found = seen.calleesOf(service).flatMap((to) => {
		if (!asks(usage, kinds, to)) return [];
		const away = spansOf(seen, readings, to);
		const isWith = (call: number) => away.some((span) => isLost(call, span)) && !wentWell(seen, call, to);
		const lost = failed.filter(isWith);
		const part = share(lost.length, failed.length);
		if (part < MOST) return [];
		// Who is paused is connected to all the same: that nobody waits for it is on record.
		if (away.some(({ away: { how } }) => how === 'paused') && !isWaitedFor(step, to)) return [];
		// What others survive at the same time is no cause.
		if (isUnknown(usage, kinds, to) && isSurvived(step, isWith) && !isLookedFor(step, to)) return [];
		if (good.filter(isWith).length > failed.length * part * SURVIVED_PART) return [];
		if (isAlikeBeside(step, away, lost)) return [];
		const [own] = mostFirst(
			away.filter((span) => lost.some((call) => isLost(call, span))),
			({ away: one }) => mechanismOf(one),
		);
		const [mechanism, spans] = own;
		const asked = askedByArp(step, to);
		const evidence = [
			...awaySentences(spans, seen.load.from),
			`${percent(part)} of the failed requests in ${service} waited in that time, and none of their calls to ${to} succeeded.`,
			...(asked > 0 ? [`${service} looked for the address of ${to} on the network ${counted(asked)} times without an answer.`] : []),
		];
		return [{ to, mechanism, times: timesOf(spans), evidence, ends: endedAt(spans) }];
	});
	const [first, ...others] = found;
	if (first === undefined) return null;
	// Those that could have answered for each other are away together.
	const same = others.filter(({ mechanism }) => mechanism === first.mechanism);
	return {
		mechanism: first.mechanism,
		...(!first.times || same.length > 0 ? {} : { times: first.times, title: tell('gone', 'title', first.times) }),
		basis: 'timed',
		place: { service: first.to, edge: { from: service, to: first.to }, beside: same.map(({ to }) => to) },
		evidence: [first, ...same].flatMap(({ evidence }) => evidence),
		ends: first.ends,
	};
}

/** Whether their kinds ask it at all: too few went well. */
const isUnknown = (usage: ReturnType<typeof usageOf>, kinds: Set<string>, to: string) =>
	[...kinds].every((kind) => usage(kind, to) === null);

/** At most moments of the failed some call to it was on its way. */
const isWaitedFor = ({ seen, service, moments }: Of<'moments' | 'seen' | 'service'>, to: string) =>
	share(countsAt(seen, seen.onEdge(service, to), seen.over, moments).filter((count) => count > 0).length, moments.length) > MOST;

/** Most requests of other kinds went well without it. */
function isSurvived({ seen, service, failed, lost }: Of<'failed' | 'lost' | 'seen' | 'service'>, isWith: (call: number) => boolean) {
	const kinds = kindsOf(seen, failed);
	const others = seen.servedBy(service).filter((call) => !kinds.has(seen.kind[call]) && isWith(call));
	const well = others.filter((call) => seen.sign[call] === GOOD && !lost.has(call));
	return well.length >= GOOD_LEAST && share(well.length, others.length) > MOST;
}

/** A kernel that has something to send to it asks once a second. */
const isLookedFor = (step: Of<'seen' | 'service' | 'time'>, to: string) =>
	askedByArp(step, to) >= LOOKED_SHARE * Math.max(1, step.time.to - step.time.from);
/** Of the seconds. */
const LOOKED_SHARE = 0.5;

/** Of a service that is not on their way: most of the failed went on while it was away. */
export function awayThen({ seen, readings, failed }: Pick<Step, 'seen' | 'readings' | 'failed'>, name: string) {
	const away = spansOf(seen, readings, name, ({ how }) => how !== 'killed');
	const isLost = lostIn({ seen });
	const spans = away.filter((span) => failed.some((call) => isLost(call, span)));
	if (failed.filter((call) => spans.some((span) => isLost(call, span))).length < failed.length * MOST) return null;
	return { mechanism: mechanismOf(spans[0].away), text: awaySentences(spans.slice(0, 1), seen.load.from)[0] };
}

const wentWell = ({ childrenOf, sign, to: callee }: Step['seen'], call: number, to: string) =>
	childrenOf(call).some((child) => callee[child] === to && sign[child] === GOOD);

function askedByArp({ seen, service }: Of<'seen' | 'service'>, to: string) {
	const had = lookUp(seen.wire.services);
	const isOf = (address: string, at: number, name: string) => had(address, at)?.name === name;
	return seen.wire.networks
		.flatMap(({ hosts }) => hosts)
		.filter(({ source, target, first_at: at }) => isOf(source, at, service) && isOf(target, at, to))
		.reduce((sum, { asked, answered }) => sum + Math.max(0, asked - answered), 0);
}

/** Its caller asked whom it had never asked before, at an address that was another's: it had looked the name up once. */
export function staleAddress({ seen, failed, service, caller }: Of<'caller' | 'failed' | 'seen' | 'service'>): Why | null {
	const tenures = seen.wire.services;
	const lines = failed.flatMap((call) => seen.lineOf(call) ?? []);
	const [[address, own] = ['', []]] = mostFirst(lines, ({ connection }) => connection.server);
	if (own.length < failed.length * MOST) return null;
	const since = tenures.filter((one) => one.address === address && one.name === service).map(({ from }) => from);
	const before = tenures.find((one) => one.address === address && one.name !== service && one.from < Math.max(...since));
	if (!before || before.name === '') return null;
	const port = own[0].connection.server_port;
	const knew = seen.lines(caller, before.name).some(({ connection }) => connection.server === address && connection.server_port === port);
	const knows = seen.lines(caller, service).some(({ connection }) => connection.opened_at < Math.max(...since) - NAMED_EARLY_S);
	if (!knew || knows) return null;
	return {
		mechanism: 'stale-address',
		title: `called the old address of ${before.name}, which had passed to ${service}`,
		basis: 'counted',
		place: { service: caller, edge: { from: caller, to: service } },
		evidence: [
			`${caller} called ${service}, which it had never called before, ${counted(own.length)} times at ${address}:${port}.`,
			`Until second ${few(Math.max(0, Math.max(...since) - seen.load.from))} ${address} was the address of ${before.name}.`,
		],
	};
}

const ATTEMPTS: Record<string, { mechanism: Mechanism; text: string }> = {
	refused: { mechanism: 'refused', text: 'its kernel refused the connections: no program listened there' },
	unanswered: { mechanism: 'unanswered', text: 'connection requests got no answer' },
	unasked: { mechanism: 'closed-unasked', text: 'it accepted the connections and closed them before anything was asked' },
};

/** Nothing could be asked. */
export function noConnection(
	step: Of<
		'asked' | 'calm' | 'equal_s' | 'failed' | 'meanwhile' | 'moments' | 'seen' | 'service' | 'sign' | 'time' | 'took_s',
		'queued' | 'strain'
	>,
): Why | null {
	const { seen, failed, service, sign, readings, moments } = step;
	const attempts = failed.filter(seen.isAttempt);
	if (attempts.length <= failed.length * MOST) return null;
	const queue = readings.queued(service, moments);
	const waiting = queue && queue.most > 0 ? [`Up to ${things(queue.most, 'connection')} waited to be accepted.`] : [];
	// Its kernel was there, and counted what it had no room for: what did not come on is the program.
	if (sign === 'unanswered' && (readings.strain(service, moments).overflows ?? 0) > 0) {
		const text = `${counted(attempts.length)} times connection requests got no answer, while its kernel counted that the queue was full.`;
		const taken = reasonOf([workersTaken(step), workersIdle(step)]);
		return taken
			? { ...taken, evidence: [text, ...taken.evidence] }
			: { mechanism: 'accept-backlog-overflow', basis: 'counted', evidence: [text, ...waiting] };
	}
	const known = ATTEMPTS[sign];
	if (known)
		return { mechanism: known.mechanism, basis: 'counted', evidence: [`${counted(attempts.length)} times ${known.text}.`, ...waiting] };
	const turnedText = (calls: number[]) => {
		const own = calls.filter(seen.isAttempt);
		const after = middle(own.map((call) => seen.over[call] - seen.began[call]));
		return `${service} turned ${counted(own.length)} connections away with error ${codeOf(sign)}, ${seconds(after)} after they were opened and before any request.`;
	};
	const said = turnedText(attempts);
	return (
		handedOn(step, attempts) ?? {
			mechanism: 'turned-away',
			isCoded: true,
			title: turnedAwayTitle(step, sign),
			basis: 'counted',
			ofAll: { said, of: turnedText },
			evidence: [said, ...keptText(step)],
		}
	);
}

/**
 * Who hands on what others say to each other opens a connection for each of theirs, and was turned away with the same word while theirs was opened.
 */
function handedOn({ seen, service, sign }: Of<'failed' | 'seen' | 'service' | 'sign'>, attempts: number[]): Why | null {
	const { began, over } = seen;
	const looked = some(attempts, LOOKED_AT_MOST);
	for (const to of seen.calleesOf(service)) {
		const same = seen.onEdge(service, to).filter((call) => seen.isAttempt(call) && seen.sign[call] === sign);
		const theirs = looked.map((attempt) =>
			same.find((call) => began[call] >= began[attempt] - HANDED_S && over[call] <= over[attempt] + HANDED_S),
		);
		const tried = [...new Set(theirs)].filter((call) => call !== undefined);
		const part = share(tried.length, looked.length);
		if (part < MOST) continue;
		return {
			...{ mechanism: null, basis: 'inferred', onTo: to, tried },
			evidence: [
				`${service} turned ${counted(attempts.length)} connections away with error ${codeOf(sign)}, and was itself turned away by ${to} with that for ${percent(part)} of them.`,
			],
		};
	}
	return null;
}
/** More tell no more. */
const LOOKED_AT_MOST = 1000;
/** Two readings of one clock, of packets of one machine. */
const HANDED_S = 0.005;
