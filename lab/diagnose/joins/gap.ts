/**
 * How long a service works between two steps of a request, and how unlikely another time is: most are alike, by their logarithms, and some far
 * off.
 */

import { quantilesOf } from '../../stats/numbers.ts';

/** The clock of a record, and what passes a bridge out of order, are no finer. */
export const LEAST_S = 0.00005;
/** Fewer say nothing of what is usual. */
const LEARNED_LEAST = 3;
/** As many as this count for what is believed before: half a millisecond, or a third of it, or three times. */
const [BELIEVED, BELIEVED_S, BELIEVED_SPREAD] = [3, 0.0005, 1.1];
/** So alike is nothing that a program does. */
const SPREAD_LEAST = 0.4;
/** Of a normal spread, half lie within so much of it. */
const HALF_WITHIN = 0.6745;
/** From here on the unlikely grows by its logarithm: a queue may make it any time. */
const FAR_COST = 4;

export class Gap {
	#middle = Math.log(BELIEVED_S);
	#spread = BELIEVED_SPREAD;

	learn(gaps_s: number[]) {
		if (gaps_s.length < LEARNED_LEAST) return;
		const logs = gaps_s.map(logOf);
		this.#middle = middleOf(logs);
		const spread = middleOf(logs.map((log) => Math.abs(log - this.#middle))) / HALF_WITHIN;
		const share = logs.length / (logs.length + BELIEVED);
		this.#spread = Math.max(SPREAD_LEAST, spread) * share + BELIEVED_SPREAD * (1 - share);
	}

	/** @returns 0 of the usual */
	costOf(gap_s: number): number {
		const off = (logOf(gap_s) - this.#middle) / this.#spread;
		return FAR_COST * Math.log1p((off * off) / (2 * FAR_COST));
	}
}

const logOf = (gap_s: number) => Math.log(gap_s > 0 ? LEAST_S + gap_s : LEAST_S);

const middleOf = (values: number[]) => quantilesOf(values, [0.5])[0] ?? 0;
