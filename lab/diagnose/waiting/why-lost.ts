/**
 * Were packets lost on the way to it, or to whom it asks? The wire shows those that were sent again, connection by connection; how often a
 * kernel waited without success until it sent again, each container's own counter.
 */

import { askedBy } from './asked.ts';
import { reasonOf } from './choose.ts';
import { kindsOf, share } from './spread.ts';
import { CALM_LEAST, type Of, type Why } from './step.ts';
import { counted, few, percent } from './text.ts';
import { busy, throttled } from './why-cpu.ts';
import { isIdle, usedThen } from './why-few.ts';
import { doubtOfCalm, tell, titleOf } from './writing.ts';

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

/** Of the moments of the failed, in which it took no more bytes, and of calm ones as a part of that. */
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
