/**
 * Whether the system stood still: for a time that is long by what is usual in this load users went on asking, and nobody was answered well.
 *
 * How long is long has no number of seconds. What is usual is read from the rest of the load: how much of it passed for each good answer, half
 * of the time. So a load of one request in five seconds does not stand still in between, and in one of a thousand a second three seconds are
 * an age. Where the load was smaller, as at the begin of a ramp, as much less is expected of it. A load that is over asks nothing.
 *
 * @typedef {import('./seconds.ts').AskedSecond} AskedSecond
 * @typedef {{ from_s: number, to_s: number }} StandstillInterval  seconds of the load: from the last good answer before it to the first one after it
 *
 * @typedef {object} Standstill
 * @property {'never' | 'stopped' | 'came-back'} kind  nobody was ever answered well; from the last interval on nobody was; after each somebody was
 * @property {StandstillInterval[]} intervals  in the order of time
 * @property {number} end_s         of the load
 *
 * @import { FaultEffect, Onset } from '../../record/types.js'
 * @import { Facts } from '../ledger/facts.ts'
 */

import { loadDuration } from '../../../k6/lib/shapes.js';
import { count, many } from '../../stats/figure-words.ts';
import { median, sum } from '../../stats/numbers.ts';
import { SUSTAINED_S } from '../limits/saturations.ts';

/** That the time would have had. Of answers that come by chance one gap in e^10 = 22,000 is as long (Poisson). */
const ANSWERS_LEAST = 10;

/**
 * @param {Pick<Facts, 'raw' | 'window'>} facts
 * @param {AskedSecond[] | null} seconds  in the order of time, those after the load's end too
 * @returns {Standstill | null} null where it did not, or the record does not tell
 */
