/**
 * Is who should do the work behind with it? Then each of its looks finds some, where most found none before, and what these requests asked for has
 * its turn later than anybody waits.
 */

import { GOOD_LEAST } from './asked.ts';
import { GOOD } from './seen.ts';
import { kindsOf, share } from './spread.ts';
import { isByItself, type Of, type Why } from './step.ts';
import { ASKED_SHARE } from './taker-stopped.ts';
import { rootOf } from './why-given.ts';
import { behindAt, namesIn, type TakerStep } from './why-polled.ts';

/** Of the failed, that were asked before without success so often by the same user, and within so long. */
const POLLED_SHARE = 0.8;
const POLLED_LEAST = 2;
const POLLED_S = 30;
/** Of the good answers, as a part of what is usual: that what was asked for is done is told by another status. */
const DONE_PART = 1 / 3;

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
