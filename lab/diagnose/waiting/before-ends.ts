/**
 * What the log of a service says before its process ends: the error that it ended of, where a line of its last ones tells one, and else its last line.
 */

import { grouped } from '../../base/values.ts';
import type { LogWords, Template } from './logs.ts';
import { withoutMasks } from './logs.ts';
import type { Why } from './step.ts';
import type { Worded } from './writing.ts';
import { tell } from './writing.ts';

type Written = { t: number; template: Template };

export type LastWords = {
	/** of the line, as it is shown */
	text: string;
	/** before which it was written */
	ends: number;
	/** it tells of an error; else it was only the last */
	isError: boolean;
	/** of one that nobody caught */
	isUncaught: boolean;
};

/** Before its end, and after: the engine takes a line a moment after it was written. */
const LAST_S = 2;
const LATE_S = 0.2;
/** A runtime writes all of an error at once; what was written so long before the last line is of something else. */
const TOGETHER_S = 0.5;
/** Of the times that a line was written, so many are before an end. */
const MOST = 0.5;
/** What was thrown, by its name and message, at the beginning of a line; and a name with its packages before it. */
const NAMED = /^(?:[\w$.\\:]*(?:Error|Exception)(?:: \S| \[|$)|[a-z_]\w*(?:\.\w+)*\.[A-Z]\w+(?::\s|$))/;
/** Words of an error in any program's line. */
const ERROR =
	/\b(?:error|exception|panic|fatal|critical|emerg|alert|crash(?:ed|ing)?|abort(?:ed|ing)?|failed|cannot|can't|unable|not found|denied)\b/i;

/**
 * @param ends seconds since 1970
 * @returns null where it said nothing then that it does not say at other times
 */
export function beforeEnds(templates: Template[], ends: number[], uncaughtIn: LogWords['uncaughtIn']): LastWords | null {
	const isNear = (t: number) => ends.some((at) => t >= at - LAST_S && t <= at + LATE_S);
	const own = templates.filter(({ times, text }) => {
		const near = times.filter(isNear).length;
		return near > 0 && (near === times.length || (uncaughtIn(text) !== null && near >= times.length * MOST));
	});
	const errors = ends.flatMap((at) => errorBefore(writtenBefore(own, at), uncaughtIn) ?? []);
	const [most] = [...grouped(errors, ({ text }) => text).values()].toSorted((one, other) => other.length - one.length);
	if (most !== undefined) return { ...most[0], ends: most.length, isError: true };
	const [last] = own.toSorted((one, other) => lastOf(other) - lastOf(one));
	return last === undefined
		? null
		: { text: shown(last), ends: ends.filter((at) => writtenBefore([last], at).length > 0).length, isError: false, isUncaught: false };
}

const shown = ({ quote }: Template) => withoutMasks(quote);

const lastOf = ({ times }: Template) => times.at(-1) as number;

/**
 * What was written together with the last before an end.
 * @returns in the order of time
 */
function writtenBefore(own: Template[], at: number): Written[] {
	const written = own
		.flatMap((template) => template.times.filter((t) => t >= at - LAST_S && t <= at + LATE_S).map((t) => ({ t, template })))
		.toSorted((one, other) => one.t - other.t);
	const until = written.at(-1)?.t ?? 0;
	return written.filter(({ t }) => t >= until - TOGETHER_S);
}

/** Of several errors the first: what follows tells where it came from, or that of it others came. */
function errorBefore(written: Written[], uncaughtIn: LogWords['uncaughtIn']): { text: string; isUncaught: boolean } | null {
	const lines = written.map(({ template }) => template);
	const at = lines.findIndex(({ text }) => uncaughtIn(text) !== null);
	if (at >= 0) {
		const isHead = uncaughtIn(lines[at].text)?.isHead === true && lines[at + 1] !== undefined;
		return { text: isHead ? `${shown(lines[at])} ${shown(lines[at + 1])}` : shown(lines[at]), isUncaught: true };
	}
	const thrown = lines.find(({ text, thrown: error }) => NAMED.test(text) || error !== null);
	// A runtime says last that its process ended of it.
	if (thrown) return { text: shown(thrown), isUncaught: lines.some(({ phrase }) => phrase?.cause === 'worker-crashed') };
	const line = lines.find(({ text, phrase }) => phrase === null && ERROR.test(text)) ?? lines.find(({ phrase }) => phrase !== null);
	return line === undefined ? null : { text: shown(line), isUncaught: false };
}

/**
 * @param ends in all
 * @returns a sentence
 */
export function lastWordsText({ text, ends: before, isError, isUncaught }: LastWords, ends: number): string {
	const when = ends === 1 ? 'before it ended' : `before ${before === ends ? `each of its ${ends}` : `${before} of its ${ends}`} ends`;
	if (!isError) return `The last that its log says ${when}: “${text}”.`;
	return isUncaught ? `Of an error that nobody caught its log says ${when}: “${text}”.` : `Its log tells of an error ${when}: “${text}”.`;
}

/**
 * @param ends in all
 * @param times how often it ended, and for how long
 * @returns a title; null where its words are of no error, or of few of its ends
 */
export function endedOf(
	{ text, ends: before, isError, isUncaught }: LastWords,
	ends: number,
	times: Why['times'] = { count: 1, back_s: null },
): Worded | null {
	if (!isError || before < ends * MOST) return null;
	const quote = text.length > TITLE_MOST ? `${text.slice(0, TITLE_MOST)}…` : text.replace(/[.:]$/, '');
	return tell('gone', 'title', { ...times, quote, isUncaught });
}
/** Letters of a line that a title has. */
const TITLE_MOST = 120;
