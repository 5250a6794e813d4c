/**
 * Had it forgotten the connection? A firewall, a NAT or a relay drops what is silent for too long, and tells neither end: what is sent on it then
 * is never answered, and what is sent on others is.
 */

import { ascending, leading } from '../../stats/numbers.ts';
import { GOOD_LEAST } from './asked.ts';
import { GOOD } from './seen.ts';
import type { Of, Step, Why } from './step.ts';
import { counted, seconds } from './text.ts';
import { SILENT } from './why-name.ts';

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
