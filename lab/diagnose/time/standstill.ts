/**
 * Whether the system stood still: for a time that is long by what is usual in this load users went on asking, and nobody was answered well.
 *
 * How long is long has no number of seconds. What is usual is read from the rest of the load: how much of it passed for each good answer, half
 * of the time. So a load of one request in five seconds does not stand still in between, and in one of a thousand a second three seconds are
 * an age. Where the load was smaller, as at the begin of a ramp, as much less is expected of it. A load that is over asks nothing.
 */

import { loadDuration } from '../../../k6/lib/shapes.js';
import { inWords } from '../../base/values.ts';
import type { FaultEffect, Onset } from '../../record/types.js';
import { count, many } from '../../stats/figure-words.ts';
import { median, sum } from '../../stats/numbers.ts';
import type { Facts } from '../ledger/facts.ts';
import { SUSTAINED_S } from '../limits/saturations.ts';
import type { AskedSecond } from './seconds.ts';

export type { AskedSecond };

/** seconds of the load: from the last good answer before it to the first one after it */
type StandstillInterval = { from_s: number; to_s: number };

export type Standstill = {
	/** nobody was ever answered well; from the last interval on nobody was; after each somebody was */
	kind: 'never' | 'stopped' | 'came-back';
	/** in the order of time */
	intervals: StandstillInterval[];
	/** of the load */
	end_s: number;
};

/** That the time would have had. Of answers that come by chance one gap in e^10 = 22,000 is as long (Poisson). */
const ANSWERS_LEAST = 10;

/**
 * @param seconds in the order of time, those after the load's end too
 * @returns null where it did not, or the record does not tell
 */
export function standstillOf({ raw, window }: Pick<Facts, 'raw' | 'window'>, seconds: AskedSecond[] | null): Standstill | null {
	if (seconds === null) return null;
	const end_s = Math.floor(Math.min(window.to - window.from, loadDuration(raw.manifest.shape)));
	const load = seconds.filter(({ t_s }) => t_s <= end_s);
	if (seconds.every(({ good }) => good === 0))
		return askedIn(load) > 0 ? { kind: 'never', intervals: [{ from_s: 0, to_s: end_s }], end_s } : null;
	const stood = standing(silencesIn(load), load);
	if (stood.length === 0) return null;
	const intervals = stood.map((silence) => intervalOf(silence, seconds, end_s)).toSorted((one, other) => one.from_s - other.from_s);
	const [{ from_s: last }] = intervals.slice(-1);
	return { kind: seconds.some(({ t_s, good }) => good > 0 && t_s > last) ? 'came-back' : 'stopped', intervals, end_s };
}

/** @returns in some of it */
export const stoodIn = (standstill: Standstill | null | undefined, span: { from_s: number; to_s: number }): boolean =>
	standstill?.intervals.some(({ from_s, to_s }) => from_s < span.to_s && to_s > span.from_s) ?? false;

/** From which it did not come back, else the first of the longest. */
export function onsetInterval({ kind, intervals }: Standstill): StandstillInterval {
	const byLength = intervals.toSorted((one, other) => other.to_s - other.from_s - (one.to_s - one.from_s));
	return kind === 'came-back' ? byLength[0] : intervals[intervals.length - 1];
}

/** Seconds in a row in which somebody was there and nobody was answered well. */
function silencesIn(load: AskedSecond[]) {
	const silences = [] as AskedSecond[][];
	let isSilent = false;
	for (const second of load) {
		const wasSilent = isSilent;
		isSilent = second.good === 0 && second.demand > 0;
		if (isSilent && wasSilent) silences[silences.length - 1].push(second);
		else if (isSilent) silences.push([second]);
	}
	return silences;
}

/** The longest first, each by the load without those before it: else two of them would make each other usual. */
function standing(silences: AskedSecond[][], load: AskedSecond[]) {
	const perAnswer = new Map(load.map((second) => [second, second.demand / second.good]));
	for (const silence of silences) for (const second of silence) perAnswer.set(second, demandIn(silence));
	const stood = [] as AskedSecond[][];
	for (const silence of silences.filter(isWaitedFor).toSorted((one, other) => demandIn(other) - demandIn(one))) {
		for (const second of silence) perAnswer.delete(second);
		if (demandIn(silence) >= (median([...perAnswer.values()]) ?? 0) * ANSWERS_LEAST) stood.push(silence);
		else for (const second of silence) perAnswer.set(second, demandIn(silence));
	}
	return stood;
}

/** Users who think all at once are no silence of the system: in it as many failed or waited as are to be missed, or all who were there. */
const isWaitedFor = (silence: AskedSecond[]) =>
	silence.length >= SUSTAINED_S && askedIn(silence) >= Math.min(ANSWERS_LEAST, Math.max(1, ...silence.map(({ users }) => users)));

/** Requests that failed in it or waited at its end. */
const askedIn = (seconds: AskedSecond[]) => sum(seconds.map(({ failed }) => failed)) + (seconds.at(-1)?.waiting ?? 0);

