/**
 * Did it ask nobody since what it asks had failed before? Who keeps in mind that its checks of a callee failed, or its last try, asks nobody for a
 * while; and who opens its connections beside requests lets these wait for one.
 */

import { grouped } from '../../base/values.ts';
import { Numbering } from '../joins/spans.ts';
import { askedBy, GOOD_LEAST } from './asked.ts';
import { GOOD, once } from './seen.ts';
import { equalTime, Going, kindsOf, share } from './spread.ts';
import { isOwn, type Of, type Why } from './step.ts';
import { counted, ended, seconds } from './text.ts';
import { begunBetween, GOOD_PART, survivableOf, triedBefore } from './why-tried-before.ts';

/** Proxies take a callee out after so many checks at the least; one may be lost. */
const CHECKS_LEAST = 2;
/** A check that failed so long ago may still count. The lab's own choice: twice the longest interval that is usual (10 s). */
const CHECKED_S = 20;
/** Of calls that are made for no request, some lie in one by chance, and are joined with it by order. */
const JOINED_MOST = 0.5;

/** Calls that no request asked for went wrong, and then the service answered without asking. */
export function checksFailed(step: Of<'failed' | 'good' | 'seen' | 'service' | 'sign' | 'time' | 'took_s'>): Why | null {
	const { seen, service, time } = step;
	if (!isOwn(step)) return null;
	const bad = unaskedKinds(seen, service)
		.map((calls) =>
			calls.filter((call) => seen.sign[call] !== GOOD && seen.over[call] >= time.from - CHECKED_S && seen.over[call] <= time.to),
		)
		.filter((calls) => calls.length >= CHECKS_LEAST);
	if (bad.length === 0 || !isAllOut(step, bad)) return null;
	return {
		mechanism: 'checks-failed',
		title: `took ${[...new Set(bad.map(([call]) => seen.to[call]))].sort().join(', ')} out after its own checks of them had failed`,
		basis: 'timed',
		evidence: bad.map((calls) => {
			const after = equalTime(calls.map((call) => seen.over[call] - seen.began[call]));
			const [call] = calls;
			return `${service} checked ${seen.to[call]} by itself (${seen.kind[call]}): ${counted(calls.length)} checks were ${ended(seen.sign[call])}${after === null ? '' : `, each after ${seconds(after)}`}.`;
		}),
	};
}

/**
 * Nobody was asked any more of whom it asks for such requests: who still is can answer, and another limit turned these away.
 * @param bad its checks that failed, by kind
 */
function isAllOut({ seen, service, failed, good }: Of<'failed' | 'good' | 'seen' | 'service'>, bad: number[][]) {
	const checks = grouped(bad.flat(), (call) => seen.to[call]);
	const checked = new Set(unaskedKinds(seen, service).flat());
	const isRequest = (call: number) => !checked.has(call) && seen.began[call] >= seen.load.warmupFrom;
	const callees = askedBy(seen, service, kindsOf(seen, failed));
	const asked = callees.map((to) => ({ to, calls: seen.onEdge(service, to).filter(isRequest) }));
	const usual = asked.filter(({ calls }) => calls.length > 0);
	const isOut = (at: number) =>
		usual.every(({ to, calls }) => {
			const last = checks.get(to)?.findLast((call) => seen.over[call] <= at);
			return last !== undefined && begunBetween(seen, calls, seen.over[last], at) === 0;
		});
	const partOf = (calls: number[]) => share(calls.filter((call) => isOut(seen.over[call])).length, calls.length);
	const part = partOf(failed);
	// Who asks nobody for them takes nobody out.
	return usual.length > 0 && part > OUT_SHARE && (good.length < GOOD_LEAST || partOf(good) <= part * GOOD_PART);
}
/** Of the failed. */
const OUT_SHARE = 0.5;

/** Calls of a service, by kind, that no request asked for. */
const unaskedKinds = once((seen, service) => {
	const served = new Going(seen.servedBy(service), seen.began, seen.over);
	const own = seen.madeBy(service).filter((call) => !seen.isAttempt(call));
	const numbers = new Numbering();
	return [...grouped(own, (call) => numbers.of(seen.to[call], seen.kind[call])).values()]
		.filter((calls) => share(calls.filter((call) => seen.joins.parent[call] >= 0).length, calls.length) <= JOINED_MOST)
		.filter((calls) => calls.some((call) => served.at(seen.began[call]) === 0));
});

export type Tried = Of<'asked' | 'failed' | 'good' | 'path' | 'seen' | 'service' | 'sign' | 'took_s'>;

/** Whether all that went badly for them is what good ones survive, and whom those were answered by was not asked. */
export function isSurvivable(step: Tried) {
	const { seen, asked } = step;
	const bad = [...new Set(asked.edges.map(({ to }) => to))];
	return bad.length > 0 && survivableOf({ seen, good: step.good }, bad).length === bad.length && triedBefore(step) !== null;
}
