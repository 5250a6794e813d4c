/**
 * What keeps a service down when what set it off is gone: users who send what failed again, and nodes that work for users who have given
 * up. Both are counted; that they are the reason is what the one load with less of them shows.
 */

import type { SustainingLoop, TimelineRow } from '../record/types.js';
import { count, percent, significant } from '../stats/figure-words.ts';
import { present, rounded, sum } from '../stats/numbers.ts';
import { lastBefore } from './time/increments.ts';

/** @see https://www.usenix.org/conference/osdi22/presentation/huang-lexiang  "sustaining effect" */

/** More attempts than requests arrive, by more than what was under way at the ends of the time. */
const AMPLIFIED = 1.1;
/** Of the work; less is what any overload leaves. */
const WASTED_SHARE = 0.1;

/**
 * @param record of the nodes that users' requests reach
 * @param timeline of the load
 * @param span seconds from the start of the load in which it stayed
 * down; arrivals: requests a second that the load makes then; before_rps: good answers a second before it all
 */
export function sustainingLoop(
	{ nodes, load_began_s: began }: { nodes: Record<string, any[]>; load_began_s: number },
	timeline: TimelineRow[],
	{ from, to, arrivals, before_rps: before }: { from: number; to: number; arrivals: number; before_rps: number },
): SustainingLoop {
	const rows = timeline.filter(({ t_s }) => t_s > from && t_s <= to);
	const attempts = present(rows.map(({ throughput_rps: rate }) => rate));
	const works = Object.values(nodes).map((own) => workedIn(own, { from: began + from, to: began + to }));
	const worked = sum(works.map((work) => work?.worked));
	return {
		arrivals_rps: arrivals,
		attempts_rps: attempts.length === 0 ? null : (rounded(sum(attempts) / attempts.length, 1) ?? null),
		served_before_rps: before,
		worked: works.includes(null) || works.length === 0 ? null : worked,
		in_vain: works.includes(null) || works.length === 0 ? null : sum(works.map((work) => work?.wasted)),
	};
}

/**
 * Requests that a node was done with, and those of them whose client had hung up before.
 * null where its record does not cover the span
 */
function workedIn(rows: any[], { from, to }: { from: number; to: number }): { worked: number; wasted: number } | null {
	const [first, last] = [lastBefore(rows, from), lastBefore(rows, to)];
	if (first === undefined || last === undefined || last.t <= first.t || isStartedAgain(rows, first, last)) return null;
	const answered = (row: any) => sum(Object.values<any>(row.answered).map(Number));
	const wasted = last.aborted - first.aborted;
	return { worked: answered(last) - answered(first) + wasted, wasted };
}

/** Its counters began at zero again. */
const isStartedAgain: (rows: any[], first: any, last: any) => boolean = (rows, first, last) =>
	rows.some((row) => row.event === 'start' && row.t > first.t && row.t <= last.t);

/** @returns sentences */
export function loopSentence({
	arrivals_rps: arrivals,
	attempts_rps: attempts,
	served_before_rps: before,
	worked,
	in_vain: wastedRequests,
}: SustainingLoop): string {
	const rate = (value: number) => count(Math.round(value));
	const isAmplified = attempts !== null && attempts > arrivals * AMPLIFIED;
	const more = isAmplified && attempts > before ? `, more than the ${rate(before)} that were served before` : '';
	const retries = isAmplified
		? [
				`users send ${rate(attempts)} attempts a second for ${rate(arrivals)} requests (${significant(attempts / arrivals)} for each)${more}`,
			]
		: [];
	const share = worked !== null && wastedRequests !== null && worked > 0 ? wastedRequests / worked : 0;
	const wasted = share > WASTED_SHARE ? [`${percent(share)} of what the nodes worked on was for users who had given up`] : [];
	const found = [...retries, ...wasted];
	return found.length === 0 ? 'What keeps it down is not on record.' : `What keeps it down: ${found.join('; ')}.`;
}
