/**
 * By what does it turn requests away? By their number: then what is in it when a request comes tells those that fail from those that go well. By what
 * had failed before: then it turns all away for a while, of whatever kind, and asks nobody.
 */

import { some } from '../joins/grouped.ts';
import { askedBy, GOOD_LEAST } from './asked.ts';
import { GOOD } from './seen.ts';
import { begunIn, CLOCK_S, Going, kindsOf, mostFirst, poolAt, share, spread } from './spread.ts';
import { besideOf, calmAt, isOwn, isTurnedAway, type Of, slownessOf, type Why } from './step.ts';
import { asked, counted, ended, few, percent, seconds, tookText } from './text.ts';
import { tell } from './writing.ts';

/** One at a time is another question. */
const NUMBER_LEAST = 2;
/** Of the failed and of the good ones, that came when so many were in it. */
const FAILED_SHARE = 0.95;
const GOOD_SHARE = 0.05;
const COMPARED_MOST = 2000;

/** It answered these at once, when so many of their kind were in it as hardly any good one of the same seconds found there. */
export function tooMany(step: Of<'failed' | 'good' | 'moments' | 'calm' | 'seen' | 'service' | 'sign' | 'time' | 'took_s'>): Why | null {
	const { seen, service, failed, sign, moments } = step;
	const beside = besideOf(step);
	if (!isOwn(step) || failed.length < GOOD_LEAST || beside.length < GOOD_LEAST) return null;
	const kinds = kindsOf(seen, failed);
	const taken = seen.servedBy(service).filter((call) => kinds.has(seen.kind[call]) && seen.sign[call] === GOOD);
	const going = new Going(taken, seen.began, seen.over);
	const inIt = (calls: number[]) => some(calls, COMPARED_MOST).map((call) => going.at(seen.began[call] - CLOCK_S));
	const [theirs, others] = [inIt(failed), inIt(beside)];
	const limit = numberOf(theirs, others);
	if (limit === null) return null;
	const { number, isOnEdge } = limit;
	const shares = (least: number) => [theirs, others].map((all) => percent(partFrom(all, least)));
	const callees = askedBy(seen, service, kinds);
	const [to] = callees.length === 1 ? callees : [];
	const pool = to === undefined ? null : poolAt(seen, service, to, moments);
	const kept = pool?.isFlat && pool.isKept && pool.total <= number ? { total: pool.total, to } : null;
	return {
		mechanism: 'turned-away',
		title: tell('turned-away', 'number', { sign, number, what: kinds.size === 1 ? asked([...kinds][0]) : 'their kind', pool: kept }),
		// A number that parts them is none: where something else says why, it is what they came with.
		besideReason: isTurnedAway(step)
			? { mechanism: 'turned-away', title: tell('turned-away', 'title', { sign }) }
			: { mechanism: 'own-error', title: tell('own-error', 'title', { sign }) },
		basis: 'counted',
		...(to === undefined ? {} : { place: { service, edge: { from: service, to } } }),
		evidence: [
			`${shares(number)[0]} of the failed came to ${service} when at least ${counted(number)} such calls were in it, and ${shares(number)[1]} of the good ones in the same seconds.`,
			...(isOnEdge ? [`When ${counted(number - 1)} or more were in it it was ${shares(number - 1).join(' and ')}.`] : []),
			...(to === undefined ? [] : [tookText(to, slownessOf(step, to))]),
		],
	};
}

/**
 * The number from which on hardly any went well; where some fail at one less, as several threads count each for itself, that is the edge.
 * @param theirs in it when each of the failed came
 * @param others of the good ones
 */
function numberOf(theirs: number[], others: number[]): { number: number; isOnEdge: boolean } | null {
	const number = spread(theirs, 1 - FAILED_SHARE);
	if (number >= NUMBER_LEAST && partFrom(others, number) <= GOOD_SHARE) return { number, isOnEdge: false };
	const next = number + 1;
	const [bad, good] = [theirs, others].map((all) => all.filter((count) => count >= next).length);
	return number >= NUMBER_LEAST && bad >= EDGE_SHARE * theirs.length && good <= GOOD_SHARE * bad ? { number: next, isOnEdge: true } : null;
}
/** Of the failed. */
const EDGE_SHARE = 0.5;

/** @returns share that is as high */
const partFrom = (counts: number[], least: number): number => share(counts.filter((count) => count >= least).length, counts.length);

