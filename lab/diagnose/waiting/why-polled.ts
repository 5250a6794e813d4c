/**
 * Did it ask for something again and again until its own time was up: a lock, a result, a state? Each answer is quick and good, and none is the
 * one that it waits for. The wire does not tell what was in the answers; that good requests need few of them, and these many, it does.
 */

import { grouped } from '../../base/values.ts';
import { leading } from '../../stats/numbers.ts';
import { GOOD_LEAST } from './asked.ts';
import { reasonOf } from './choose.ts';
import { GOOD, type Seen } from './seen.ts';
import { average, begunIn, countBegun, kindsOf, poolAt, share, stretchesOf } from './spread.ts';
import { CALM_LEAST, calmCount, EVERY_S, type Of, type Why } from './step.ts';
import { asked, counted, few, seconds, things } from './text.ts';
import { busy, throttled } from './why-cpu.ts';
import { isIdle, usedThen } from './why-few.ts';

/** what it reads of a step */
type Polled = TakerStep & Of<'equal_s' | 'failed' | 'took_s' | 'waiting', 'away'>;

/** Calls of one kind for a failed request: fewer are tries again. */
const POLLS_LEAST = 5;
/** As many times as for a request in calm seconds, and as often a second: what goes on by itself is no more frequent then. */
const POLLS_TIMES = 3;
/** Of the request's time, what all of its polls take: who waits for their answers does not wait between them. */
const QUICK_PART = 0.1;
const GOOD_SHARE = 0.9;
/** Of the requests in it, those for which it waits on nobody. */
const OWN_SHARE = 0.5;

export function polled(step: Polled): Why | null {
	const { seen, service, failed, calm, time, waiting, took_s: took, equal_s: equal } = step;
	if (equal === null || calm.length < CALM_LEAST || waiting.own < OWN_SHARE * waiting.standing || !isIdle(step)) return null;
	const { began, over, sign } = seen;
	const kinds = kindsOf(seen, failed);
	const same = seen.servedBy(service).filter((call) => kinds.has(seen.kind[call]));
	const calmSame = calmCount(seen, same, calm);
	if (calmSame < GOOD_LEAST) return null;
	const during = (calls: number[]) => countBegun(seen, calls, time.from, time.to);
	const goodOnes = during(same.filter((call) => sign[call] === GOOD));
	const lost = Math.max(failed.length, during(same) - goodOnes);
	const all = seen.madeBy(service).filter((call) => !seen.isAttempt(call) && began[call] >= seen.load.warmupFrom);
	const found = [...grouped(all, (call) => JSON.stringify([seen.to[call], seen.kind[call]])).values()].flatMap((calls) => {
		const before = calmCount(seen, calls, calm);
		const usual = before / calmSame;
		const own = begunIn(calls, stretchesOf(failed, seen), seen);
		const polls = (during(calls) - usual * goodOnes) / lost;
		const length = average(own.map((call) => over[call] - began[call]));
		const isMany = polls >= Math.max(POLLS_LEAST, POLLS_TIMES * usual);
		const isOften = own.length / stretched(step) >= (POLLS_TIMES * before) / (calm.length * EVERY_S);
		const isQuick =
			polls * length <= QUICK_PART * took && share(own.filter((call) => sign[call] === GOOD).length, own.length) >= GOOD_SHARE;
		return isMany && isOften && isQuick ? [{ calls, polls, usual, length }] : [];
	});
	const [most] = found.toSorted((one, other) => other.polls - one.polls);
	if (most === undefined) return null;
	const [to, kind] = [seen.to[most.calls[0]], seen.kind[most.calls[0]]];
	const behind = behindAt(step, to, new Set(namesIn(kind)));
	if (behind !== null) return behind;
	return {
		mechanism: 'polled',
		title: `asked ${to} ${counted(most.polls)} times for each without success until ${seconds(equal)} were over: it waits for something that it polls for, such as a lock or a result`,
		basis: 'counted',
		place: { service, edge: { from: service, to } },
		evidence: [
			`${service} asked ${to} ${asked(kind.trim())} ${counted(most.polls)} times for each failed request, ${few(most.usual)} for each in calm seconds; each answer came after ${seconds(most.length)} and was none of an error.`,
			...holderText(step, to, kind),
		],
	};
}

/** Seconds in which any of the failed went on. */
const stretched = ({ seen, failed }: Polled) => stretchesOf(failed, seen).reduce((sum, { from, to }) => sum + to - from, 0);

/**
 * Who asked the same last and has ended since may have left it behind: that is reported, and accuses nobody.
 * @returns none or a sentence
 */
function holderText({ seen, service, time, readings }: Polled, to: string, kind: string): string[] {
	const { began, servedBy, from } = seen;
	const last = servedBy(to).findLast((call) => from[call] !== service && seen.kind[call] === kind && began[call] <= time.to);
	if (last === undefined) return [];
	const end = readings.away.find(({ name, from: at }) => name === from[last] && at >= began[last] && at <= time.to);
	if (end === undefined || began[last] > time.from + EVERY_S) return [];
	const at = (moment: number) => few(Math.max(0, moment - seen.load.from));
	return [
		`${from[last]} was the last other one to ask ${to} ${asked(kind.trim())}, in second ${at(began[last])}, and ended in second ${at(end.from)}: what it may have left there nobody gave back.`,
	];
}