const demandIn = (seconds: AskedSecond[]) => sum(seconds.map(({ demand }) => demand));

function intervalOf(silence: AskedSecond[], seconds: AskedSecond[], end_s: number): StandstillInterval {
	const [from, last] = [silence[0].t_s - 1, silence[silence.length - 1].t_s];
	const next = seconds.find(({ t_s }) => t_s > last);
	if (next !== undefined && next.t_s <= end_s) return { from_s: from, to_s: next.good > 0 ? next.t_s - 1 : last };
	// Beyond the load's end nobody asks, but whoever waits may be answered.
	const answered = seconds.find(({ t_s, good }) => t_s > last && good > 0);
	return { from_s: from, to_s: answered ? answered.t_s - 1 : end_s };
}

/**
 * When the system stopped, in a sentence: what a reader has to know first, for who waits makes few requests, and a share of them hides a death.
 *
 */

/** That a sentence names; the picture has all. */
const INTERVALS_NAMED = 3;
/** Before the last good answer: what was under way comes back yet when the system behind it is gone. */
const FAULT_BEFORE_S = 10;

export function onsetOf(
	standstill: Standstill | null,
	{ failures, faults = [] }: { failures: number; faults?: Pick<FaultEffect, 'text' | 'began_s' | 'ended_s'>[] },
): Onset | null {
	if (standstill === null) return null;
	const { kind } = standstill;
	const { from_s: from, to_s: to } = onsetInterval(standstill);
	const after = afterwards(standstill);
	const stood = `${stoodText(standstill, failures > 0)}${after === '' ? '' : `${kind === 'stopped' ? ':' : ';'} ${after}`}.`;
	const text = [stood, ...beganAround(from, faults)].join(' ');
	return { kind, from_s: from, to_s: kind === 'came-back' ? to : null, text };
}

/**
 * @param isFailing some requests failed; else all were answered well in the end
 * @returns a sentence without its end
 */
export function stoodText({ kind, intervals }: Standstill, isFailing: boolean): string {
	const nobody = isFailing ? 'no request succeeded' : 'no response came';
	if (kind === 'never') return `N${nobody.slice(1)}`;
	if (kind === 'stopped') {
		const before = intervals.slice(0, -1);
		const from = `From second ${count(intervals[intervals.length - 1].from_s)} on`;
		return before.length === 0 ? `${from} ${nobody}` : `${from} ${nobody}, nor from second ${listed(before)}`;
	}
	const [{ from_s: from, to_s: to }] = intervals;
	if (intervals.length === 1 && from === 0) return `Until second ${count(to)} ${nobody}`;
	return `From second ${listed(intervals)} ${nobody}`;
}

/** sentences */
const beganAround: (moment: number, faults: Pick<FaultEffect, 'text' | 'began_s' | 'ended_s'>[]) => string[] = (moment, faults) =>
	faults.filter(isAround(moment)).map(({ text, began_s: at }) => `The fault "${text}" began at second ${count(Math.round(at ?? 0))}.`);

/**
 * What became of it, for who knows already that the system stopped.
 * @returns sentences, or none
 */
export function afterStop(standstill: Standstill | null, faults: Pick<FaultEffect, 'text' | 'began_s' | 'ended_s'>[]): string {
	if (standstill === null) return '';
	const after = afterwards(standstill);
	const said = after === '' ? [] : [`${after.charAt(0).toUpperCase()}${after.slice(1)}.`];
	return [...said, ...beganAround(onsetInterval(standstill).from_s, faults)].join(' ');
}

/** @returns a clause, or none */
function afterwards({ kind, intervals, end_s: end }: Standstill): string {
	if (kind === 'stopped')
		return `requests did not succeed again in the ${many(end - intervals[intervals.length - 1].from_s, 'second')} until the load ended`;
	if (kind === 'never' || (intervals.length === 1 && intervals[0].from_s === 0)) return '';
	return intervals.length === 1 ? 'then requests succeeded again' : 'after each of these, requests succeeded again';
}

/** The longest, as they came: `20 to 31 and 40 to 45`. */
function listed(intervals: Standstill['intervals']) {
	const lengthOf = ({ from_s: from, to_s: to }: Standstill['intervals'][number]) => to - from;
	const longest = intervals.toSorted((one, other) => lengthOf(other) - lengthOf(one)).slice(0, INTERVALS_NAMED);
	const texts = longest
		.toSorted((one, other) => one.from_s - other.from_s)
		.map(({ from_s: from, to_s: to }) => `${count(from)} to ${count(to)}`);
	const rest = intervals.length - longest.length;
	return inWords(rest > 0 ? [...texts, `${many(rest, 'more time')}`] : texts);
}

/** There at that moment, or shortly before. */
const isAround: (moment: number) => (fault: Pick<FaultEffect, 'began_s' | 'ended_s'>) => boolean =
	(moment) =>
	({ began_s: began, ended_s: ended }) =>
		began !== null && Math.floor(began) <= moment && (ended ?? Number.POSITIVE_INFINITY) >= moment - FAULT_BEFORE_S;
