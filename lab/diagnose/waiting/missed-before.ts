/**
 * What brought so many to a callee at once: somebody who is asked before it, as a cache is, had nothing for them, and has something as a rule.
 */

import { GENERATOR_NAME } from '../../base/paths.ts';
import { grouped } from '../../base/values.ts';
import { ascending, upTo } from '../../stats/numbers.ts';
import { GOOD_LEAST } from './asked.ts';
import type { Through } from './follow.ts';
import { GOOD } from './seen.ts';
import { countsAt, kindsOf, middle, share, spread } from './spread.ts';
import type { Of, Step } from './step.ts';
import { asked, capital, counted, few, percent, seconds } from './text.ts';

/** An answer that says no more than that there is nothing: `$-1`, `_`, `*0` or `END` and the end of their line. */
const NOTHING_MOST_BYTES = 8;
/** Answers of that kind, the largest tenth left out, as compared with it. */
const SOMETHING_TIMES = 4;
const HIGH = 0.9;
/** Of the failed, and of that share among the good ones. */
const MISSED_SHARE = 0.8;
const GOOD_PART = 1 / 3;
/** At once, as compared with calm seconds. */
const TOGETHER_TIMES = 3;
/** Whoever asks a cache does so first, and somebody else as soon as it has nothing. */
const SOON_S = 0.1;

/**
 * @param to whom the service asked afterwards
 * @returns null where as many stood there in calm seconds too
 */
export function missedBefore(
	{ seen, service, failed, good, moments, calm }: Of<'calm' | 'failed' | 'good' | 'moments' | 'seen' | 'service'>,
	to: string,
): Through | null {
	const { began, over, kind, sign } = seen;
	if (good.length < GOOD_LEAST) return null;
	const calls = seen.onEdge(service, to);
	// Those of a wave that nobody waits for any more go on into calm seconds.
	const before = calm.filter((at) => at < moments[0]);
	const [now, usual] = [moments, before.length > 0 ? before : calm].map((times) =>
		times.length === 0 ? 0 : middle(countsAt(seen, calls, seen.waited, times)),
	);
	if (now < TOGETHER_TIMES * Math.max(1, usual)) return null;
	const standing = calls.filter((call) => upTo(moments, seen.waited[call]) > upTo(moments, began[call]));
	for (const store of seen.calleesOf(service).filter((one) => one !== to)) {
		const something = somethingOf(seen, service, store);
		const misses = seen
			.onEdge(service, store)
			.filter((call) => something.has(kind[call]) && sign[call] === GOOD && isNothing(seen.calls[call]));
		const begins = misses.map((call) => began[call]);
		const ends = misses.map((call) => over[call]);
		const part = (all: number[]) => share(withOneAfter(seen, all, begins), all.length);
		const [goodPart, theirs] = [part(good), part(failed)];
		// Others may not have come so far as to ask anybody.
		const first = share(withOneBefore(seen, standing, ends), standing.length);
		if (Math.max(theirs, first) < MISSED_SHARE || goodPart > Math.max(theirs, first) * GOOD_PART) continue;
		const size = middle([...kindsOf(seen, misses)].flatMap((one) => something.get(one) ?? []));
		return {
			text: `${store} had had nothing for them`,
			evidence: `${capital(store)} had nothing ${theirs < MISSED_SHARE ? `before ${percent(first)} of the calls that stood at ${to}` : `for ${percent(theirs)} of the failed requests in ${service}`}, and for ${percent(goodPart)} of the good ones, by the time alone; what it has is ${counted(size)} bytes long. ${few(now)} calls stood at ${to} at once, ${few(usual)} in calm seconds.`,
		};
	}
	return null;
}

/**
 * Who answers by itself what it does not find answers as it should, where a callee that has something as a rule had nothing for it. Where no such
 * request went well, it is so of those that asked nobody afterwards: who keeps something in a cache for speed alone asks on.
 */
