/**
 * What is said beside where requests failed: whom the cache before it had nothing for, how often it is asked for one, and what whoever should give
 * others something waits for itself.
 */

import { GENERATOR_NAME } from '../../base/paths.ts';
import { grouped } from '../../base/values.ts';
import { ascending, upTo } from '../../stats/numbers.ts';
import { some } from '../joins/rules.ts';
import { GOOD_LEAST } from './asked.ts';
import type { Through } from './follow.ts';
import { GOOD } from './seen.ts';
import { average, countsAt, kindsOf, middle, share, spread } from './spread.ts';
import type { Of, Step, Why } from './step.ts';
import { isThroughout } from './step.ts';
import { asked, capital, counted, few, percent, seconds, things } from './text.ts';
import { busy, throttled } from './why-cpu.ts';

/*
 * What brought so many to a callee at once: somebody who is asked before it, as a cache is, had nothing for them, and has something as a rule.
 */

/** An answer that says no more than that there is nothing: `$-1`, `_`, `*0` or `END` and the end of their line. */
const NOTHING_MOST_BYTES = 8;
/** Answers of that kind, the largest tenth left out, as compared with it. The lab's own choice. */
const SOMETHING_TIMES = 4;
const HIGH = 0.9;
/** Of the failed, and of that share among the good ones. The lab's own choices. */
const MISSED_SHARE = 0.8;
const GOOD_PART = 1 / 3;
/** At once, as compared with calm seconds. The lab's own choice. */
const TOGETHER_TIMES = 3;
/** Whoever asks a cache does so first, and somebody else as soon as it has nothing. The lab's own choice. */
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
/** Of a kind, in all; and so long before. The lab's own choices. */
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
/** Of the failed: of fewer values none of them may be missed. The lab's own choice. */
const GIVEN_PART = 1 / 3;
/** A question for a value is its name and little more. The lab's own choice. */
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

/*
 * How often is a callee asked for one request? Who asks it for each row of a page has no slow callee, and is slow all the same.
 */

/** Fewer are nothing to be told of. The lab's own choice. */
const MANY_LEAST = 30;
/** More tell no more. */
const LOOKED_AT_MOST = 200;

/**
 * Of good requests of their kinds in calm seconds, when few are in it: where there are many the joins share their calls out otherwise.
 * @returns a sentence of each callee that they ask many times
 */
export function manyEach({ seen, service, failed, calm }: Of<'calm' | 'failed' | 'seen' | 'service'>): string[] {
	const { began, over, kind, sign } = seen;
	const kinds = kindsOf(seen, failed);
	const isCalm = (call: number) => isThroughout(calm, began[call], over[call]);
	const looked = some(
		seen.servedBy(service).filter((call) => kinds.has(kind[call]) && sign[call] === GOOD && isCalm(call)),
		LOOKED_AT_MOST,
	);
	if (looked.length < GOOD_LEAST) return [];
	const what = [...kinds].map(asked).join(', ');
	return seen.calleesOf(service).flatMap((to) => {
		const times = middle(looked.map((request) => seen.childrenOf(request).filter((child) => seen.to[child] === to).length));
		return times < MANY_LEAST
			? []
			: [`${capital(service)} asked ${to} ${counted(times)} times for each ${what} in calm seconds, at the median.`];
	});
}

/*
 * Whoever should give others something, what does it wait for itself?
 */

/**
 * It waits by itself, at nearly all moments, for a callee that had answered it sooner when it had something to give.
 * @param to who hands on what it gives
 */
export function awaiting(step: Step, to: string, { names }: { names: string[] }): Why | null {
	const { seen, service, moments } = step;
	const { began, over, waited, sign, calls } = seen;
	for (const callee of new Set(names.flatMap(seen.calleesOf))) {
		if (callee === to || callee === service || names.includes(callee)) continue;
		const all = names
			.flatMap((name) => seen.onEdge(name, callee))
			.filter((call) => (calls[call].role ?? 'call') === 'call')
			.sort((one, other) => began[one] - began[other]);
		const good = all.filter((call) => sign[call] === GOOD && over[call] < moments[0]);
		if (good.length < GOOD_LEAST || spread(countsAt(seen, all, waited, moments), LOW) < 1) continue;
		const lengthsOf = (these: number[]) => these.map((call) => waited[call] - began[call]);
		// What it had never asked for may take as long as ever, and so may what took long before.
		const known = new Map([...grouped(good, (call) => seen.kind[call])].map(([kind, calls]) => [kind, middle(lengthsOf(calls))]));
		const going = all.filter((call) => known.has(seen.kind[call]) && upTo(moments, waited[call]) > upTo(moments, began[call]));
		if (average(countsAt(seen, going, waited, moments)) * 2 < average(countsAt(seen, all, waited, moments))) continue;
		const [now, usual] = [middle(lengthsOf(going)), middle(going.map((call) => known.get(seen.kind[call]) ?? 0))];
		if (now < SLOWER_TIMES * usual || now < SLOWER_LEAST_S) continue;
		const left = going.filter((call) => calls[call].end === 'open').length;
		const its = throttled({ ...step, service: callee }) ?? busy({ ...step, service: callee });
		const [name] = names;
		const isLeft = left * 2 > going.length;
		return {
			...(its ?? {
				mechanism: null,
				title: isLeft
					? `left ${things(left, 'call')} of ${name} unanswered, which gave ${to} less meanwhile`
					: `took ${seconds(now)} for each call of ${name}, which gave ${to} less meanwhile`,
			}),
			basis: 'inferred',
			place: { service: callee, edge: { from: name, to: callee } },
			evidence: [
				`Meanwhile ${names.toSorted().join(', ')} waited for ${few(average(countsAt(seen, all, waited, moments)))} answers of ${callee}, ${seconds(now)} for each${isLeft ? ' so far' : ''}, and ${seconds(usual)} for such ones before.`,
				...(its?.evidence ?? []),
			],
		};
	}
	return null;
}
/** As slownessOf has it. */
const SLOWER_TIMES = 3;
const SLOWER_LEAST_S = 0.05;
const LOW = 0.1;
