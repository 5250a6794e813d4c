/**
 * Whether lines of a log stand one to one with calls that failed: one for each when it is over, or as many for each while it goes on, as of who
 * logs an error twice or tries again. Good calls must not have them as well. Pure.
 */

import { upTo } from '../../stats/numbers.ts';

/** calls, in the order of their ends */
export type Ends = {
	/** seconds since 1970 */
	began: ArrayLike<number>;
	over: ArrayLike<number>;
};

export type Matched = {
	/** from the first end to the last */
	lines: number;
	/** for each of the calls */
	each: number;
};

/** A line about a failure comes when the failure ends. The lab's own choice: what logger and engine may delay it by. */
export const NEAR_S = 0.5;
/** Of lines and of failed calls, so that there is one for each: engines drop lines, and some calls end as the log does. */
export const ONE_TO_ONE_SHARE = 0.9;
/** Fewer failures pair with lines by chance. */
const FAILURES_LEAST = 5;
/** Of lines to failed calls: what is written more often is written for good ones too, if there were any. */
export const EACH_MOST = 4;
/** Of lines that may be of good calls by their number, so many must stand nearer to failed ones: by chance it were half. */
const NEARER_SHARE = 0.6;
/** Most lines come as soon; and of the failed calls, so many have as many as the others. */
const SOON_S = 0.05;
const EXACT_SHARE = 0.8;

/**
 * @param times of the lines, in their order
 * @param good sets of calls that went well, of which a line may be instead, or as well
 */
export function matchedLines(times: ArrayLike<number>, failed: Ends, good: Ends[] = []): Matched | null {
	const count = failed.over.length;
	if (count < FAILURES_LEAST) return null;
	const span = { from: failed.over[0] - NEAR_S, to: failed.over[count - 1] + NEAR_S };
	const lines = countIn(times, span.from, span.to);
	const each = Math.round(lines / count);
	const isMatched = each === 1 ? isOneForEach(times, failed.over, lines) : isSeveralForEach(times, failed, each, lines);
	if (!isMatched) return null;
	return good.some((ends) => isOfGood(times, lines, { failed, each, good: ends, span })) ? null : { lines, each };
}

/**
 * One for each, at its end.
 * @param lines from the first end to the last
 */
export function isOneForEach(
	times: ArrayLike<number>,
	overs: ArrayLike<number>,
	lines: number = countIn(times, overs[0] - NEAR_S, overs[overs.length - 1] + NEAR_S),
) {
	if (overs.length < FAILURES_LEAST || !isAbout(lines, overs.length)) return false;
	return pairs(times, overs) >= ONE_TO_ONE_SHARE * Math.max(lines, overs.length);
}

/**
 * So many of them come in pairs, each at most so far apart as a line may be late.
 * @param times in their order
 * @param overs in their order
 */
export function pairs(times: ArrayLike<number>, overs: ArrayLike<number>) {
	let [count, at] = [0, 0];
	for (let index = 0; index < overs.length && at < times.length; index += 1) {
		while (at < times.length && times[at] < overs[index] - NEAR_S) at += 1;
		if (at < times.length && times[at] <= overs[index] + NEAR_S) {
			count += 1;
			at += 1;
		}
	}
	return count;
}

/**
 * As many lines lie at the end of each, as of who logs it twice, or in its life, as of who tries again: just as many, since of others that come as
 * often some have more and some fewer.
 * @param lines from the first end to the last
 */
function isSeveralForEach(times: ArrayLike<number>, { began, over }: Ends, each: number, lines: number) {
	if (each < 2 || each > EACH_MOST) return false;
	const count = over.length;
	const from = Array.from(began).reduce((first, at) => Math.min(first, at), Number.POSITIVE_INFINITY) - SOON_S;
	if (![lines, countIn(times, from, over[count - 1] + SOON_S)].some((all) => isAbout(all, each * count))) return false;
	const exact = (begins: ArrayLike<number>) =>
		Array.from(over).filter((at, call) => countIn(times, begins[call] - SOON_S, at + SOON_S) === each).length;
	return [over, began].some((begins) => exact(begins) >= EXACT_SHARE * count);
}

/**
 * Whether the lines may as well be of calls that went well: by their number they are of all calls, or of the good ones alone. Where that fits them as
 * well as that they are of the failed, the nearer ends tell.
 */
function isOfGood(
	times: ArrayLike<number>,
	lines: number,
	{ failed, each, good, span }: { failed: Ends; each: number; good: Ends; span: { from: number; to: number } },
) {
	const [from, to] = [upTo(good.over, span.from), upTo(good.over, span.to)];
	const [bad, well] = [failed.over.length, to - from];
	if (well < FAILURES_LEAST) return false;
	const isMultiple = (calls: number) => isAbout(lines, Math.max(1, Math.round(lines / calls)) * calls);
	// Of a few good ones beside many that failed the number alone tells.
	if (each === 1 && Math.abs(lines - bad - well) < Math.abs(lines - bad)) return true;
	const isOpen = isMultiple(well) || (each > 1 && isMultiple(bad + well));
	return isOpen && nearerShare(times, failed.over, good.over, span) < (each === 1 ? NEARER_SHARE : EXACT_SHARE);
}

/** Lines that stand nearer to the end of a failed call than to that of a good one. */
function nearerShare(
	times: ArrayLike<number>,
	failed: ArrayLike<number>,
	good: ArrayLike<number>,
	{ from, to }: { from: number; to: number },
) {
	const [first, last] = [upTo(times, from), upTo(times, to)];
	let nearer = 0;
	for (let index = first; index < last; index += 1) if (distance(failed, times[index]) < distance(good, times[index])) nearer += 1;
	return last === first ? 0 : nearer / (last - first);
}

/** @param overs in their order */
function distance(overs: ArrayLike<number>, t: number) {
	const at = upTo(overs, t);
	return Math.min(at > 0 ? t - overs[at - 1] : Number.POSITIVE_INFINITY, at < overs.length ? overs[at] - t : Number.POSITIVE_INFINITY);
}

const isAbout = (one: number, other: number) => Math.min(one, other) >= ONE_TO_ONE_SHARE * Math.max(one, other);

const countIn = (times: ArrayLike<number>, from: number, to: number) => upTo(times, to) - upTo(times, from);
