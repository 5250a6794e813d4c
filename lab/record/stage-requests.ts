/**
 * The requests of each stage of a load, from what k6's users wrote of them: how many, and the percentiles of these requests. A median over
 * the percentiles of single seconds is no percentile: the slow requests of a stage fall into few of its seconds.
 */

import type { FinishedRequest, Span } from './k6-requests.ts';
import { percentileOf, type StageRequests } from './percentile.ts';

/**
 * A request belongs to the stage in which it ended, as it belongs to the second in which it ended. What ended after the last stage is of
 * the last one, so that each request of the load is in one stage.
 * @returns the place of its stage; -1 without any
 */
export function placesIn(stages: Span[]): (ended: number) => number {
	// One of no length, which sets how many users there are, has no requests.
	const lasting = [...stages.keys()].filter((at) => stages[at].to > stages[at].from);
	return (ended) => lasting.findLast((at) => ended > stages[at].from) ?? lasting[0] ?? -1;
}

export class StageGathered {
	/** milliseconds */
	#good: number[] = [];
	#requests = 0;
	#endedIn = 0;
	#goodIn = 0;
	#to;

	constructor({ to }: Span) {
		this.#to = to;
	}

	add({ ended, waitedMs, isGood }: Pick<FinishedRequest, 'ended' | 'waitedMs' | 'isGood'>) {
		this.#requests += 1;
		if (isGood) this.#good.push(waitedMs);
		if (ended > this.#to) return;
		this.#endedIn += 1;
		if (isGood) this.#goodIn += 1;
	}

	reported(): StageRequests {
		const sorted = Float64Array.from(this.#good).sort();
		const at = (share: number) => (sorted.length === 0 ? null : percentileOf(sorted, share));
		return {
			requests: this.#requests,
			failures: this.#requests - sorted.length,
			ended_in: this.#endedIn,
			good_in: this.#goodIn,
			latency_ms_ok: { p50: at(0.5), p95: at(0.95), p99: at(0.99) },
		};
	}
}
