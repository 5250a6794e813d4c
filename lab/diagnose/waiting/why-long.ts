/**
 * Were they longer than what it takes? Servers have a limit for the line of a request and its headers, and one for its body; what an answer's own
 * text says of that is not on record, but how long each request was is.
 */

import { share } from './spread.ts';
import type { Of } from './step.ts';
import { counted, ended } from './text.ts';

/**
 * Answers of a client's mistake that a length may be: the first is given for all sorts of mistakes, the others say it.
 * https://www.rfc-editor.org/rfc/rfc9110#section-15.5 and https://www.rfc-editor.org/rfc/rfc6585#section-5
 */
const REFUSALS: Record<string, string> = { 400: '', 413: 'content too large', 414: 'URI too long', 431: 'request header fields too large' };
/** They have no body, so that all that is sent is their line and their headers. */
const BODILESS = new Set(['GET', 'HEAD']);
/** Of the failed: another mistake may be among them. */
const LONGER_SHARE = 0.98;
/** Of either: there are 184,756 ways to part 20 in two. */
const COMPARED_LEAST = 10;
/** What is shorter is nowhere too long: servers take some kilobytes of a line or a header at least. A value that is refused may be longer than others too. */
const LIMIT_LEAST = 1024;

/**
 * @returns meaning: of the status, empty where that says it by itself; text: goes on
 * after how they were answered; null of any other answer
 */
export function refusedForLength(
	step: Of<'failed' | 'good' | 'seen' | 'service' | 'sign'>,
): { meaning: string; text: string; evidence: string[] } | null {
	if (!Object.hasOwn(REFUSALS, step.sign)) return null;
	const meaning = REFUSALS[step.sign];
	const parted = lengthsOf(step);
	if (meaning === '' && parted === null) return null;
	return { meaning, text: parted?.text ?? '', evidence: parted?.evidence ?? [] };
}

/** A length that parts the failed from all good ones. */
function lengthsOf({
	seen,
	service,
	failed,
	good,
	sign,
}: Of<'failed' | 'good' | 'seen' | 'service' | 'sign'>): { text: string; evidence: string[] } | null {
	if (Math.min(failed.length, good.length) < COMPARED_LEAST) return null;
	const lengthOf = (call: number) => seen.calls[call].sent_bytes;
	const most = good.reduce((longest, call) => Math.max(longest, lengthOf(call)), 0);
	const longer = failed.filter((call) => lengthOf(call) > most);
	const least = longer.reduce((shortest, call) => Math.min(shortest, lengthOf(call)), Number.POSITIVE_INFINITY);
	if (share(longer.length, failed.length) < LONGER_SHARE || least < LIMIT_LEAST) return null;
	const what = failed.every((call) => BODILESS.has(seen.calls[call].verb)) ? 'with a line and headers of' : 'of';
	return {
		text: ` to requests ${what} ${counted(least)} bytes and more`,
		evidence: [
			`${service} ${ended(sign)} to ${counted(longer.length)} of ${counted(failed.length)} requests ${what} ${counted(least)} bytes and more. The longest of ${counted(good.length)} that it answered well had ${counted(most)}.`,
			`If it has a limit for their length, that lies between ${counted(most)} and ${counted(least)} bytes.`,
		],
	};
}
