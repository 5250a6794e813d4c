/**
 * A broker has no answer of its own: it passes a question on to one of its clients, and back what that one replies. Question and message have a
 * mark in common, so that it is known who was given the very calls that failed, and what became of them there.
 */

import { grouped } from '../../base/values.ts';
import { ascending } from '../../stats/numbers.ts';
import { reasonOf } from './choose.ts';
import type { Seen } from './seen.ts';
import { once } from './seen.ts';
import { average, countsAt, middle, share, spread } from './spread.ts';
import type { Step, Why } from './step.ts';
import { calmAt, slownessOf } from './step.ts';
import { counted, few, percent, seconds, things, tookText } from './text.ts';
import { busy, throttled } from './why-cpu.ts';
import { isIdle, usedThen } from './why-few.ts';
import { awayThen } from './why-gone.ts';
import { answerOf, takerAway, takerGone, takersOf } from './why-push.ts';

/** a client of the broker, and what it was passed on */
type Given = {
	/** of its container */
	name: string;
	/** as they were passed on */
	all: number[];
	/** those of failed calls, of which most of the time passed before it replied, if it did */
	left: number[];
};

/** Of the failed calls, of the time of each, and of what the first of several left. */
const MOST = 0.5;
/** Of the good calls, as a part of the failed: who is given a copy of each and replies to none keeps nobody waiting. */
const GOOD_PART = 1 / 3;
/** What was on its way when it stopped may still be replied to. */
const ON_ITS_WAY_S = 0.5;

/** Messages by who passed them on, and by their marks. */
const passedOn: (seen: Seen) => Map<string, Map<string, number[]>> = once(({ calls, lineOf }) => {
	const pushes = [...calls.keys()].filter(
		(call) => calls[call].role === 'push' && calls[call].id !== undefined && lineOf(call) !== undefined,
	);
	const byBroker = grouped(pushes, (call) => lineOf(call)?.to ?? '');
	return new Map([...byBroker].map(([broker, own]) => [broker, grouped(own, (call) => calls[call].id ?? '')]));
});

/**
 * @param step at the broker
 * @returns null where it passes on nothing that has a mark
 */
export function whyPassedOn(step: Step): Why | null {
	const { seen, service: broker, caller, failed, good } = step;
	const byMark = passedOn(seen).get(broker);
	if (byMark === undefined) return null;
	const messagesOf = (call: number) => byMark.get(seen.calls[call].id ?? '') ?? [];
	const unreplied = byTaker(
		seen,
		good.flatMap((call) => messagesOf(call).filter((push) => !isReplied(seen, push) || seen.over[push] > seen.over[call])),
	);
	const keeping = givenIn(step, [...byMark.values()].flat(), messagesOf).filter(
		({ name, left }) =>
			left.length > 0 && share(unreplied.get(name)?.length ?? 0, good.length) <= share(left.length, failed.length) * GOOD_PART,
	);
	const [first] = keeping;
	const place = keeping.filter(({ left }) => left.length >= MOST * first.left.length);
	if (place.reduce((sum, { left }) => sum + left.length, 0) >= MOST * failed.length) return whyLeft(step, place, messagesOf);
	if (failed.filter((call) => messagesOf(call).length === 0).length < MOST * failed.length) return null;
	const taken = new Set(good.flatMap(messagesOf));
	const takers = takersOf({ seen, service: caller }, broker, ({ got }) => got.some((push) => taken.has(push)));
	return answerOf([takerAway, takerGone], { ...step, service: caller }, broker, takers);
}

/** Who left most first. */
function givenIn({ seen, failed }: Step, all: number[], messagesOf: (call: number) => number[]): Given[] {
	const { began, over } = seen;
	const isLong = (push: number, call: number) => Math.min(over[push], over[call]) - began[push] >= MOST * (over[call] - began[call]);
	const left = byTaker(
		seen,
		failed.flatMap((call) => messagesOf(call).filter((push) => isLong(push, call))),
	);
	return [...byTaker(seen, all)]
		.map(([name, own]) => ({ name, all: own.toSorted((one, other) => began[one] - began[other]), left: left.get(name) ?? [] }))
		.toSorted((one, other) => other.left.length - one.left.length);
}

/** By whom they were given. */
const byTaker = ({ lineOf }: Seen, pushes: number[]) => grouped(pushes, (push) => lineOf(push)?.from ?? '');

const isReplied = ({ calls }: Seen, push: number) => calls[push].end === 'answered';

/** @param place those that left most of them */
function whyLeft(step: Step, place: Given[], messagesOf: (call: number) => number[]): Why {
	const { seen, service: broker, failed, time } = step;
	const [{ name, all, left }, ...beside] = place;
	const its = { ...step, service: name };
	const away = awayThen(step, name);
	const during = all.filter(
		(push) => isReplied(seen, push) && seen.over[push] > time.from + ON_ITS_WAY_S && seen.over[push] <= time.to,
	).length;
	const isNever = left.filter((push) => !isReplied(seen, push)).length > left.length / 2;
	const why = away
		? { mechanism: away.mechanism, basis: 'timed' as const, evidence: [away.text] }
		: (reasonOf([throttled(its), busy(its)]) ?? (isNever ? neverReplied(step, place[0], during) : lateReplied(its, place[0], during)));
	return {
		...why,
		place: { service: name, edge: { from: name, to: broker }, beside: beside.map((one) => one.name) },
		evidence: [
			...place.map(
				(one) =>
					`${broker} passed ${percent(share(one.left.length, failed.length))} of the failed calls on to ${one.name}, ${leftText(seen, one)}.`,
			),
			...othersText(step, place, messagesOf),
			...why.evidence,
			...seen
				.calleesOf(name)
				.filter((to) => to !== broker)
				.map((to) => ({ to, slow: slownessOf(its, to) }))
				.flatMap(({ to, slow }) => (slow.isSlower ? [tookText(to, slow)] : [])),
			...(away ? [] : usedThen(its)),
		],
	};
}

