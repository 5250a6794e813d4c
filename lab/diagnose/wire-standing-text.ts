/** What is to be seen in the picture of where requests stood, in a sentence or two: only what was counted. */

import { inWords } from '../base/values.ts';
import { count, inUnit, many, percent, significant } from '../stats/figure-words.ts';
import { median, sum } from '../stats/numbers.ts';
import { onsetInterval, type Standstill, stoodText } from './time/standstill.ts';
import type { Standing } from './waiting/standing.ts';
import type { Span } from './wire-standing.ts';

export const sumOver = (values: number[], { from, to }: Span) => sum(values.slice(from, to));

/** Requests that stood anywhere, of each step. */
export const totalsOf = ({ services, good }: Pick<Standing, 'services' | 'good'>) =>
	good.map((_, at) => services.reduce((sum, { standing }) => sum + standing[at], 0));

/** From here on requests are told one by one. */
const SOME = 0.5;
/** Of what stood: one place that has it is named alone. */
const MOST_SHARE = 0.5;
const NOBODY = 'hardly any request was waiting';
/** Places that are named where none has most. */
const NAMED_MOST = 3;

/** An answer that comes sooner seems to come at once (Nielsen, Usability Engineering, 1993, 5.5). */
const AT_ONCE_S = 0.1;
/** Below it a time in milliseconds would be written as none. */
const AT_ONCE_MS = 0.5;

/**
 * @param worst ten seconds
 * @param reported by the generator's record
 */
export function standingText(
	standing: Standing,
	worst: Span,
	{
		asked,
		counted,
		failedAfter_s,
		standstill,
	}: {
		/** requests that its users wrote down, however often each was sent */
		asked: number;
		/** requests that it counted itself; null where it did not say */
		counted: number | null;
		/** how long each request that failed was waited for; empty where that is not known */
		failedAfter_s: number[];
		standstill: Standstill | null;
	},
): string {
	const { step_s: step, good, failed } = standing;
	const [lost, all] = [sum(failed), sum(failed) + sum(good)];
	if (all === 0 && sum(totalsOf(standing)) === 0) return 'The record has no readable request.';
	if (lost === 0) {
		const well = `All ${sentWords(Math.round(all), asked, counted)} succeeded`;
		return standstill === null ? `${well}. ${calmText(standing)}` : `${stoodWhere(standing, standstill, false)}. ${well} in the end.`;
	}
	const share = `${percent(lost / all)} of ${sentWords(Math.round(all), asked, counted)} failed`;
	const what = standstill === null ? share : stoodText(standstill, true);
	const after = median(failedAfter_s);
	// Where those that failed did not wait, others did that were answered well.
	if (after !== null && after < AT_ONCE_S)
		return `${what}. Half of the failed requests ended ${after < AT_ONCE_MS / 1000 ? 'at once' : `within ${inUnit('ms', after * 1000)}`}, too soon to be seen in flight.`;
	if (standstill !== null) return `${stoodWhere(standing, standstill, true)}.`;
	return `${what}. In the worst seconds (${significant(worst.from * step)} to ${significant(worst.to * step)}), ${whereText(standing, worst)}.`;
}

/** Ends of a load are cut a little differently by each record: a total that is more by so much is one of other things. */
const MORE_SHARE = 0.01;

/**
 * A generator follows a redirect, and may send again, by itself: then its requests are fewer than what came to the entry. Of a load that was cut
 * short users did not write down their last ones, which it counted.
 */
function sentWords(sent: number, asked: number, counted: number | null) {
	if (asked === 0 || sent <= asked * (1 + MORE_SHARE)) return many(sent, 'request');
	if (sent <= Number(counted) * (1 + MORE_SHARE))
		return `${many(sent, 'call')} at the entry (the users wrote ${many(asked, 'request')} down)`;
	return `${many(sent, 'call')} at the entry for ${many(asked, 'request')} (some were redirected or sent again)`;
}

function stoodWhere(standing: Standing, standstill: Standstill, isFailing: boolean) {
	const { from_s, to_s } = onsetInterval(standstill);
	const stepAt = (second: number) => Math.min(standing.good.length, Math.round(second / standing.step_s));
	return `${stoodText(standstill, isFailing)}; ${whereText(standing, { from: stepAt(from_s), to: stepAt(to_s) })}`;
}

/** @param span whole numbers: of a request there is no half */
function whereText(standing: Standing, span: Span) {
	// At the end of a wait there are failures, and nobody waits any more.
	const steps = totalsOf(standing)
		.slice(span.from, span.to)
		.filter((total) => total >= SOME).length;
	if (steps === 0) return NOBODY;
	const means = standing.services
		.map(({ name, standing: values }) => ({ name, mean: sumOver(values, span) / steps }))
		.toSorted((one, other) => other.mean - one.mean);
	const total = sum(means.map(({ mean }) => mean));
	const [first] = means;
	const whole = (value: number) => count(Math.round(value));
	if (first.mean >= total * MOST_SHARE)
		return `on average ${whole(first.mean)} of ${whole(total)} requests in flight were in ${first.name}`;
	const named = means.slice(0, NAMED_MOST).map(({ name, mean }) => `${whole(mean)} in ${name}`);
	return `of ${whole(total)} requests in flight, ${inWords(named)} on average`;
}

/** Of a load that was answered. */
function calmText(standing: Standing) {
	const { services } = standing;
	const sums = services.map(({ name, standing: values }) => ({ name, time: sum(values) })).toSorted((one, other) => other.time - one.time);
	const all = sum(sums.map(({ time }) => time));
	if (all === 0) return 'No request waited long enough to be seen.';
	const totals = totalsOf(standing);
	const most = totals.indexOf(totals.reduce((high, value) => Math.max(high, value), 0));
	const [{ name, time }] = sums;
	const where = `Requests spent ${percent(time / all)} of their time in ${name}, more than elsewhere`;
	const highest = `${count(Math.max(1, Math.round(totals[most])))}, in second ${significant(most * standing.step_s)}`;
	return `${where}. The highest number in flight was ${highest}.`;
}
