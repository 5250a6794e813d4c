/**
 * Does it find something to do each time it looks? Then there is more than it can do, and what these asked for has its turn later than anybody waits.
 */

import { grouped } from '../../base/values.ts';
import { GOOD_LEAST } from './asked.ts';
import { awaiting } from './awaiting.ts';
import { reasonOf } from './choose.ts';
import { GOOD, once, type Seen } from './seen.ts';
import { CLOCK_S, countBegun, countsAt, mostFirst, share } from './spread.ts';
import { CALM_LEAST, type Step, type Why } from './step.ts';
import { asked, counted, few, percent, things } from './text.ts';
import { busy, throttled } from './why-cpu.ts';
import type { Taker } from './why-push.ts';

/** Messages that get no answer; where it has none, what it asks. */
export const sentOn = once((seen, from, to) => {
	const sent = inOrder(seen, from, to, ({ role }) => role === 'send');
	return sent.length > 0 ? sent : inOrder(seen, from, to, ({ role = 'call' }) => role === 'call');
});

export function inOrder({ calls, began, lineOf }: Seen, from: string, to: string, isSuch: (call: Seen['calls'][number]) => boolean) {
	const found = [];
	for (let call = 0; call < calls.length; call += 1) {
		if (!isSuch(calls[call])) continue;
		const line = lineOf(call);
		if (line?.from === from && line.to === to) found.push(call);
	}
	return found.sort((one, other) => began[one] - began[other]);
}

/** By the service, after the last of these. */
export const sentSince = (seen: Seen, service: string, to: string, calls: number[]) =>
	countBegun(seen, sentOn(seen, service, to), lastOf(seen, calls) + CLOCK_S, seen.until);

const lastOf = ({ began, load }: Seen, calls: number[]) => (calls.length === 0 ? load.warmupFrom : began[calls[calls.length - 1]]);

/** Of calm moments, those at which it waits for something to do, and of the failed ones'. */
const FREE_SHARE = 0.5;
const BUSY_MOST = 0.1;
/** Of all of that kind since it began: fewer make no queue. */
const FILLED_SHARE = 0.25;
/** Of the failed: so many had their service send a message of that kind. */
const SENT_LEAST = 0.8;

export function behind(step: Step, to: string, taker: Taker): Why | null {
	const { seen, service, calm, moments, time } = step;
	const { name, names } = taker;
	const looks = names.flatMap((own) => seen.onEdge(own, to)).filter((call) => seen.calls[call].role === 'wait');
	const waitingAt = (times: number[]) => share(countsAt(seen, looks, seen.over, times).filter((count) => count > 0).length, times.length);
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

/** Another client sent more of what the service sends for each of these requests. */
function fillerOf({ seen, service, failed, time }: Step, to: string, takers: string[]): { title: string; evidence: string } | null {
	const { began, kind, from } = seen;
	const sent = sentOn(seen, service, to);
	const isForEach = (calls: number[]) =>
		share(failed.filter((call) => countBegun(seen, calls, began[call], seen.over[call]) > 0).length, failed.length) >= SENT_LEAST;
	const [most] = [...grouped(sent, (call) => kind[call])]
		.filter(([, calls]) => isForEach(calls))
		.flatMap(([one, calls]) => {
			const others = seen.servedBy(to).filter((call) => kind[call] === one && from[call] !== service && !takers.includes(from[call]));
			return mostFirst(others, (call) => from[call]).map(([client, theirs]) => ({ one, client, own: calls, theirs }));
		})
		.map(({ one, client, own, theirs }) => {
			const since = began[theirs[0]];
			const until = (calls: number[]) => calls.filter((call) => began[call] >= since && began[call] <= time.to).length;
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

export function takerText({ seen, service, time }: Step, to: string, { names, got, sent }: Taker) {
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
