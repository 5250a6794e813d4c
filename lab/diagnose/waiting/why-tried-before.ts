/**
 * Did it answer without asking because its last try had failed? Who keeps in mind that a callee turned it away, or did not answer, asks it
 * again only after a while: a pooler that could not log in, a proxy that takes a server out, a breaker in a program.
 */

import { leading } from '../../stats/numbers.ts';
import { some } from '../joins/grouped.ts';
import { askedBy, GOOD_LEAST } from './asked.ts';
import { GOOD } from './seen.ts';
import { kindsOf, share } from './spread.ts';
import { isOwn, type Of, type Step, type Why } from './step.ts';
import { counted, ended, lookedUp, percent, seconds } from './text.ts';
import { isBlind, SENT_PART } from './why-own.ts';
import type { Tried } from './why-tried.ts';

/** Of the share of the failed, so much of the good ones. */
export const GOOD_PART = 1 / 3;

/** @param calls as they began */
export const begunBetween = ({ began }: Step['seen'], calls: number[], from: number, to: number) =>
	leading(calls, (call) => began[call] <= to) - leading(calls, (call) => began[call] <= from);

/** Of the failed. */
const AFTER_SHARE = 0.9;
/** Of the failed, and of the good as a part of that, where others ask on. */
export const SOME_SHARE = 0.5;
const RARE_PART = 0.05;
/** Longer nobody keeps from trying again: what breakers, poolers and proxies take unless told otherwise is 10 to 60 s. */
const TRIED_S = 60;
/** Whoever works through what came together may ask once more before it takes note. */
const SAME_MOMENT_S = 0.01;
const LOOKED_AT_MOST = 200;

export function triedBefore(step: Tried): Why | null {
	const { seen, service, failed, good } = step;
	if (!isOwn(step) || isBlind(step)) return null;
	const asked = askedBy(seen, service, kindsOf(seen, failed)).filter((to) => !step.path.includes(to));
	const survivable = survivableOf(step, asked);
	const callees = asked.filter((to) => !survivable.includes(to));
	const isTheirs = (child: number) => !survivable.includes(seen.to[child]);
	const askingOf = (calls: number[]) => share(calls.filter((call) => seen.childrenOf(call).some(isTheirs)).length, calls.length);
	const [failedPart, goodPart] =
		survivable.length === 0 ? [step.asked.failed, step.asked.good] : [askingOf(failed), good.length < GOOD_LEAST ? null : askingOf(good)];
	if (failedPart > (goodPart ?? 1) * SENT_PART) return null;
	return takenOut(step, callees) ?? callees.map((to) => triedAt(step, to)).find((why) => why !== null) ?? null;
}

/**
 * Callees whose bad calls good requests survive, since another is asked after them: with those alone a request fails since the other is not asked.
 */
export function survivableOf({ seen, good }: Pick<Tried, 'good' | 'seen'>, callees: string[]) {
	const { began, over, sign, to: toOf } = seen;
	return callees.filter((to) => {
		const after = good.flatMap((call) => {
			const children = seen.childrenOf(call);
			const bad = children.filter((child) => toOf[child] === to && sign[child] !== GOOD);
			return bad.length === 0
				? []
				: [children.some((child) => toOf[child] !== to && sign[child] === GOOD && bad.some((one) => began[child] >= over[one]))];
		});
		return after.length >= GOOD_LEAST && share(after.filter(Boolean).length, after.length) >= AFTER_SHARE;
	});
}

/**
 * All that it asks had failed before at requests of another kind, while those of this kind go well there: they would have done so now too.
 */
