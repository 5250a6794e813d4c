/**
 * Is it its connections? Those that a callee has closed, that somebody between forgot, for which no port is left, on which nobody reads, or on which
 * packets are lost.
 */

import { ascending, leading, upTo } from '../../stats/numbers.ts';
import { askedBy, GOOD_LEAST } from './asked.ts';
import { reasonOf } from './choose.ts';
import { GOOD, once } from './seen.ts';
import { equalTime, kindsOf, share } from './spread.ts';
import type { Of, Step, Why } from './step.ts';
import { CALM_LEAST } from './step.ts';
import { counted, ended, few, percent, seconds, things } from './text.ts';
import { busy, throttled } from './why-cpu.ts';
import { isIdle, usedThen } from './why-few.ts';
import { SILENT } from './why-name.ts';
import { isUnasked } from './why-own.ts';
import { doubtOfCalm, tell, titleOf } from './writing.ts';

/*
 * Does it go on with connections that a callee has closed? Who keeps them hands a dead one out again, and fails without asking anybody.
 */

/** Of the failed. */
const LACKING_SHARE = 0.9;
/** Failed ones among requests of the time in which none is missing, as a part of those of the time in which one is. The lab's own choice. */
const WHOLE_PART = 0.1;
/** Each connection is handed out once in so many requests for each; fewer are handed out in no turn. The lab's own choice. */
const ROUNDS = 2;
const ROUND_LEAST = 10;

export function deadConnections(
	step: Of<'asked' | 'failed' | 'good' | 'good_s' | 'seen' | 'service' | 'sign' | 'time' | 'took_s'>,
): Why | null {
	const { seen, service, failed } = step;
	if (!isUnasked(step)) return null;
	const callees = askedBy(seen, service, kindsOf(seen, failed));
	return callees.map((to) => deadOf(step, to)).find((why) => why !== null) ?? null;
}

function deadOf(
	{ seen, service, failed, good, asked, sign, time }: Of<'asked' | 'failed' | 'good' | 'seen' | 'service' | 'sign' | 'time'>,
	to: string,
): Why | null {
	const { closed, silent, opened, isOpen } = keptOf(seen, service, to);
	const { began } = seen;
	if (closed.length === 0) return null;
	const replacedAt = (at: number) => upTo(opened, at) - upTo(opened, closed[0]);
	const isLacking = (call: number) => upTo(closed, began[call]) > replacedAt(began[call]);
	const [failedThen, goodThen] = [failed.filter(isLacking), good.filter(isLacking)];
	if (failedThen.length < LACKING_SHARE * failed.length) return null;
	const whole = share(failed.length - failedThen.length, failed.length - failedThen.length + good.length - goodThen.length);
	if (whole > WHOLE_PART * share(failedThen.length, failedThen.length + goodThen.length)) return null;
	const first = failedThen.reduce((least, call) => Math.min(least, began[call]), Number.POSITIVE_INFINITY);
	const kinds = kindsOf(seen, failed);
	const isEarlier = (call: number) => began[call] < first && seen.sign[call] === GOOD && kinds.has(seen.kind[call]);
	const before = seen.servedBy(service).filter((call) => isEarlier(call) && isLacking(call)).length;
	if (before > Math.max(ROUND_LEAST, ROUNDS * (closed.length + opened.length))) return null;
	const alone = share(failed.filter((call) => !isOpen(began[call])).length, failed.length);
	const [lost, again] = [upTo(closed, time.to), replacedAt(time.to)];
	const idle = equalTime(silent);
	return {
		mechanism: 'dead-connections',
		title: `${ended(sign)} without asking ${to}, which had closed ${counted(lost)} of its connections${idle === null ? '' : `, each after ${seconds(idle)} in which nothing was sent`}; ${again === 0 ? 'none' : counted(again)} ${again > 1 ? 'were' : 'was'} opened in their place`,
		basis: alone >= LACKING_SHARE ? 'counted' : 'inferred',
		place: { service, edge: { from: service, to } },
		evidence: [
			`${to} closed ${things(lost, 'connection')} of ${service}, which opened ${again === 0 ? 'none' : counted(again)} after the first of these.`,
			...(idle === null
				? []
				: [
						`It closed each ${seconds(idle)} after its last answer on it: a limit of ${to} for idle connections, which ${service} keeps for longer.`,
					]),
			`${service} made calls for ${percent(asked.failed)} of the failed requests, and for ${percent(asked.good ?? 0)} of the good requests; ${percent(whole)} of such requests failed while no connection was missing.`,
			...(alone >= LACKING_SHARE ? [`No connection of ${service} to ${to} was open when they failed.`] : []),
		],
	};
}

