/** Which templates of a log tell of failures, and the sentence that quotes one. */

import { grouped } from '../../base/values.ts';
import type { Mechanism } from '../../record/causes.ts';
import { sum } from '../../stats/numbers.ts';
import type { State, Template } from './logs.ts';
import { THROWN, withoutMasks } from './logs.ts';
import type { Ends, Matched } from './one-to-one.ts';
import { EACH_MOST, isOneForEach, matchedLines, ONE_TO_ONE_SHARE, pairs } from './one-to-one.ts';
import type { Seen } from './seen.ts';
import { endsOf } from './spread.ts';
import { shownTemplate } from './template.ts';
import { counted, seconds } from './text.ts';

/** what templates are compared with */
type Beside = {
	time: FailingTime;
	/** whose log it is */
	services: string[];
	/** calls that these answered badly, or not */
	bad: Ends;
	/** calls that these answered well: all, and those of the kinds that failed */
	good: Ends[];
	/** requests that these answered in failing seconds */
	during: number;
	/** in calm ones */
	still: number;
	/** the log was read as a whole */
	isComplete: boolean;
	/** failed ones of the load */
	requests: number;
	/** whether they failed there */
	isOfPlace: boolean;
};

export type Saying = {
	/** the sentence */
	text: string;
	/** that it quotes, as it is shown */
	line: string;
	/** the line's own, short enough for a heading; empty where they are not on record, or tell no more than that it failed */
	words: string;
	isOfPlace: boolean;
	/** there is one line for each failed request, at its end, or as many for each (one-to-one.ts) */
	isOneToOne: boolean;
	/** and for no other call that failed there, or for each of these */
	isOfThese: boolean;
	/** that a known phrase stands for, where its time bears it out */
	cause: Mechanism | null;
	/** its words are no known phrase, and were said while requests failed, more than once, and never in calm seconds */
	isThenAlone: boolean;
	/** it was never said before the first failure began, or ended, and just then; its words are no known phrase */
	isFirst: boolean;
	/** it was said once and held all the while */
	isState: boolean;
	/** the most telling first */
	weight: number;
};

/** When requests failed, and when all was calm, in steps: how often a thing happened in each is compared by time and by requests. */
type FailingTime = {
	/** of the failed */
	ends: Ends;
	/** the same of those that ended in one way, where there are several, the most frequent first */
	kinds: Ends[];
	/** that failed */
	first: { began: number; over: number };
	isFailing: (t: number) => boolean;
	isCalm: (t: number) => boolean;
	failing_s: number;
	calm_s: number;
};

/** As moments are asked whether they are calm (step.ts). */
const STEP_S = 0.5;

/**
 * @param failed calls, at least one
 * @param calm moments
 * @param isRead moments of which all is known that is to be compared
 * @param after_s so long after its end a failure may still be spoken of
 */
export function failingTimeOf(
	{ began, over, sign }: Seen,
	failed: number[],
	calm: number[],
	isRead: (t: number) => boolean,
	after_s: number,
): FailingTime {
	const failing = new Set();
	let until = Number.NEGATIVE_INFINITY;
	for (const call of failed.toSorted((one, other) => began[one] - began[other])) {
		const last = stepOf(over[call] + after_s);
		// Lives overlap: each step is looked at once.
		for (let step = Math.max(stepOf(began[call]), until + 1); step <= last; step += 1) if (isRead(step * STEP_S)) failing.add(step);
		until = Math.max(until, last);
	}
	const still = new Set(calm.filter(isRead).map(stepOf));
	const soonest = failed.reduce((first, call) => (over[call] < over[first] ? call : first), failed[0]);
	const known = failed.filter((call) => isRead(over[call]));
	const kinds = [...grouped(known, (call) => sign[call]).values()].toSorted((one, other) => other.length - one.length);
	return {
		ends: endsOf({ began, over }, known),
		kinds: kinds.length === 1 ? [] : kinds.map((calls) => endsOf({ began, over }, calls)),
		first: { began: began[soonest], over: over[soonest] },
		isFailing: (t) => failing.has(stepOf(t)),
		isCalm: (t) => still.has(stepOf(t)),
		failing_s: failing.size * STEP_S,
		calm_s: still.size * STEP_S,
	};
}

