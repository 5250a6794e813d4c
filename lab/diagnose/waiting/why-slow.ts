/** Is it one kind of call that is slow, and nothing else? */

import { grouped } from '../../base/values.ts';
import { isByTurns, unreadBytes } from '../../wire/turns.ts';
import { some } from '../joins/grouped.ts';
import { GOOD_LEAST } from './asked.ts';
import type { Seen } from './seen.ts';
import { GOOD } from './seen.ts';
import { equalTime, kindsOf, middle, share } from './spread.ts';
import type { Of, Step, Why } from './step.ts';
import { calmAt } from './step.ts';
import { counted, ended, percent, seconds, things } from './text.ts';

/** Of the calls: an answer has to be that of most of them. */
const MOST = 0.5;
/** Shorter ones are over before anybody notices. */
const SLOW_LEAST_S = 0.1;

/**
 * What is slow takes as long as there is to do; what gives up takes one length, and fails.
 * @param calls of the slow kind
 * @returns a title; null where they just took long
 */
function ranOutIn({ seen, service, caller }: Of<'caller' | 'seen' | 'service'>, calls: number[]): string | null {
	const { began, over, sign, kind } = seen;
	const refused = calls.filter((call) => seen.calls[call].end === 'answered' && sign[call] !== GOOD);
	const equal = equalTime(refused.map((call) => over[call] - began[call]));
	const kinds = kindsOf(seen, calls);
	const good = seen.onEdge(caller, service).filter((call) => kinds.has(kind[call]) && sign[call] === GOOD);
	const usual = middle(good.map((call) => over[call] - began[call]));
	if (refused.length <= MOST * calls.length || equal === null || good.length < GOOD_LEAST || equal < SLOW_TIMES * usual) return null;
	const unread = unreadOf(seen, service);
	const such = unread.length === 0 ? 'a lock or a file' : `a message of ${unread.join(' or ')}, whose protocol is not read, or a lock`;
	return `waited ${seconds(equal)} each time for something that is not on record, such as ${such}, and then ${ended(sign[refused[0]])}`;
}

/** Callees whose answers are told by turns, or not at all: what the service waits for there is not seen. */
const unreadOf = (seen: Seen, service: string) =>
	seen
		.calleesOf(service)
		.filter((to) => seen.lines(service, to).some(({ connection }) => isByTurns(connection) || unreadBytes(connection) > 0));

/**
 * Others go on being answered as ever: it is that statement, command or URL. Where it leaves no room for others, those of calm seconds stand
 * for them, if it is none of calm seconds itself.
 */
export const slowKind = (step: Of<'caller' | 'calm' | 'failed' | 'meanwhile' | 'seen' | 'service'>): Why | null =>
	slowest(step)?.why ?? null;

export function slowest(step: Of<'caller' | 'calm' | 'failed' | 'meanwhile' | 'seen' | 'service'>): { kind: string; why: Why } | null {
	const { seen, service, caller, failed, meanwhile } = step;
	const isAnswered = (call: number) => seen.calls[call].end === 'answered';
	const during = meanwhile.filter((call) => isAnswered(call) || isLeft(seen, call));
	const took = (calls: number[]) => calls.map((call) => seen.over[call] - seen.began[call]);
	const rows = [...grouped(during, (call) => seen.kind[call])].map(([kind, calls]) => ({
		kind,
		calls,
		sum: calls.reduce((sum, call) => sum + (seen.over[call] - seen.began[call]), 0),
	}));
	const [most] = rows.toSorted((one, other) => other.sum - one.sum);
	if (!most || most.kind === '' || most.sum < MOST * rows.reduce((sum, row) => sum + row.sum, 0)) return null;
	const slow = middle(took(most.calls));
	if (slow < SLOW_LEAST_S) return null;
	const beside = during.filter((call) => seen.kind[call] !== most.kind);
	const isBeside = Math.min(most.calls.length, beside.length) >= OTHERS_LEAST;
	const others = isBeside ? beside : calmCalls(step);
	if (others.length < OTHERS_LEAST || (!isBeside && others.some((call) => seen.kind[call] === most.kind))) return null;
	const quick = middle(took(others));
	if (slow < SLOW_TIMES * quick) return null;
	// What such calls take explains nothing of some of them that took many times as long.
	const isOfKind = failed.every((call) => seen.kind[call] === most.kind);
	if (isOfKind && middle(took(failed)) > SLOW_TIMES * slow) return null;
	const theirs = share(most.calls.filter((call) => seen.from[call] === caller).length, most.calls.length);
	const one = most.calls.length === 1 ? 'one' : 'each';
	const left = most.calls.filter((call) => !isAnswered(call)).length;
	const isMostLeft = left > MOST * most.calls.length;
	const givenUp = most.calls.filter((call) => seen.calls[call].end === 'given-up' && seen.from[call] === caller);
	const timeOut = givenUp.length > MOST * most.calls.length ? equalTime(took(givenUp)) : null;
	const until = timeOut === null ? `, for ${seconds(slow)} so far` : ` until ${caller} gave up after ${seconds(timeOut)}`;
	const ranOut = ranOutIn(step, most.calls);
	const why: Why = {
		mechanism: ranOut === null ? 'slow-kind' : 'own-wait',
		title: ranOut ?? (isMostLeft ? `left ${one} ${most.kind} unanswered${until}` : `took ${seconds(slow)} for ${one} ${most.kind}`),
		// Why none came is not told by that.
		basis: isBeside && !isMostLeft && (ranOut === null || unreadOf(seen, service).length === 0) ? 'counted' : 'inferred',
		evidence: [
			`${things(most.calls.length, 'call')} ${most.kind} took ${seconds(slow)} at ${service}, ${percent(theirs)} of them for ${caller}${left > 0 ? `; ${counted(left)} got no answer` : ''}.`,
			isBeside
				? `${counted(others.length)} other calls took ${seconds(quick)} in the same time.`
				: `Calls took ${seconds(quick)} in calm seconds, of which none was ${most.kind}.`,
		],
	};
	return { kind: most.kind, why };
}

/** It was still waited for when the recording ended, or until its caller gave up. */
const isLeft = ({ calls, isAttempt }: Step['seen'], call: number) => !isAttempt(call) && ['open', 'given-up'].includes(calls[call].end);

/** @returns answered ones that began in calm seconds */
export function calmCalls({ seen, service, calm }: Of<'calm' | 'seen' | 'service'>): number[] {
	const isCalm = calmAt(calm);
	return some(
		seen.servedBy(service).filter((call) => seen.calls[call].end === 'answered' && isCalm(seen.began[call])),
		CALM_MOST,
	);
}
/** More tell no more. */
const CALM_MOST = 2000;
/** Fewer others tell nothing of how it goes for them. */
export const OTHERS_LEAST = 5;
/** Of the middle time of all others. */
const SLOW_TIMES = 10;