/*
 * Had it forgotten the connection? A firewall, a NAT or a relay drops what is silent for too long, and tells neither end: what is sent on it then
 * is never answered, and what is sent on others is.
 */

/** Nobody forgets sooner. The lab's own choice, as are the numbers below. */
const SILENT_LEAST_S = 1;
/** Of calls on connections that were silent for longer, and for less. */
const FORGOTTEN_SHARE = 0.9;
const KEPT_SHARE = 0.02;
/** Calls that were answered while those were not. */
const ANSWERED_LEAST = 20;

export function forgotten({
	seen,
	service,
	caller,
	failed,
	sign,
	time,
}: Of<'caller' | 'failed' | 'seen' | 'service' | 'sign' | 'time'>): Why | null {
	if (!SILENT.has(sign) || failed.length < GOOD_LEAST) return null;
	const after = (call: number) => silenceBefore(seen, call);
	const bad = ascending(failed.flatMap((call) => after(call) ?? []));
	if (bad.length < FORGOTTEN_SHARE * failed.length) return null;
	const least = bad[Math.floor((1 - FORGOTTEN_SHARE) * bad.length)];
	const isThen = (call: number) => seen.began[call] >= time.from && seen.began[call] <= time.to;
	const others = seen.onEdge(caller, service).filter((call) => !seen.isAttempt(call) && isThen(call));
	const [long, short] = [others.filter((call) => (after(call) ?? 0) >= least), others.filter((call) => (after(call) ?? 0) < least)];
	const [longLost, shortLost] = [long, short].map((calls) => calls.filter((call) => SILENT.has(seen.sign[call])).length);
	const isAnswered = short.length - shortLost >= ANSWERED_LEAST;
	if (least < SILENT_LEAST_S || !isAnswered || longLost < FORGOTTEN_SHARE * long.length || shortLost > KEPT_SHARE * short.length)
		return null;
	const answered = ascending(seen.onEdge(caller, service).flatMap((call) => (seen.sign[call] === GOOD ? (after(call) ?? []) : [])));
	return {
		mechanism: 'forgotten',
		title: `answered nothing any more on connections that had been silent for ${seconds(least)} or longer`,
		basis: 'counted',
		evidence: [
			`${counted(longLost)} of ${counted(long.length)} calls of ${caller} to ${service} got no answer that came first on a connection after ${seconds(least)} or more; of ${counted(short.length)} others in the same seconds ${counted(shortLost)} got none.`,
			`The longest silence after which one was answered, in the whole record, was ${seconds(answered.at(-1) ?? 0)}.`,
		],
	};
}

/** @returns seconds in which nothing was said on its connection before it; null of the first on it */
function silenceBefore({ began, over, lineOf }: Step['seen'], call: number): number | null {
	const calls = lineOf(call)?.calls ?? [];
	const before = calls[leading(calls, (one) => began[one] < began[call]) - 1];
	return before === undefined ? null : Math.max(0, began[call] - over[before]);
}

/** Connections on which something was said: when the callee closed them, and when those of the edge were opened. */
const keptOf = once((seen, from, to) => {
	const lines = seen.lines(from, to).filter(({ connection }) => connection.transport === 'tcp' && connection.accepted_at !== null);
	const ends = lines.filter(
		({ calls, connection: { by, ended_at: at, answered_at: answered } }) =>
			(calls.length > 0 || answered !== null) && by === 'server' && at !== null,
	);
	const opened = ascending(lines.map(({ connection }) => connection.opened_at));
	const over = ascending(lines.flatMap(({ connection: { ended_at: at } }) => (at === null ? [] : [at])));
	return {
		silent: ends.flatMap(({ calls, connection: { ended_at: at } }) => {
			const last = calls.at(-1);
			return last === undefined ? [] : [(at as number) - seen.over[last]];
		}),
		closed: ascending(ends.map(({ connection }) => connection.ended_at as number)),
		opened,
		isOpen: (at: number) => upTo(opened, at) > upTo(over, at),
	};
});

/*
 * Had it no local port left?
 */

const PORTS_SHARE = 0.9;
/** A port that was used stays taken so long: Linux's TIME_WAIT. */
const TIME_WAIT_S = 60;
/** Of local ports, unless told otherwise: ip_local_port_range is 32768 to 60999. */
const PORTS = 28_232;