function takenOut({ seen, service, failed, good }: Of<'failed' | 'good' | 'seen' | 'service'>, callees: string[]): Why | null {
	const { began, over, kind, sign, to: toOf } = seen;
	const bads = callees.map((to) => ({ to, lastBad: lastBadOf(seen, service, to) }));
	const outAll = (call: number) => bads.every(({ lastBad }) => lastBad(call) !== null);
	const part = share(failed.filter(outAll).length, failed.length);
	const goodPart = share(good.filter(outAll).length, good.length);
	if (good.length < GOOD_LEAST || callees.length === 0 || part < AFTER_SHARE || goodPart > part * GOOD_PART) return null;
	const out = failed.filter(outAll);
	const before = bads.map(({ to, lastBad }) => ({ to, calls: [...new Set(out.flatMap((call) => lastBad(call) ?? []))] }));
	const tries = before.flatMap(({ calls }) => calls);
	const asked = good.flatMap((call) => seen.childrenOf(call).filter((child) => callees.includes(toOf[child]) && sign[child] === GOOD));
	// Who answers nobody any more fails whatever is asked: the others were answered there while the tries went on.
	const isWithin = (child: number, one: number) => began[child] >= began[one] && over[child] <= over[one];
	const answers = ({ to, calls }: { to: string; calls: number[] }) =>
		asked.some((child) => toOf[child] === to && calls.some((one) => isWithin(child, one)));
	if (!before.every(answers)) return null;
	const kinds = kindsOf(seen, asked);
	if (kinds.size === 0 || tries.some((call) => seen.isAttempt(call) || kind[call] === '' || kinds.has(kind[call]))) return null;
	const sinceLast = (call: number) => Math.min(...bads.map(({ lastBad }) => began[call] - over[lastBad(call) ?? call]));
	const longest = out.reduce((most, call) => Math.max(most, sinceLast(call)), 0);
	const others = [...kindsOf(seen, tries)].slice(0, KINDS_SHOWN).join(', ');
	return {
		mechanism: 'checks-failed',
		title: `took ${callees.toSorted().join(', ')} out after requests of another kind (${others}) had failed there`,
		basis: 'counted',
		place: { service },
		evidence: [
			...before.map(
				({ to, calls }) =>
					`${counted(calls.length)} calls of ${service} to ${to} (${others}) were ${ended(sign[calls[0]])} before it asked ${to} no more.`,
			),
			`${percent(part)} of the failed requests, and ${percent(goodPart)} of the good ones, came while ${service} asked none of them, up to ${seconds(longest)} after the last such call.`,
			`When ${service} asked for requests of this kind, ${counted(asked.length)} went well.`,
		],
	};
}

const KINDS_SHOWN = 3;

/**
 * Statuses by which a server says that something is wrong with the request, and not with itself: proxies take nobody out for them unless they
 * are told to. 408 and 429 are about its time and its load.
 */
const isAboutRequest = (sign: string) => /^4\d\d$/.test(sign) && sign !== '408' && sign !== '429';

function triedAt({ seen, service, failed, good }: Of<'failed' | 'good' | 'seen' | 'service'>, to: string): Why | null {
	const { began, over, sign } = seen;
	const lastBad = lastBadOf(seen, service, to, (sign) => !isAboutRequest(sign));
	const lasts = failed.map(lastBad);
	const before = [...new Set(lasts)].filter((last) => last !== null);
	const part = share(lasts.filter((last) => last !== null).length, failed.length);
	const goodPart = share(good.filter((call) => lastBad(call) !== null).length, good.length);
	const isMost = part >= AFTER_SHARE && goodPart <= part * GOOD_PART;
	// Each worker of a proxy keeps its own tries in mind, so that others ask on meanwhile.
	const isOfSome =
		part >= SOME_SHARE && goodPart <= part * RARE_PART && share(failed.filter(lastBad.isAfter).length, failed.length) >= AFTER_SHARE;
	if (!(isMost || isOfSome) || before.length < LED_PART * alikeOf(seen, service, to, before)) return null;
	const longest = lasts.reduce(
		(most: number, last, place) => (last === null ? most : Math.max(most, began[failed[place]] - over[last])),
		0,
	);
	const text = `${percent(part)} of the failed requests, and ${percent(goodPart)} of the good ones, came after a try of ${to}${lookedUp(seen, before)} that was ${ended(sign[before[0]])} and before the next, up to ${seconds(longest)} later`;
	const unknown = [
		...(good.length > 0 ? [] : [`no such request went well in ${service}: whether it asks ${to} for them is not known`]),
		...(isMost
			? []
			: [
					`${percent(1 - part)} of the failed requests came while ${service} asked ${to} for others: that each of its workers keeps its own tries in mind is inferred`,
				]),
	];
	const doubts = unknown.length > 0 ? { doubts: unknown } : {};
	const around = answersAround(seen, service, to, before);
	if (around !== null)
		return {
			mechanism: 'checks-failed',
			title: `asked ${to} no more for up to ${seconds(longest)} after ${before.length === 1 ? 'one call' : 'single calls'} had failed there, though others were answered`,
			basis: unknown.length > 0 ? 'inferred' : 'counted',
			place: { service, edge: { from: service, to } },
			evidence: [
				`${text}.`,
				`${counted(before.length)} such ${before.length === 1 ? 'try was' : 'tries were'} ${ended(sign[before[0]])}, for ${counted(failed.length)} failed requests; of the ${counted(around.others)} other calls that ${to} had within ${SURE_S} s of one it answered ${percent(around.good)}.`,
			],
			...doubts,
		};
	return {
		...{ mechanism: null, basis: 'inferred', onTo: to, tried: before },
		evidence: [`${text}; ${service} made no calls for them.`],
		...doubts,
	};
}