/** Of a while. The lab's own choices, as are the numbers below. */
const SHUT_LEAST_S = 1;
/** Of the failed: who tries again lets some through first. */
const SHUT_SHARE = 0.75;
/** So many are turned away then; of as many, so few have a call. */
const OPEN_LEAST = 3;
const RACED_SHARE = 0.02;
/** Before it, calls that failed count for so long: breakers look back 10 s unless told otherwise. */
const BEFORE_S = 10;
const BAD_LEAST = 5;
const BAD_SHARE = 0.02;
/** Who is asked by nobody any more since most of what it was asked failed is the place itself. */
const BAD_MOST = 0.5;
/** Of that share, in calm seconds and in the rest of the time. */
const CALM_PART = 1 / 3;
const KINDS_SHOWN = 2;

/**
 * It turned everything away for a while, when some of its calls had failed before: a breaker that opens for all by what happens to some.
 */
export function shutAfter(step: Of<'calm' | 'failed' | 'path' | 'seen' | 'service' | 'sign' | 'took_s'>): Why | null {
	const { seen, service, failed, sign } = step;
	const { began, over, kind, to: toOf } = seen;
	if (!isOwn(step) || failed.length < GOOD_LEAST) return null;
	const shut = shutSpans(step);
	const inShut = failed.filter((call) => shut.some(({ from, to }) => began[call] >= from && began[call] <= to));
	if (shut.length === 0 || inShut.length < SHUT_SHARE * failed.length) return null;
	const made = seen
		.madeBy(service)
		.filter((call) => !seen.isAttempt(call) && !step.path.includes(toOf[call]) && began[call] >= seen.load.warmupFrom);
	const isBad = (call: number) => seen.sign[call] !== GOOD;
	const before = shut.map(({ from }) => made.filter((call) => over[call] >= from - BEFORE_S && over[call] <= from + CLOCK_S));
	const bad = before.map((calls) => calls.filter(isBad));
	const parts = before.map((calls, place) => share(bad[place].length, calls.length));
	const isCalm = calmAt(step.calm);
	const calm = made.filter((call) => isCalm(began[call]));
	const usual = share(calm.filter(isBad).length, calm.length);
	const [first] = parts;
	if (bad[0].length < BAD_LEAST || first < BAD_SHARE || first > BAD_MOST || usual > first * CALM_PART) return null;
	const all = [...new Set(bad.flat())];
	const rows = mostFirst(all, (call) => kind[call]);
	const callees = [...new Set(all.map((call) => toOf[call]))].sort().join(', ');
	const kinds = rows
		.slice(0, KINDS_SHOWN)
		.map(([name]) => asked(name))
		.join(', ');
	const [longest] = shut.map(({ from, to }) => to - from).toSorted((one, other) => other - one);
	const others = kindsOf(seen, inShut);
	return {
		mechanism: 'checks-failed',
		title: `turned everything away with ${sign} for up to ${seconds(longest)}, after ${percent(first)} of its calls to ${callees} had failed (${kinds})`,
		basis: 'timed',
		place: { service },
		evidence: [
			`For ${counted(shut.length)} ${shut.length === 1 ? 'while' : 'whiles'} of up to ${seconds(longest)} ${service} answered ${sign} to every request, of ${counted(others.size)} kinds, and asked hardly anybody.`,
			`In the ${BEFORE_S} s before the first ${counted(bad[0].length)} of its ${counted(before[0].length)} calls failed (${kinds} to ${callees}: ${ended(seen.sign[bad[0][0]])}), ${percent(usual)} of those in calm seconds.`,
			...(others.size > rows.length ? [`It turned away ${few(others.size)} kinds, and of ${few(rows.length)} calls had failed.`] : []),
		],
		doubts: [`that ${service} shut because of these is inferred from the time: what opens it stands in its configuration`],
	};
}

/** Whiles in which nothing that came was answered otherwise, and hardly anybody was asked. */
function shutSpans({ seen, service, sign }: Of<'failed' | 'path' | 'seen' | 'service' | 'sign'>): { from: number; to: number }[] {
	const { began, sign: signOf } = seen;
	const served = seen.servedBy(service).filter((call) => began[call] >= seen.load.from && !seen.isAttempt(call));
	const spans: { from: number; to: number; count: number }[] = [];
	let [from, to, count] = [Number.NaN, Number.NaN, 0];
	const close = () => {
		if (count >= OPEN_LEAST && to - from >= SHUT_LEAST_S) spans.push({ from, to, count });
		count = 0;
	};
	for (const call of served) {
		if (signOf[call] !== sign) close();
		else {
			if (count === 0) from = began[call];
			to = began[call];
			count += 1;
		}
	}
	close();
	const made = seen.madeBy(service).filter((call) => !seen.isAttempt(call));
	// What came as it shut was on its way.
	return spans.filter((span) => begunIn(made, [span], seen).length <= RACED_SHARE * span.count);
}
