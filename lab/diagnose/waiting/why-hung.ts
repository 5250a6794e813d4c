/** A service that answered until a moment and never again, though nothing keeps it busy and it waits for nobody. */

import { grouped } from '../../base/values.ts';
import { GOOD_LEAST } from './asked.ts';
import { average, countsAt, kindsOf, share } from './spread.ts';
import type { Of, Why } from './step.ts';
import { counted, few, seconds } from './text.ts';
import { poolIdle } from './why-full.ts';
import { mayAwaitLost } from './why-lost.ts';
import { isBlind } from './why-own.ts';
import { tell } from './writing.ts';

/** Of the calls: an answer has to be that of most of them. */
export const MOST = 0.5;
/** What a program uses that only keeps its timers. */
const IDLE_CORES = 0.1;
/** Shorter, and it may yet answer. As long as most callers wait at the least. */
export const SILENT_LEAST_S = 5;
/** What was on its way when it stopped may still be answered. */
export const ON_ITS_WAY_S = 0.5;
/** Waits of its own, for the mean of the moments: who waits for anybody may be held up by that. */
export const WAITING_MOST = 0.5;

export function hung(step: Of<'failed' | 'moments' | 'seen' | 'service' | 'time' | 'waiting', 'use'>): Why | null {
	const { seen, service, failed, time, moments, readings } = step;
	const { began, over, kind, calls } = seen;
	const use = readings.use(service, moments);
	if (!use || use.cores > IDLE_CORES || use.throttled > 0 || time.to - time.from < SILENT_LEAST_S || isBlind(step) || mayAwaitLost(step))
		return null;
	const kinds = kindsOf(seen, failed);
	const same = seen.servedBy(service).filter((call) => kinds.has(kind[call]) && !seen.isAttempt(call));
	const answered = same.filter((call) => calls[call].end === 'answered');
	const last = answered.reduce((latest, call) => Math.max(latest, over[call]), Number.NEGATIVE_INFINITY);
	const after = same.filter((call) => began[call] >= time.from);
	if (answered.length < GOOD_LEAST || last > time.from + ON_ITS_WAY_S || after.length < GOOD_LEAST) return null;
	const asked = average(countsAt(seen, seen.madeBy(service), seen.over, moments, (call) => seen.joins.parent[call] >= 0));
	if (asked > WAITING_MOST || isWorkingOn(step, last + ON_ITS_WAY_S)) return null;
	const idle = poolIdle(step);
	return {
		mechanism: 'hung',
		basis: 'counted',
		...(idle ? { idle } : {}),
		evidence: [
			`${service} answered ${counted(answered.length)} requests of this kind until second ${few(Math.max(0, last - seen.load.from))}, and none of the ${counted(after.length)} after, for ${seconds(time.to - time.from)}.`,
			`It used ${use.cores.toFixed(2)} cores and waited for nobody that is seen: a lock of its own that nobody gives back looks like this.`,
			...(idle ? [tell('hung', 'pool', { idle: idle.said })] : []),
		],
	};
}

/** It asks on for requests, if for such as nobody waits for any more. */
function isWorkingOn({ seen, service, time }: Of<'seen' | 'service' | 'time'>, since: number) {
	const { began, kind, joins } = seen;
	const made = seen.madeBy(service).filter((call) => !seen.isAttempt(call));
	return [...grouped(made, (call) => kind[call]).values()].some((calls) => {
		const before = calls.filter((call) => began[call] < time.from);
		const isForRequests = share(before.filter((call) => joins.parent[call] >= 0).length, before.length) > MOST;
		return isForRequests && calls.filter((call) => began[call] > since && began[call] <= time.to).length >= GOOD_LEAST;
	});
}