const stepOf = (t: number) => Math.floor(t / STEP_S);

/** Of the failed, those that ended in one way: of fewer nothing follows for the others. */
const KIND_SHARE = 0.1;
const MOST_SHARE = 0.5;
/** Against calm seconds, by time and by requests. The lab's own choice, as for slowness (step.ts). */
const LIFT_TIMES = 3;
/** Fewer lines, or fewer calm seconds, tell nothing by their rate. */
const LINES_LEAST = 3;
const CALM_LEAST_S = 5;
/** What never came up in calm seconds might have come so often by chance. */
const UNSEEN = 0.5;
/** Of words that are neither known nor speak of trouble. */
const PLAIN_LEAST = 20;
/** A single line tells if it came so long before the first failure began, or within it. */
const BEFORE_S = 5;
/** Of the failed. */
const FEW_PART = 0.1;
/** Of several, the first one, and of what is quoted in a heading. */
const FIRST_S = 1;

/** Words in which programs of any kind speak of trouble. */
const TROUBLE =
	/error|exception|fatal|critical|alert|emerg|panic|warn|fail|timed? ?out|timeout|refused|reset by|denied|exhaust|exceed|kill|full\b|too many|cannot|can't|couldn't|could not|unable|overflow|unavailable|not available|deadlock|out of |limit|reached|aborted/i;
/** Of lines as frequent, the one that names what was thrown comes first. */
const WEIGHTS = { oneToOne: 8, known: 4, lift: 2, trouble: 1, thrown: 0.5 };

/** @returns those that tell something, the most telling first */
export const sayings = (beside: Beside, templates: Template[]): Saying[] =>
	withJoined(beside, templates)
		.flatMap((template) => sayingOf(beside, template))
		.toSorted((one, other) => other.weight - one.weight);

/**
 * Lines that differ before what was thrown alone, as by what was asked, are one where there is one for each failure of them together, and not of one.
 */
function withJoined(beside: Beside, templates: Template[]): Template[] {
	const isForEach = (template: Template) => sayingOf(beside, template).some(({ isOneToOne }) => isOneToOne);
	const groups = grouped(templates, (template) => (template.phrase === null ? (template.thrown ?? template) : template));
	return [...groups.values()].flatMap((own) => {
		const [{ thrown }, ...others] = own;
		if (others.length === 0 || thrown === null || own.some(isForEach)) return own;
		const times = own.flatMap((one) => one.times).sort((one, other) => one - other);
		const text = shownTemplate(thrown);
		const joined = { text, quote: text, phrase: null, thrown, isBare: false, times };
		return isForEach(joined) ? [joined] : own;
	});
}

/** @returns none or one */
function sayingOf(beside: Beside, { text, quote, phrase, isBare, times }: Template): Saying[] {
	const { time, isOfPlace } = beside;
	// That a request failed, of which another service only heard, is no news.
	if (isBare && !isOfPlace) return [];
	const failing = times.filter(time.isFailing).length;
	const calm = times.filter(time.isCalm).length;
	const isKnown = phrase !== null;
	const isTrouble = isKnown || TROUBLE.test(text);
	const isLifted = isMoreThanCalm(beside, failing, calm, isKnown);
	const paired = isLifted || calm === 0 ? pairedIn(beside, times) : null;
	const isOneToOne = (paired?.part ?? 0) >= MOST_SHARE;
	const isEnough = paired !== null || (isLifted && (isTrouble || failing >= PLAIN_LEAST));
	const said = isEnough
		? oftenText(beside, failing, calm, paired)
		: ((isKnown && times.length > 1 ? null : firstText(beside, times, isTrouble)) ?? besideText(time, failing, isKnown));
	if (said === null) return [];
	const marks = { oneToOne: isOneToOne, known: isKnown, lift: isLifted, trouble: isTrouble, thrown: THROWN.test(text) };
	const weight = sum(Object.entries(WEIGHTS).map(([mark, weighs]) => (marks[mark as keyof typeof marks] ? weighs : 0)));
	const isOfThese = isOneToOne && (!paired?.isOfOthers || isOfEach(beside, paired));
	const isCause = isEnough && (isOfThese || isOfFailed(beside, failing));
	return [
		{
			text: `${targetOf(beside)}, ${said}: ${quoted(text, quote)}`,
			line: text,
			words: isBare ? '' : wordsIn(quote),
			isOfPlace,
			isOneToOne,
			isOfThese,
			isFirst: !isKnown && isFew(time, times) && firstText(beside, times, isTrouble) !== null && times[0] >= time.first.began - FIRST_S,
			isThenAlone: isLifted && calm === 0 && failing >= LINES_LEAST && !isKnown,
			cause: phrase && isCause ? phrase.cause : null,
			isState: false,
			weight,
		},
	];
}

