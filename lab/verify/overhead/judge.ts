/**
 * What the lab's own parts cost, from alternated runs: the good answers of each arm against those of the same system under bare Compose and
 * bare k6, in the same block.
 */

import { loadDuration, loadStart, type Shape } from '../../../k6/lib/shapes.js';
import { median, rounded } from '../../stats/numbers.ts';
import { comparePaired } from '../../stats/paired.ts';
import type { Measured, Ratio } from './bench.ts';

/** The lab may cost 3 % of the throughput at most; its own requirement. */
export const LEAST_RATIO = 0.97;
const DIGITS = 4;
const GOOD = 'http_req_duration{scenario:load,expected_response:true}';

/**
 * The same formula for both scripts: seconds as k6 reports them, until the last answer, but not less than the stages.
 * @param summary of k6
 */
export function measuredOf({ metrics, state }: any, shape: Shape): Measured {
	const { good, failed } = metrics['http_reqs{scenario:load}'] ? plainCounts(metrics) : labCounts(metrics);
	const seconds = Math.max(loadDuration(shape), state.testRunDurationMs / 1000 - loadStart(shape));
	return { good, failed, goodput_rps: rounded(good / seconds, 2) ?? 0, p95_ms: p95Of(metrics[GOOD]) };
}

/**
 * Of a script of the user's own, in both arms: all that it sends, in all the time that it takes. It has scenarios of its own and no warm-up
 * of the lab's, and may end before its longest time.
 * @param summary of k6
 */
export function measuredOfScript({ metrics, state }: any): Measured {
	const failed = metrics.http_req_failed?.values.passes ?? 0;
	const good = (metrics.http_reqs?.values.count ?? 0) - failed;
	const goodput = good > 0 ? (rounded(good / (state.testRunDurationMs / 1000), 2) ?? 0) : 0;
	return { good, failed, goodput_rps: goodput, p95_ms: p95Of(metrics['http_req_duration{expected_response:true}']) };
}

/** @param trend of k6 */
const p95Of = (trend: any) => rounded(trend?.values['p(95)'] ?? null, 2);

/**
 * What k6 writes by itself (--summary-export) has the same figures with a level less, and the time only as what a rate is over.
 * @returns as k6 gives it to a script's handleSummary, as far as it is read here
 */
export function summaryOfExport({ metrics }: any): any {
	const { count = 0, rate = 0 } = metrics.http_reqs ?? {};
	const passes = metrics.http_req_failed?.passes ?? 0;
	return {
		metrics: { http_reqs: { values: { count } }, http_req_failed: { values: { passes } } },
		state: { testRunDurationMs: rate > 0 ? (count / rate) * 1000 : 0 },
	};
}

/**
 * k6 expects a status from 200 to 399, of which the published app sends 200 alone.
 * @param metrics of the lab's scenario
 */
function labCounts(metrics: any) {
	const all = metrics['http_req_duration{scenario:load}'].values.count;
	const good = metrics[GOOD]?.values.count ?? 0;
	return { good, failed: all - good };
}

/**
 * Of k6's rate of failures, those that it calls `passes` are the failures.
 * @param metrics of the bare script
 */
function plainCounts(metrics: any) {
	const failed = metrics['http_req_failed{scenario:load}']?.values.passes ?? 0;
	return { good: metrics['http_reqs{scenario:load}'].values.count - failed, failed };
}

/**
 * @param blocks by arm
 * @returns of the good answers a second
 */
export function ratioOf(blocks: Record<string, Measured>[], arm: string, base: string): Ratio {
	const series = (id: string) => blocks.map((block) => block[id].goodput_rps);
	return ratioOfSeries(series(arm), series(base));
}

/**
 * @param blocks by arm
 * @returns of the p95; null unless each block has it of both
 */
export function p95RatioOf(blocks: Record<string, Measured>[], arm: string, base: string): Ratio | null {
	const series = (id: string) => blocks.flatMap((block) => block[id].p95_ms || []);
	const [of, against] = [series(arm), series(base)];
	return of.length === blocks.length && against.length === blocks.length ? ratioOfSeries(of, against) : null;
}

function ratioOfSeries(of: number[], against: number[]): Ratio {
	const { low, high, n } = comparePaired(against, of, 'ratio');
	const middle = median(of.map((figure, block) => figure / against[block])) ?? 0;
	return { median: rounded(middle, DIGITS) ?? 0, low: rounded(low, DIGITS), high: rounded(high, DIGITS), n };
}

/** @returns in words, beside what is wanted */
export function overheadVerdict({ median: middle, low, high }: Ratio): string {
	const sides = low !== null && high !== null && low < LEAST_RATIO && high >= LEAST_RATIO ? ', but the interval has both sides of it' : '';
	return `${middle >= LEAST_RATIO ? 'met' : 'not met'}${sides} (wanted: ${LEAST_RATIO} or better)`;
}