export function noPorts({
	seen,
	service,
	readings,
	moments,
	time,
	asked,
}: Of<'asked' | 'moments' | 'seen' | 'service' | 'time', 'ports'>): Why | null {
	const read = readings.ports(service, moments);
	const closed = seen.calleesOf(service).map((to) => ({ to, count: closedByItself(seen, service, to, time) }));
	const [most] = closed.toSorted((one, other) => other.count - one.count);
	const used = Math.max(read?.used ?? 0, most?.count ?? 0);
	if (!most || used < PORTS_SHARE * (read?.range ?? PORTS) || asked.failed > (asked.good ?? 1) / 2) return null;
	return {
		mechanism: 'no-ports',
		title: `had no local port left for connections to ${most.to}`,
		basis: 'counted',
		place: { service, edge: { from: service, to: most.to } },
		evidence: [
			`${service} had closed ${counted(most.count)} connections to ${most.to} by itself within ${TIME_WAIT_S} s; each keeps its local port that long.`,
			read
				? `${counted(read.used)} of ${counted(read.range)} local ports were taken.`
				: `By default there are ${counted(PORTS)} local ports.`,
			`${service} made calls for ${percent(asked.failed)} of the failed requests${asked.good === null ? '' : `, and for ${percent(asked.good)} of the good requests`}.`,
		],
	};
}

/** The most within the time that a port stays taken. */
function closedByItself(seen: Step['seen'], from: string, to: string, time: { to: number }) {
	const ends = closings(seen, from, to);
	let [most, first] = [0, 0];
	for (let last = 0; last < ends.length && ends[last] <= time.to; last += 1) {
		while (ends[first] < ends[last] - TIME_WAIT_S) first += 1;
		most = Math.max(most, last - first + 1);
	}
	return most;
}

/** When it closed connections by itself. */
const closings = once(({ lines }, from, to) =>
	ascending(
		lines(from, to).flatMap(({ connection: { by, ended_at: at, accepted_at: accepted } }) =>
			by === 'client' && accepted !== null && at !== null ? [at] : [],
		),
	),
);

/*
 * Were packets lost on the way to it, or to whom it asks? The wire shows those that were sent again, connection by connection; how often a
 * kernel waited without success until it sent again, each container's own counter.
 */

/** What is less often as high in calm seconds has a lift. */
const LIFT_TIMES = 3;
/** Linux's TCP_RTO_MIN: a kernel that sends again has waited so long at the least. */
const WAITED_S = 0.2;
/** Of the time of the connections that are asked on. The lab's own choice: what was waited at the least, which doubles each time. */
const STALLED_SHARE = 0.1;
/** Of the failed, for each of which one packet was lost at the least. */
const LOST_SHARE = 0.5;
/** Of the connections: some are asked on seldom. */
const LINES_SHARE = 0.5;

/** Of the moments of the failed, in which it took no more bytes, and of calm ones as a part of that. The lab's own choices. */
const CLOSED_SHARE = 0.5;
const CLOSED_PART = 1 / 3;
/** Who is asked whether it takes more again is asked soon, and then at ever longer intervals: each about as long as all before it. */
const ASKED_AGAIN_S = 1;

/** Who writes to somebody that does not read waits, whatever it sends: there is no call that anybody would answer. */
export function notRead(step: Of<'calm' | 'moments' | 'path' | 'seen' | 'service' | 'time', 'queued' | 'quotas' | 'use'>): Why | null {
	const { seen, service, path, moments, calm, time, readings } = step;
	if (!isIdle(step)) return null;
	for (const to of seen.calleesOf(service).filter((name) => name !== service && !path.includes(name))) {
		const closed = seen.lines(service, to).flatMap(
			({
				connection: {
					closed_window: { server },
					ended_at: ended,
				},
			}) => {
				if (server === null) return [];
				const until = server.last_at + Math.max(ASKED_AGAIN_S, server.last_at - server.first_at);
				return [{ ...server, until: Math.min(ended ?? Number.POSITIVE_INFINITY, until) }];
			},
		);
		const isClosed = (at: number) => closed.some(({ first_at: from, until }) => at >= from && at <= until);
		const [now, before] = [moments, calm].map((all) => share(all.filter(isClosed).length, all.length));
		if (now < CLOSED_SHARE || before > now * CLOSED_PART) continue;
		const times = closed.reduce((sum, one) => sum + one.times, 0);
		const first = closed.reduce((soonest, { first_at: at }) => Math.min(soonest, at), Number.POSITIVE_INFINITY) - seen.load.from;
		const there = { seen, time, calm, moments, readings, service: to };
		const short = reasonOf([throttled(there), busy(there)]);
		return {
			mechanism: short?.mechanism ?? 'not-read',
			// Who has no CPU reads nothing.
			title: tell('not-read', 'title', { service, short: short && titleOf(short) }),
			basis: calm.length < CALM_LEAST ? 'inferred' : 'timed',
			place: { service: to, edge: { from: service, to } },
			evidence: [
				`${to} told ${service} ${counted(times)} times that it takes no more bytes, ${first < 0 ? 'before the load began' : `from second ${few(Math.round(first))} on`}: so it was at ${percent(now)} of the moments at which requests were waiting in ${service}${calm.length < CALM_LEAST ? '' : `, and at ${percent(before)} of calm ones`}.`,
				...(short?.evidence ?? []),
				...usedThen(step),
			],
			...doubtOfCalm(calm.length < CALM_LEAST ? null : calm),
		};
	}
	return null;
}