export function standstillOf({ raw, window }, seconds) {
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

/** @param {Standstill | null | undefined} standstill @param {{ from_s: number, to_s: number }} span @returns {boolean} in some of it */
export const stoodIn = (standstill, span) =>
	standstill?.intervals.some(({ from_s, to_s }) => from_s < span.to_s && to_s > span.from_s) ?? false;

/** From which it did not come back, else the first of the longest. @param {Standstill} standstill @returns {StandstillInterval} */
export function onsetInterval({ kind, intervals }) {
	const byLength = intervals.toSorted((one, other) => other.to_s - other.from_s - (one.to_s - one.from_s));
	return kind === 'came-back' ? byLength[0] : intervals[intervals.length - 1];
}

/** Seconds in a row in which somebody was there and nobody was answered well. @param {AskedSecond[]} load */
function silencesIn(load) {
	const silences = /** @type {AskedSecond[][]} */ ([]);
	let isSilent = false;
	for (const second of load) {
		const wasSilent = isSilent;
		isSilent = second.good === 0 && second.demand > 0;
		if (isSilent && wasSilent) silences[silences.length - 1].push(second);
		else if (isSilent) silences.push([second]);
	}
	return silences;
}

/** The longest first, each by the load without those before it: else two of them would make each other usual. @param {AskedSecond[][]} silences @param {AskedSecond[]} load */
function standing(silences, load) {
	const perAnswer = new Map(load.map((second) => [second, second.demand / second.good]));
	for (const silence of silences) for (const second of silence) perAnswer.set(second, demandIn(silence));
	const stood = /** @type {AskedSecond[][]} */ ([]);
	for (const silence of silences.filter(isWaitedFor).toSorted((one, other) => demandIn(other) - demandIn(one))) {
		for (const second of silence) perAnswer.delete(second);
		if (demandIn(silence) >= (median([...perAnswer.values()]) ?? 0) * ANSWERS_LEAST) stood.push(silence);
		else for (const second of silence) perAnswer.set(second, demandIn(silence));
	}
	return stood;
}

/**
 * Users who think all at once are no silence of the system: in it as many failed or waited as are to be missed, or all who were there.
 * @param {AskedSecond[]} silence
 */
const isWaitedFor = (silence) =>
	silence.length >= SUSTAINED_S && askedIn(silence) >= Math.min(ANSWERS_LEAST, Math.max(1, ...silence.map(({ users }) => users)));

/** Requests that failed in it or waited at its end. @param {AskedSecond[]} seconds */
const askedIn = (seconds) => sum(seconds.map(({ failed }) => failed)) + (seconds.at(-1)?.waiting ?? 0);

/** @param {AskedSecond[]} seconds */
const demandIn = (seconds) => sum(seconds.map(({ demand }) => demand));

/** @type {(silence: AskedSecond[], seconds: AskedSecond[], end_s: number) => StandstillInterval} */
function intervalOf(silence, seconds, end_s) {
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
/** Before the last good answer: what was under way comes back yet when the system behind it is gone. The lab's own choice. */
const FAULT_BEFORE_S = 10;

/**
 * @param {Standstill | null} standstill
 * @param {{ failures: number, faults?: Pick<FaultEffect, 'text' | 'began_s' | 'ended_s'>[] }} about
 * @returns {Onset | null}
 */
export function onsetOf(standstill, { failures, faults = [] }) {
	if (standstill === null) return null;
	const { kind } = standstill;
	const { from_s: from, to_s: to } = onsetInterval(standstill);
	const after = afterwards(standstill);
	const stood = `${stoodText(standstill, failures > 0)}${after === '' ? '' : `${kind === 'stopped' ? ':' : ';'} ${after}`}.`;
	const text = [stood, ...beganAround(from, faults)].join(' ');
	return { kind, from_s: from, to_s: kind === 'came-back' ? to : null, text };
}

/**
 * @param {Standstill} standstill
 * @param {boolean} isFailing  some requests failed; else all were answered well in the end
 * @returns {string} a sentence without its end
 */
export function stoodText({ kind, intervals }, isFailing) {
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

/** @type {(moment: number, faults: Pick<FaultEffect, 'text' | 'began_s' | 'ended_s'>[]) => string[]} sentences */
const beganAround = (moment, faults) =>
	faults.filter(isAround(moment)).map(({ text, began_s: at }) => `"${text}" began at second ${count(Math.round(at ?? 0))}.`);

/**
 * What became of it, for who knows already that the system stopped.
 * @param {Standstill | null} standstill
 * @param {Pick<FaultEffect, 'text' | 'began_s' | 'ended_s'>[]} faults
 * @returns {string} sentences, or none
 */
export function afterStop(standstill, faults) {
	if (standstill === null) return '';
	const after = afterwards(standstill);
	const said = after === '' ? [] : [`${after.charAt(0).toUpperCase()}${after.slice(1)}.`];
	return [...said, ...beganAround(onsetInterval(standstill).from_s, faults)].join(' ');
}

/** @param {Standstill} standstill @returns {string} a clause, or none */
function afterwards({ kind, intervals, end_s: end }) {
	if (kind === 'stopped')
		return `service did not come back in the ${many(end - intervals[intervals.length - 1].from_s, 'second')} until the load ended`;
	if (kind === 'never' || (intervals.length === 1 && intervals[0].from_s === 0)) return '';
	return intervals.length === 1 ? 'then service came back' : 'each time service came back';
}

/** The longest, as they came: `20 to 31 and 40 to 45`. @param {Standstill['intervals']} intervals */
function listed(intervals) {
	const lengthOf = (/** @type {Standstill['intervals'][number]} */ { from_s: from, to_s: to }) => to - from;
	const longest = intervals.toSorted((one, other) => lengthOf(other) - lengthOf(one)).slice(0, INTERVALS_NAMED);
	const texts = longest
		.toSorted((one, other) => one.from_s - other.from_s)
		.map(({ from_s: from, to_s: to }) => `${count(from)} to ${count(to)}`);
	const rest = intervals.length - longest.length;
	const named = rest > 0 ? [...texts, `${many(rest, 'more time')}`] : texts;
	return named.length === 1 ? named[0] : `${named.slice(0, -1).join(', ')} and ${named[named.length - 1]}`;
}

/** There at that moment, or shortly before. @type {(moment: number) => (fault: Pick<FaultEffect, 'began_s' | 'ended_s'>) => boolean} */
const isAround =
	(moment) =>
	({ began_s: began, ended_s: ended }) =>
		began !== null && Math.floor(began) <= moment && (ended ?? Number.POSITIVE_INFINITY) >= moment - FAULT_BEFORE_S;
