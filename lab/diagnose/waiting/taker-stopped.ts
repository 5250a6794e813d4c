/**
 * Has who should do the work stopped? Then it takes nothing more of what waits at whom both ask, and requests that look for its result find none.
 */

import { share } from './spread.ts';
import { isByItself, type Of, type Why } from './step.ts';
import { counted, few, seconds, things } from './text.ts';

/** Of the failed. The lab's own choices, as are the numbers below. */
export const ASKED_SHARE = 0.9;
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
