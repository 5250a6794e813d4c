/**
 * Times in which a service was not there or paused, as the engine has them; which requests were lost to one, and how such times are told. Pure.
 */

import type { Mechanism } from '../../record/causes.ts';
import { some } from '../joins/grouped.ts';
import type { Absence } from './readings.ts';
import { GOOD } from './seen.ts';
import { kindsOf, middle, mostFirst, share, spread } from './spread.ts';
import type { Step, Why } from './step.ts';
import { counted, few, seconds, things } from './text.ts';

/** of an absence, seconds since 1970 */
export type Span = {
	/** as the engine has it */
	away: Absence;
	/** as long before its beginning as the engine may tell of that late */
	from: number;
	/** what it had kept waiting was through, or its program served again */
	to: number;
};

/** The engine tells of an end a moment after it. */
const REPORTED_LATE_S = 0.5;
/** Of calls of the same kinds beside an absence, that many fail as they do in it. */
const ALIKE_SHARE = 0.5;
/** Of such calls, so many are looked at on each side: the nearest ones tell what was so at the time. */
const BESIDE = 5;
/** Of the time that those in an absence took, which others took too that were as long under way. */
const AS_LONG = 0.8;

export const spansOf = (
	seen: Pick<Step['seen'], 'servedBy' | 'began' | 'over' | 'sign'>,
	readings: Pick<Step['readings'], 'away'>,
	service: string,
	isWanted: (away: Absence) => boolean = () => true,
): Span[] => readings.away.filter((away) => away.name === service && isWanted(away)).map((away) => spanOf(seen, away));

function spanOf(seen: Parameters<typeof spansOf>[0], away: Absence): Span {
	const from = away.from - REPORTED_LATE_S;
	if (away.how === 'killed' || !Number.isFinite(away.to)) return { away, from, to: away.to };
	const first = firstAnswer(seen, away);
	// A program that is told to start takes a while until it serves.
	if (away.how === 'ended') return { away, from, to: first ?? Math.max(away.to, away.from) };
	// One that goes on has what was kept waiting before it. That takes no longer than the pause did, unless it is asked for more than it can do.
	const through = Math.min(first ?? Number.POSITIVE_INFINITY, away.to + (away.to - away.from));
	return { away, from, to: first === null ? away.to : through };
}

/** The first good answer to what was asked since it was back. */
function firstAnswer({ servedBy, began, over, sign }: Parameters<typeof spansOf>[0], { name, to }: Absence): number | null {
	const answered = servedBy(name).filter((call) => began[call] >= to && sign[call] === GOOD);
	return answered.length === 0 ? null : answered.reduce((first, call) => Math.min(first, over[call]), Number.POSITIVE_INFINITY);
}

const overlaps = ({ began, over }: Pick<Step['seen'], 'began' | 'over'>, call: number, { from, to }: Span) =>
	began[call] <= to && over[call] >= from;

/**
 * The kernel closes what a process had open.
 * @param span of a killed process
 */
export const endedBy = ({ over }: Pick<Step['seen'], 'over'>, call: number, { away }: Span) => Math.abs(over[call] - away.from) <= KILLED_S;
/** The engine tells of a kill so long before or after it on a full machine: 0.2 s were measured. */
const KILLED_S = 0.25;

/**
 * Who was in a pause, and took much longer than the pause and a usual answer together, waited for something else.
 * @param step good: of the same kinds
 * @returns whether it was under way then, and no more of its time is to be told than an answer takes
 */
export function lostIn({ seen, good = [] }: Pick<Step, 'seen'> & Partial<Pick<Step, 'good'>>): (call: number, span: Span) => boolean {
	const { began, over } = seen;
	const usual = middle(good.map((call) => over[call] - began[call])) || 0;
	return (call, span) => {
		if (!overlaps(seen, call, span)) return false;
		if (span.away.how !== 'paused') return true;
		const inside = Math.min(over[call], span.to) - Math.max(began[call], span.from);
		return over[call] - began[call] - inside <= usual + REPORTED_LATE_S;
	};
}

/**
 * Whether those that are next to absences, and in none, fare as those in them do: they fail in the same way after as long, or wait as long, before
 * and after.
 * @param spans of one service
 * @param lost of the failed, in one of them
 */
export function isAlikeBeside({ seen, failed, good }: Pick<Step, 'seen' | 'failed' | 'good'>, spans: Span[], lost: number[]): boolean {
	const { began, over, sign, kind } = seen;
	const lasted = (call: number) => over[call] - began[call];
	const [kinds, inside] = [kindsOf(seen, lost), new Set(lost)];
	const [[usual] = ['']] = mostFirst(lost, (call) => sign[call]);
	const enough = middle(lost.map(lasted)) * AS_LONG;
	const isAsLong = (call: number) => lasted(call) >= enough;
	// What takes as long whenever it goes well was not held up.
	const isHeld = enough > HELD_TIMES * spread(good.map(lasted), QUICK_SHARE);
	const bad = new Set(failed.filter((call) => !inside.has(call) && sign[call] === usual && isAsLong(call)));
	if (bad.size === 0) return false;
	// What an absence kept waiting and was answered well tells nothing of what was so without it.
	const isApart = (call: number) => !inside.has(call) && !spans.some((span) => overlaps(seen, call, span));
	const others = [...failed, ...good].filter((call) => kinds.has(kind[call]) && (bad.has(call) || isApart(call)));
	const near = some(
		spans.filter((span) => lost.some((call) => overlaps(seen, call, span))),
		SPANS_MOST,
	).map(({ from, to }) => [
		nearest(others, (call) => from - (bad.has(call) ? began[call] : over[call])),
		nearest(others, (call) => (bad.has(call) ? over[call] : began[call]) - to),
	]);
	return [0, 1].every((side) => {
		const calls = near.flatMap((sides) => sides[side]);
		return (
			calls.length > 0 &&
			share(calls.filter((call) => bad.has(call) || (isHeld && sign[call] === GOOD && isAsLong(call))).length, calls.length) >= ALIKE_SHARE
		);
	});
}
/** Of good calls, the quick ones tell how long one takes that nothing holds up; so many times that is no usual answer. */
const QUICK_SHARE = 0.25;
const HELD_TIMES = 2;
/** More tell no more. */
const SPANS_MOST = 20;