/** As many as all that failed there: so few lack one that hardly any of these can. */
const isOfEach = ({ bad, time: { ends } }: Beside, { lines, each }: Matched) =>
	Math.abs(lines / each - bad.over.length) <= (1 - ONE_TO_ONE_SHARE) * ends.over.length;

const isOfFailed = ({ time: { ends }, during }: Beside, failing: number) =>
	failing <= EACH_MOST * ends.over.length || during <= ends.over.length;

/** Before what a line says: its level, its time, who wrote it, and what stands for numbers. */
const BEFORE_WORDS =
	/^(?:\s|[^\p{L}\s]+(?=\s)|\[[^\]]*\]|\p{L}*[#*]\S*|(?:trace|debug|info|notice|warn|warning|error|err|fatal|critical|crit|severe)\b[:.]?)+/iu;
/** Who ran the program and hands its words on (base/values.ts). */
const HANDING = /^.*?\b(?:(?:in|into) std(?:err|out): "|Got error ')(?=[^…])/;
const WORDS_MOST = 120;

/** As adapters write it that take out what users said. */
const NOT_KEPT = '(its text is not kept)';

/** Without who handed it on, and the quote that ends it. */
const peeled = (text: string) => (HANDING.test(text) ? text.replace(HANDING, '').replace(/["'][^"']*$/, '') : text);

/**
 * @param text of a line
 * @returns empty where they are not on record
 */
function wordsIn(text: string): string {
	if (text.includes(NOT_KEPT)) return '';
	const words = withoutMasks(peeled(text).replace(BEFORE_WORDS, '').trim() || text);
	return words.length <= WORDS_MOST ? words : `${words.slice(0, WORDS_MOST).replace(/\s+\S*$/, '')} …`;
}

/**
 * Its words, or of which kind a line is whose words are not on record.
 * @param text of a line, masked
 */
function quoted(text: string, quote: string) {
	if (!text.includes(NOT_KEPT)) return `“${withoutMasks(quote)}”`;
	const kind = text.replace(NOT_KEPT, '').replace(/^(?:\W*#)+\W*|[\s:]+$/g, '');
	return `a line${kind && ` of the kind ${kind}`}, whose text is not kept`;
}

/** By time, and by requests: more users make more lines of every kind. */
function isMoreThanCalm({ time, during, still }: Beside, failing: number, calm: number, isKnown: boolean) {
	if (time.calm_s < CALM_LEAST_S) return false;
	// What is known to be trouble, and came up in failing seconds alone.
	if (isKnown && calm === 0) return failing > 0;
	if (failing < LINES_LEAST || failing / time.failing_s < (LIFT_TIMES * (calm + UNSEEN)) / time.calm_s) return false;
	return calm === 0 || during === 0 || still === 0 || failing / during >= (LIFT_TIMES * calm) / still;
}

/**
 * Those for each of which there is one line: the failed requests, all that went badly there, or those of the failed that ended in one way.
 * @returns part: of the failed, 0 to 1;
 * isOfOthers: of all that failed there
 */
function pairedIn(
	{ time: { ends, kinds }, bad, good, services, requests }: Beside,
	times: number[],
): (Matched & { whose: string; part: number; isOfOthers?: boolean }) | null {
	const count = ends.over.length;
	const what = count === requests ? 'failed requests' : 'failed calls';
	const all = counted(count);
	const candidates = [
		{ some: ends, part: 1, whose: `${all} ${what}` },
		{ some: bad, part: 1, isOfOthers: true, whose: `all ${counted(bad.over.length)} failed calls to ${services.join(' and ')}` },
		...kinds
			.map((some) => ({ some, part: some.over.length / count, whose: `${counted(some.over.length)} of the ${all} ${what}` }))
			.filter(({ part }) => part >= KIND_SHARE),
	];
	const found = candidates.flatMap(({ some, ...about }) => {
		const matched = matchedLines(times, some, good);
		return matched === null ? [] : [{ ...about, ...matched }];
	});
	// One line for each of many, before two for each of half of them.
	return found.find(({ each }) => each === 1) ?? found[0] ?? null;
}

/**
 * A line of its log for each message that it kept: it said what it could not do with it.
 * @param begins when each was given, in the order of time
 * @returns none or a sentence
 */
export const keptSayings = (templates: Template[], begins: Float64Array): string[] =>
	templates
		.filter(({ text, times }) => isOneForEach(times, begins) || (begins.length > 0 && TROUBLE.test(text) && isEachPaired(begins, times)))
		.slice(0, 1)
		.map(
			({ quote, times }) =>
				`Its log says, ${timesText(times.length)} for ${counted(begins.length)} messages that it kept: “${withoutMasks(quote)}”`,
		);

/** Few: each has its line, and there is no other. */
const isEachPaired = (overs: Float64Array, times: number[]) => times.length === overs.length && pairs(times, overs) === overs.length;

const targetOf = ({ services, isOfPlace }: Beside) =>
	services.length > 1
		? `${isOfPlace ? 'Their logs' : `The logs of ${services.join(' and ')}`} say`
		: `${isOfPlace ? 'Its log' : `The log of ${services[0]}`} says`;

function oftenText({ time: { calm_s } }: Beside, failing: number, calm: number, paired: { lines: number; whose: string } | null) {
	if (paired) return `${timesText(paired.lines)} for ${paired.whose}`;
	return `${timesText(failing)} while requests failed, and ${calm === 0 ? 'not once' : timesText(calm)} in the ${counted(calm_s)} calm seconds`;
}

/** @returns of what was never said before, and then just before the first failure, or within it; later while requests failed, if at all */
function firstText({ time, isComplete }: Beside, times: number[], isTrouble: boolean): string | null {
	const { first } = time;
	const [t, ...later] = times;
	if (!isTrouble || !isComplete || t === undefined || t > first.over) return null;
	if (t < first.began - (later.length === 0 ? BEFORE_S : FIRST_S)) return null;
	if (later.length > 0 && !(isFew(time, times) && later.every((at) => isAround(time, at)))) return null;
	const often = later.length === 0 ? 'once' : `${timesText(times.length)}, the first`;
	return t < first.began
		? `${often}, ${seconds(first.began - t)} before the first failure began`
		: `${often}, ${seconds(first.over - t)} before the first failure ended`;
}

/** So few lines speak of what all of the failed met, and not of one after the other. */
const isFew = ({ ends }: FailingTime, times: number[]) => times.length <= FEW_PART * ends.over.length;
const isAround = ({ isFailing }: FailingTime, t: number) => isFailing(t) || isFailing(t + FIRST_S);

/** Without calm seconds there is nothing to compare with. */
const besideText = (time: FailingTime, failing: number, isKnown: boolean): string | null =>
	isKnown && failing > 0 && time.calm_s < CALM_LEAST_S
		? `${timesText(failing)} while requests failed, with no calm seconds to compare with`
		: null;

const timesText = (count: number) => (count === 1 ? 'once' : `${counted(count)} times`);

/** @param began the first of the failed */
export function stateSaying({ phrase, text, quote = text, from, to }: State, began: number): Saying {
	const when =
		from <= began
			? `${seconds(began - from)} before the first failure began`
			: `${seconds(from - began)} after the first failure had begun`;
	const since = to === Number.POSITIVE_INFINITY ? 'nothing since that it is over' : 'only later that it is over';
	return {
		text: `Its log says, once, ${when}, and ${since}: “${withoutMasks(quote)}”`,
		line: text,
		words: wordsIn(quote),
		...{ isOfPlace: true, isOneToOne: false, isOfThese: false, isThenAlone: false, isFirst: false, isState: true, cause: phrase.cause },
		weight: WEIGHTS.oneToOne + WEIGHTS.known,
	};
}