/** Looks for each piece of work: at least so many before, and then at most so many. The lab's own choices, as are the numbers below. */
const LOOKS_LEAST = 2;
const LOOKS_MOST = 1.25;
/** Pieces of work, and as many times a second as before that, of which so much is known. */
const WORKS_LEAST = 20;
const MORE_TIMES = 3;
const BEFORE_LEAST_S = 5;
/** About the moment at which it came to have more than it can do. */
const GIVEN_S = 2;

/** What a statement is about: its template has the verb first. */
export const namesIn = (kind: string) => kind.split(/[ ,]+/).slice(1);

export type TakerStep = Of<'calm' | 'moments' | 'path' | 'seen' | 'service' | 'time', 'queued' | 'quotas' | 'use'>;

/** @param names of what they look for there */
export function behindAt(step: TakerStep, at: string, names: Set<string>): Why | null {
	const { seen, service, path } = step;
	const serviceOf = new Map(seen.wire.services.map((one) => [one.name, one.service]));
	const clients = [...new Set(seen.linesTo(at).map(({ from }) => from))].filter(
		(name) => name !== service && !path.includes(name) && seen.servedBy(name).length === 0,
	);
	const found = [...grouped(clients, (name) => serviceOf.get(name) || name).values()].flatMap(
		(own) => behindOf(step, at, names, own) ?? [],
	);
	return found.length === 1 ? found[0] : null;
}

/** @param takers containers of one service */
function behindOf(step: TakerStep, at: string, names: Set<string>, takers: string[]): Why | null {
	const { seen, service, time, calm, moments, readings } = step;
	const [length, lengthBefore] = [time.to - time.from, time.from - seen.load.warmupFrom];
	const all = takers
		.flatMap((name) => seen.onEdge(name, at))
		.filter((call) => seen.began[call] >= seen.load.warmupFrom && namesIn(seen.kind[call]).some((name) => names.has(name)))
		.sort((one, other) => seen.began[one] - seen.began[other]);
	const kinds = [...grouped(all, (call) => seen.kind[call]).values()].map((calls) => ({
		calls,
		before: leading(calls, (call) => seen.began[call] < time.from),
		now: leading(calls, (call) => seen.began[call] <= time.to) - leading(calls, (call) => seen.began[call] < time.from),
	}));
	const isBehind = (looks: (typeof kinds)[number], works: (typeof kinds)[number]) =>
		works.now >= WORKS_LEAST &&
		looks.now >= works.now / LOOKS_MOST &&
		looks.now <= works.now * LOOKS_MOST &&
		looks.before >= works.before * LOOKS_LEAST &&
		works.now / length >= (MORE_TIMES * works.before) / lengthBefore;
	const [pair] = kinds.flatMap((works) => kinds.flatMap((looks) => (looks !== works && isBehind(looks, works) ? [{ looks, works }] : [])));
	if (pair === undefined || lengthBefore < BEFORE_LEAST_S) return null;
	const { looks, works } = pair;
	const [look, work] = [asked(seen.kind[looks.calls[0]]), asked(seen.kind[works.calls[0]])];
	const since = sinceOf(seen, works.calls, time.from, works.now / length);
	const at_s = few(Math.max(0, Math.round(since - seen.load.from)));
	const giver = giverOf(step, at, names, takers, since);
	const [name, ...beside] = takers.toSorted();
	const its = { seen, time, calm, moments, readings, service: name };
	const connections = takers.reduce((sum, one) => sum + poolAt(seen, one, at, step.moments).total, 0);
	return {
		...(reasonOf([throttled(its), busy(its)]) ?? { mechanism: 'workers-taken' }),
		title: `was behind with its work from second ${at_s} on: it did ${few(works.now / length)} a second (${work}), and what these had asked for stood behind${giver === null ? '' : ` what ${giver.from} had put there (${giver.kind})`}`,
		basis: 'inferred',
		place: { service: name, edge: { from: name, to: at }, beside },
		evidence: [
			`${takers.toSorted().join(', ')} looked at ${at} for work (${look}) ${counted(looks.now)} times while requests failed, on ${things(connections, 'connection')}, and did some (${work}) ${counted(works.now)} times; before that ${counted(looks.before)} and ${counted(works.before)} times: most looks found none.`,
			...(giver === null
				? []
				: [`${giver.from} sent ${at} ${giver.kind} in second ${few(Math.max(0, giver.at - seen.load.from))}, for the first time.`]),
			...usedThen(its),
		],
		doubts: [`which work it did is not read: that ${service} lacks what stood behind is inferred from the time`],
	};
}

/** From when on it did at least half as much in each second. */
function sinceOf({ began, load }: Seen, works: number[], until: number, rate: number) {
	const countIn = (from: number) => leading(works, (call) => began[call] < from + 1) - leading(works, (call) => began[call] < from);
	let since = until;
	while (since - 1 >= load.warmupFrom && countIn(since - 1) >= rate / 2) since -= 1;
	return since;
}

/** Another that sent something about the same then, which it had never sent before. */
function giverOf({ seen, service }: TakerStep, at: string, names: Set<string>, takers: string[], since: number) {
	const { began, from, kind } = seen;
	const others = seen.servedBy(at).filter((call) => from[call] !== service && !takers.includes(from[call]));
	const first = [...grouped(others, (call) => JSON.stringify([from[call], kind[call]])).values()].map(([call]) => call);
	const call = first.findLast((one) => Math.abs(began[one] - since) <= GIVEN_S && namesIn(kind[one]).some((name) => names.has(name)));
	return call === undefined ? null : { from: from[call], kind: asked(kind[call]), at: began[call] };
}