export function packetsLost(step: Of<'caller' | 'calm' | 'failed' | 'moments' | 'seen' | 'service' | 'time', 'strain'>): Why | null {
	const { seen, service, caller, failed, time } = step;
	for (const to of askedBy(seen, service, kindsOf(seen, failed))) {
		const lines = linesOn(step, service, to);
		const timeouts = timeoutsOf(step, [service, to]);
		if (timeouts !== null && isSentAgain(step, lines) && timeouts.now * WAITED_S >= STALLED_SHARE * lines.length)
			return whyOf(step, service, to, timeouts);
	}
	const timeouts = timeoutsOf(step, [caller, service]);
	const least = (LOST_SHARE * failed.length) / Math.max(1, time.to - time.from);
	return timeouts !== null && timeouts.now >= least && isSentAgain(step, linesOn(step, caller, service))
		? whyOf(step, caller, service, timeouts)
		: null;
}

/** Connections that were open while requests failed. */
const linesOn = ({ seen, time }: Of<'seen' | 'time'>, from: string, to: string) =>
	seen
		.lines(from, to)
		.filter(
			({ connection: { opened_at: opened, ended_at: ended, calls } }) =>
				calls > 0 && opened <= time.to && (ended ?? Number.POSITIVE_INFINITY) >= time.from,
		);

const isSentAgain = ({ time }: Of<'time'>, lines: ReturnType<typeof linesOn>) =>
	lines.length > 0 &&
	share(lines.filter(({ connection: { again, again_at: at } }) => again > 0 && (at ?? 0) >= time.from).length, lines.length) >= LINES_SHARE;

/** Whether it may wait for an answer to what was lost, which is no call yet. */
export const mayAwaitLost = (step: Of<'seen' | 'service' | 'time'>) =>
	step.seen.calleesOf(step.service).some((to) => isSentAgain(step, linesOn(step, step.service, to)));

/**
 * How often a second their kernels sent again after having waited for it.
 * @returns null where that was no more than in calm seconds
 */
function timeoutsOf(
	{ readings, moments, calm }: Of<'calm' | 'moments', 'strain'>,
	names: string[],
): { now: number; before: number | null } | null {
	const rateAt = (at: number[]) => {
		const found = names.flatMap((name) => readings.strain(name, at).timeouts ?? []);
		return found.length === 0 ? null : found.reduce((sum, rate) => sum + rate, 0);
	};
	const [now, before] = [rateAt(moments), calm.length < CALM_LEAST ? null : rateAt(calm)];
	return now === null || now <= 0 || (before ?? 0) * LIFT_TIMES > now ? null : { now, before };
}

function whyOf(step: Of<'seen' | 'time'>, from: string, to: string, { now, before }: { now: number; before: number | null }): Why {
	const lines = linesOn(step, from, to);
	const again = lines.filter(({ connection }) => connection.again > 0);
	return {
		mechanism: 'packets-lost',
		title: `was reached by ${from} only after packets between them had been lost and sent again`,
		basis: before === null ? 'inferred' : 'timed',
		place: { service: to, edge: { from, to } },
		evidence: [
			`On ${percent(share(again.length, lines.length))} of the connections of ${from} to ${to} packets were sent again, ${counted(again.reduce((sum, { connection }) => sum + connection.again, 0))} in all.`,
			`The kernels of ${from} and ${to} sent again after having waited without success ${now.toFixed(1)} times a second while requests failed${before === null ? '' : `, and ${before.toFixed(1)} times in calm seconds`}; each wait is ${WAITED_S} s at the least.`,
		],
		...doubtOfCalm(before),
	};
}