/** @param distance seconds; less than zero: on the other side */
const nearest = (calls: number[], distance: (call: number) => number): number[] =>
	calls
		.filter((call) => distance(call) > 0)
		.toSorted((one, other) => distance(one) - distance(other))
		.slice(0, BESIDE);

export const mechanismOf = ({ how, outOfMemory }: Absence): Mechanism =>
	outOfMemory ? 'out-of-memory' : how === 'paused' ? 'paused' : 'gone';

/** When it ended by itself. */
export const endedAt = (spans: Span[]): number[] =>
	spans.flatMap(({ away: { how, outOfMemory, from } }) => (how === 'ended' && !outOfMemory ? [from] : []));

/** More are told by what they have in common. */
const SHOWN = 2;

/** @returns the same as sentences */
export const awaySentences = (spans: Span[], zero: number): string[] => awayTexts(spans, zero).map((text) => `${text}.`);

/**
 * @param spans of one kind, in the order of time
 * @param zero beginning of the load
 * @returns clauses
 */
export function awayTexts(spans: Span[], zero: number): string[] {
	if (spans.length <= SHOWN) return spans.map((span) => awayText(span, zero));
	const [[first], last] = [spans, spans.at(-1) as Span];
	const { name, how } = first.away;
	const verb = how === 'killed' ? `Processes of ${name} were killed` : how === 'paused' ? `${name} was paused` : `${name} ended`;
	const codes = [...new Set(spans.flatMap(({ away: { exitCode } }) => exitCode ?? []))];
	const coded = codes.length === 0 || how !== 'ended' ? '' : ` with exit code ${codes.join(' or ')}`;
	const memory = first.away.outOfMemory ? ', out of memory' : '';
	const times = `from second ${secondOf(first.away.from, zero)} to second ${secondOf(last.away.from, zero)}`;
	return [`${verb} ${counted(spans.length)} times${coded}${memory}, ${times}${how === 'killed' ? '' : backAgain(spans)}`];
}

/** @returns a clause behind a semicolon */
function backAgain(spans: Span[]): string {
	const again = spans.filter(({ away: { to } }) => Number.isFinite(to));
	const last = (spans.at(-1) as Span).away;
	const open = Number.isFinite(last.to) ? '' : `${again.length > 0 ? '; after the last time' : ';'} it ${notBack(last)}`;
	if (again.length === 0) return open;
	const verb = last.how === 'paused' ? 'it went on' : 'it was back';
	return `; ${verb} after ${seconds(awayFor(again))} each time (median)${servedText(again)}${open}`;
}

/**
 * How long it was away, as a median.
 * @param spans that are over
 */
const awayFor = (spans: Span[]): number => middle(spans.map(({ away: { from, to } }) => to - from));

/** @param spans that are over */
function servedText(spans: Span[]): string {
	const [{ away }] = spans;
	const later = middle(spans.map(({ away: { from }, to }) => to - from));
	return away.how === 'paused' || later <= awayFor(spans) + REPORTED_LATE_S ? '' : `, and answered well again after ${seconds(later)}`;
}

/** @returns a clause */
function awayText({ away, to }: Span, zero: number): string {
	const { name, from, how, exitCode, outOfMemory } = away;
	const at = `second ${secondOf(from, zero)}`;
	if (how === 'killed') return `A process of ${name} was killed in ${at}, out of memory`;
	const isOver = Number.isFinite(away.to);
	const back = isOver ? `second ${few(away.to - zero)}` : '';
	if (how === 'paused') return `${name} was paused in ${at}; ${isOver ? `it went on in ${back}` : `it ${notBack(away)}`}`;
	const code = outOfMemory ? ', out of memory' : exitCode === null ? '' : ` with exit code ${exitCode}`;
	const served = isOver && to > away.to + REPORTED_LATE_S ? `, and answered well again in second ${few(to - zero)}` : '';
	return `${name} ended in ${at}${code}; ${isOver ? `it was back in ${back}${served}` : `it ${notBack(away)}`}`;
}

const secondOf: (at: number, zero: number) => string = (at, zero) => few(Math.max(0, at - zero));

/** What is said of one that was away until the load had ended. */
export function notBack({ how, isRestarted, restartsMost }: Pick<Absence, 'isRestarted' | 'restartsMost'> & { how?: Absence['how'] }) {
	if (how === 'paused') return 'did not go on before the load had ended';
	if (isRestarted) return 'did not come back: its Compose file has it started again, and a run leaves an end as it is';
	if (restartsMost === undefined) return 'did not come back';
	return `did not come back: its Compose file has it started again after ${things(restartsMost, 'failure')} at most`;
}

/**
 * How often it ended, and for how long.
 * @param spans of one kind
 * @returns null of one alone, and of what is no end by itself
 */
export function timesOf(spans: Span[]): NonNullable<Why['times']> | null {
	const again = spans.filter(({ away: { to } }) => Number.isFinite(to));
	const { how, outOfMemory } = spans[0].away;
	if (spans.length === 1 || how !== 'ended' || outOfMemory) return null;
	return { count: spans.length, back_s: again.length === 0 ? null : awayFor(again) };
}