export function nothingFor({
	seen,
	service,
	failed,
	good,
	time,
}: Of<'failed' | 'good' | 'seen' | 'service' | 'time'>): { text: string; evidence: string[]; doubts: string[] } | null {
	const { kind, sign, to: toOf } = seen;
	const isCompared = good.length >= GOOD_LEAST;
	for (const store of seen.calleesOf(service)) {
		const something = somethingOf(seen, service, store);
		// Who keeps what it is given, and has nothing for anybody, has lost it.
		const given = isCompared || something.size > 0 ? 0 : givenTo(seen, service, store);
		const isMiss = (child: number) =>
			toOf[child] === store &&
			(something.has(kind[child]) || given >= failed.length * GIVEN_PART) &&
			sign[child] === GOOD &&
			isNothing(seen.calls[child]);
		const isMissed = (call: number) => seen.childrenOf(call).some(isMiss);
		const isMissedLast = (call: number) => {
			const last = seen.childrenOf(call).at(-1);
			return last !== undefined && isMiss(last);
		};
		const part = share(failed.filter(isCompared ? isMissed : isMissedLast).length, failed.length);
		const goodPart = isCompared ? share(good.filter(isMissed).length, good.length) : 0;
		if (part < MISSED_SHARE || goodPart > part * GOOD_PART) continue;
		return {
			text: `, as ${store} had nothing for them`,
			evidence: [
				isCompared
					? `${store} had nothing for ${percent(part)} of the failed requests in ${service}, and for ${percent(goodPart)} of the good ones.`
					: `${store} had nothing for ${percent(part)} of the failed requests in ${service}, which asked nobody afterwards.`,
				...(given === 0 ? [] : [`${store} took ${counted(given)} values of ${service}, and had nothing for any of its calls.`]),
				...onceBefore(seen, store, time.from),
			],
			doubts: isCompared ? [] : [`no such request went well: whether ${store} has something for those is not known`],
		};
	}
	return null;
}

/**
 * What another client that takes no part in requests sent it just before, and hardly ever else.
 * @returns none or a sentence
 */
function onceBefore({ servedBy, began, kind, from, load }: Step['seen'], to: string, at: number): string[] {
	const theirs = servedBy(to).filter(
		(call) => from[call] !== GENERATOR_NAME && servedBy(from[call]).length === 0 && began[call] >= load.warmupFrom,
	);
	const rare = [...grouped(theirs, (call) => kind[call]).values()].filter((calls) => calls.length <= RARE_MOST);
	const last = rare
		.flat()
		.filter((call) => began[call] <= at && began[call] >= at - ONCE_BEFORE_S)
		.sort((one, other) => began[one] - began[other])
		.at(-1);
	return last === undefined
		? []
		: [`${from[last]}, which no service asks, sent ${to} ${asked(kind[last])} ${seconds(at - began[last])} before the first of them.`];
}
/** Of a kind, in all; and so long before. */
const RARE_MOST = 2;
const ONCE_BEFORE_S = 5;

/**
 * One to one, by the time alone: where many come at once the joins mix them up.
 * @param requests as they began
 * @param times in their order
 * @returns requests that one came soon after
 */
function withOneAfter({ began }: Step['seen'], requests: number[], times: number[]): number {
	let [count, next] = [0, 0];
	for (const request of requests) {
		while (next < times.length && times[next] < began[request]) next += 1;
		if (next === times.length || times[next] - began[request] > SOON_S) continue;
		count += 1;
		next += 1;
	}
	return count;
}

/**
 * The same of what came before.
 * @param calls as they began
 */
function withOneBefore({ began }: Step['seen'], calls: number[], times: number[]): number {
	let [count, next] = [0, 0];
	const inOrder = ascending(times);
	for (const call of calls) {
		while (next < inOrder.length && inOrder[next] < began[call] - SOON_S) next += 1;
		if (next === inOrder.length || inOrder[next] > began[call]) continue;
		count += 1;
		next += 1;
	}
	return count;
}

/** Values that it took, with an answer of as good as nothing, or where the protocol has it so with none. */
function givenTo({ calls, lineOf }: Step['seen'], from: string, to: string): number {
	const isGiven = (call: number) => {
		const { end, bad, sent_bytes: sent } = calls[call];
		if (end !== 'answered' || bad || sent < VALUE_LEAST_BYTES || !isNothing(calls[call])) return false;
		const line = lineOf(call);
		return line?.from === from && line.to === to;
	};
	return calls.reduce((sum, _, call) => sum + Number(isGiven(call)), 0);
}
/** Of the failed: of fewer values none of them may be missed. */
const GIVEN_PART = 1 / 3;
/** A question for a value is its name and little more. */
const VALUE_LEAST_BYTES = 128;

const isNothing = ({ answered_bytes: bytes }: Step['seen']['calls'][number]) => bytes <= NOTHING_MOST_BYTES;

/**
 * What it has for those that ask, by kind; kinds that are never answered with more than nothing are left out.
 * @returns bytes
 */
function somethingOf({ kind, sign, calls, onEdge }: Step['seen'], from: string, to: string): Map<string, number> {
	const sizes = grouped(
		onEdge(from, to).filter((call) => sign[call] === GOOD),
		(call) => kind[call],
	);
	const largest = [...sizes].map(
		([one, own]) =>
			[
				one,
				spread(
					own.map((call) => calls[call].answered_bytes),
					HIGH,
				),
			] as const,
	);
	return new Map(largest.filter(([, bytes]) => bytes >= SOMETHING_TIMES * NOTHING_MOST_BYTES));
}