function leftText(seen: Seen, { left }: Given) {
	const replied = left.filter((push) => isReplied(seen, push));
	return replied.length * 2 > left.length
		? `which replied after ${seconds(middle(replied.map((push) => seen.over[push] - seen.began[push])))}`
		: 'which never replied to them';
}

/** @param during that it replied to all the same */
function neverReplied({ seen, service: broker, time }: Step, { name, all, left }: Given, during: number): Why {
	const before = all.filter((push) => isReplied(seen, push) && seen.began[push] < time.from).length;
	const since = all.filter((push) => seen.began[push] >= time.from && seen.began[push] <= time.to).length;
	const isSilent = during === 0;
	return {
		mechanism: isSilent ? 'hung' : 'deliveries-held',
		title: isSilent
			? `was given ${things(since, 'message')} of ${broker} from second ${few(Math.max(0, Math.round(time.from - seen.load.from)))} on and replied to none`
			: `took messages of ${broker} and never replied to some of them`,
		basis: 'counted',
		kept: left,
		evidence: [
			`${name} had replied to ${things(before, 'message')} until then, and to ${isSilent ? 'none' : counted(during)} of ${counted(since)} while requests failed, though it was connected${isSilent ? ': a lock of its own that nobody gives back looks like this' : ''}.`,
		],
	};
}

/**
 * @param step at the client
 * @param during that it replied to
 */
function lateReplied(step: Step, { name, all }: Given, during: number): Why {
	const { seen, moments } = step;
	const standing = average(countsAt(seen, all, seen.over, moments));
	const evidence = [
		`${name} replied to ${counted(during)} messages while requests failed, and had ${few(standing)} at the mean to which it had not.`,
	];
	const rhythm = isIdle(step) ? rhythmOf(step, all, standing) : null;
	if (rhythm === null) return { mechanism: null, basis: 'inferred', evidence };
	return {
		mechanism: 'workers-taken',
		title: `worked on ${things(rhythm.width, 'message')} at a time, ${seconds(rhythm.alone)} for each, while ${few(standing)} had come`,
		basis: 'inferred',
		evidence: [
			...evidence,
			`Alone one took ${seconds(rhythm.alone)}, and replies came as far apart as with ${things(rhythm.width, 'worker')}.`,
		],
	};
}

/** Who works on k at a time never replies to k more within the time that one takes alone, and mostly soon after it. */
function rhythmOf({ seen, time, calm }: Step, all: number[], standing: number): { width: number; alone: number } | null {
	const { began, over } = seen;
	const isCalm = calmAt(calm);
	const replied = all.filter((push) => isReplied(seen, push));
	const alone = spread(
		replied.filter((push) => isCalm(began[push])).map((push) => over[push] - began[push]),
		ALONE_SHARE,
	);
	if (!(alone >= ALONE_LEAST_S)) return null;
	const ends = ascending(replied.map((push) => over[push])).filter((at) => at >= time.from && at <= time.to);
	for (let width = 1; width <= WIDTH_MOST && width * 2 <= standing; width += 1) {
		const spans = ends.slice(width).map((end, place) => end - ends[place]);
		if (spans.length < SPANS_LEAST) return null;
		if (spread(spans, EARLY) >= ALONE_LEAST * alone) return spread(spans, USUAL) <= ALONE_MOST * alone ? { width, alone } : null;
	}
	return null;
}
/** As of a service that works on few at a time (why-few.ts). */
const ALONE_SHARE = 0.1;
const ALONE_LEAST_S = 0.01;
const ALONE_LEAST = 0.8;
const ALONE_MOST = 1.5;
const [EARLY, USUAL] = [0.1, 0.4];
const SPANS_LEAST = 20;
const WIDTH_MOST = 8;

/**
 * Others that were given such questions meanwhile, and replied.
 * @returns none or a sentence
 */
function othersText({ seen, good, time }: Step, place: Given[], messagesOf: (call: number) => number[]): string[] {
	const beside = good.filter((call) => seen.began[call] >= time.from && seen.began[call] <= time.to).flatMap(messagesOf);
	const others = [
		...byTaker(
			seen,
			beside.filter((push) => isReplied(seen, push)),
		),
	].filter(([name]) => place.every((one) => one.name !== name));
	return others.length === 0
		? []
		: [
				`Meanwhile ${others
					.map(([name, own]) => `${name} replied to ${counted(own.length)}`)
					.toSorted()
					.join(', ')} of the good ones.`,
			];
}
