/**
 * Follows what k6's users write of their requests while the load goes on, for who watches it. A user writes its requests some at a time and
 * k6 holds back some of its log, so that what was read last says little of the last seconds: the figures are of the seconds in which
 * requests ended, and these seconds are some time ago.
 */

import { jsonIn } from '../base/values.ts';
import { eachRequest, tellsRequests } from '../record/k6-requests.ts';
import { percentileOf } from '../record/percentile.ts';

/** The figures are of seconds that ended so long ago at least. The lab's own choice: what may be kept, and what k6's log and the reader take. */
export const AGO_S = 7;
/** Several, so that the figures can be read. */
export const OF_S = 5;
/**
 * As long as a user keeps its requests (k6/lib/request-log.js), and a second more. k6 writes its log in pieces of 4 KB, which a small load fills
 * slowly: what ended so long before the newest request that was read is reported, by all but users who have waited for an answer since.
 */
const KEPT_S = 6;
/** What the analysis takes off an open load's times (diagnose/read-generators.ts). */
const ARRIVAL = /^\{"event":"first-arrival"/;
const LINE = /^\{"(requests|warm)":/;

/** ended: seconds since 1970 */
type Request = { ended: number; waitedMs: number; isGood: boolean; isOfLoad: boolean };

export class LiveRequests {
	/**
	 * Of each generator: of its log the beginning of a line whose end is still to come, when the newest request that was read ended, and by how
	 * much its arrivals are late by its own clock.
	 */
	#logs: { rest: string; newest: number; lateMs: number }[];
	#requests: Request[] = [];

	constructor(generators: number = 1) {
		this.#logs = Array.from({ length: generators }, () => ({ rest: '', newest: Number.NEGATIVE_INFINITY, lateMs: 0 }));
	}

	/**
	 * @param text a further piece of k6's log; it may end inside a line
	 * @param generator whose log
	 */
	feed(text: string, generator: number = 0) {
		const log = this.#logs[generator];
		const lines = (log.rest + text).split('\n');
		log.rest = lines.pop() ?? '';
		for (const line of lines) {
			const said = saidIn(line);
			if (said === null) continue;
			if (ARRIVAL.test(said)) log.lateMs = JSON.parse(said).late_ms ?? 0;
			for (const request of requestsIn(said, log.lateMs)) {
				log.newest = Math.max(log.newest, request.ended);
				this.#requests.push(request);
			}
		}
	}

	/**
	 * Until when the record is whole.
	 * @param now seconds since 1970
	 * @returns seconds since 1970; in no past before anything was read
	 */
	completeUntil(now: number): number {
		return Math.min(now - AGO_S, ...this.#logs.map(({ newest }) => newest - KEPT_S));
	}

	/**
	 * What ended before these seconds is forgotten.
	 * @param span seconds since 1970, not before those of the last call; isOfLoad: else of the
	 * warm-up
	 * @returns null where there is nothing to say it by; of the
	 * warm-up no failures are told
	 */
	figures({ from, to, isOfLoad }: { from: number; to: number; isOfLoad: boolean }): {
		rps: number | null;
		p95Ms: number | null;
		failureRate: number | null;
	} {
		this.#requests = this.#requests.filter(({ ended }) => ended > from);
		const reported = this.#requests.filter((request) => request.ended <= to && request.isOfLoad === isOfLoad);
		if (reported.length === 0) return { rps: null, p95Ms: null, failureRate: null };
		return {
			rps: reported.length / (to - from),
			p95Ms: percentileOf(Float64Array.from(reported, ({ waitedMs }) => waitedMs).sort(), 0.95),
			failureRate: isOfLoad ? reported.filter(({ isGood }) => !isGood).length / reported.length : null,
		};
	}
}

/** @param lateMs which no arrival of the load waited for */
function requestsIn(said: string, lateMs: number): Request[] {
	const reported = LINE.test(said) ? JSON.parse(said) : null;
	if (!tellsRequests(reported)) return [];
	const requests: Request[] = [];
	for (const [numbers, isOfLoad] of [
		[reported.warm, false],
		[reported.requests, true],
	] as const)
		eachRequest(numbers ?? [], ({ ended, waitedMs, isGood, isFurther }) => {
			const early = isOfLoad && !isFurther ? lateMs : 0;
			requests.push({ ended, waitedMs: Math.max(0, waitedMs - early), isGood, isOfLoad });
		});
	return requests;
}

/**
 * @param line of k6's log
 * @returns what the scenario wrote; null where it is no line of JSON
 */
function saidIn(line: string): string | null {
	const written = jsonIn(line);
	return written === null ? null : String(written.msg);
}