/** How many such tries there were, whatever came after them. */
function alikeOf({ onEdge, kind, sign, began, load }: Step['seen'], from: string, to: string, tries: number[]) {
	const kinds = kindsOf({ kind }, tries);
	return onEdge(from, to).filter((call) => began[call] >= load.warmupFrom && sign[call] !== GOOD && kinds.has(kind[call])).length;
}
/** Of them, after which nobody was asked: of what fails all the time, one is the last by chance. */
const LED_PART = 0.2;

/**
 * Who answers nearly all else in the second before such a try, and as soon as it is asked again, could have answered what came meanwhile too.
 * @returns null where it could not, or was asked no more
 */
function answersAround(seen: Step['seen'], from: string, to: string, tries: number[]): { others: number; good: number } | null {
	const { began, over, sign, kind } = seen;
	// Who logs nobody in any more may answer those that are.
	const kinds = kindsOf(seen, tries);
	if (tries.some(seen.isAttempt)) return null;
	const all = seen.onEdge(from, to).filter((call) => kinds.has(kind[call]));
	const own = new Set(tries);
	const begunIn = (since: number, until: number) =>
		all.slice(
			leading(all, (call) => began[call] < since),
			leading(all, (call) => began[call] <= until),
		);
	const sides = some(tries, LOOKED_AT_MOST).flatMap((call) => {
		const next = all[leading(all, (one) => began[one] <= over[call] + SAME_MOMENT_S)];
		if (next === undefined) return [];
		return [[begunIn(over[call] - SURE_S, over[call]).filter((one) => !own.has(one)), begunIn(began[next], began[next] + SURE_S)]];
	});
	const isFine = (calls: number[]) =>
		calls.length >= GOOD_LEAST && share(calls.filter((one) => sign[one] === GOOD).length, calls.length) >= AFTER_SHARE;
	const fine = sides.filter((both) => both.every(isFine));
	if (sides.length === 0 || share(fine.length, sides.length) < AFTER_SHARE) return null;
	const others = [...new Set(sides.flat(2))].filter((one) => !own.has(one));
	return { others: others.length, good: share(others.filter((one) => sign[one] === GOOD).length, others.length) };
}
/** About a try. */
const SURE_S = 1;

/**
 * The bad call to a callee after which none was begun before a request came; null where there is none. What was begun before it ended may have
 * gone well after it.
 * @param isSuch of bad ones, those that count
 * @returns isAfter: whether there was such a call at all, of late
 */
function lastBadOf(
	seen: Step['seen'],
	from: string,
	to: string,
	isSuch: (sign: string) => boolean = () => true,
): ((call: number) => number | null) & { isAfter: (call: number) => boolean } {
	const { began, over, sign } = seen;
	const tries = seen.onEdge(from, to);
	const bad = tries.filter((one) => sign[one] !== GOOD && isSuch(sign[one])).toSorted((one, other) => over[one] - over[other]);
	const lately = (call: number) => {
		const last = bad[leading(bad, (one) => over[one] <= began[call]) - 1];
		return last !== undefined && over[last] >= began[call] - TRIED_S ? last : null;
	};
	const lastBad = (call: number) => {
		const last = lately(call);
		return last === null || begunBetween(seen, tries, over[last] + SAME_MOMENT_S, began[call]) > 0 ? null : last;
	};
	return Object.assign(lastBad, { isAfter: (call: number) => lately(call) !== null });
}
