/**
 * What the lab costs: a system measured by the whole lab, against the same under bare Compose and bare k6; or what one part of it costs,
 * against all else of it. The arms of a block take turns at being first, because the machine changes with time; the ratio of each block is
 * the sample.
 */

import { join, relative } from 'node:path';
import type { Shape } from '../../../k6/lib/shapes.js';
import { loadDuration, loadStart } from '../../../k6/lib/shapes.js';
import { EXIT, NotReadyError, RunFailedError } from '../../base/errors.ts';
import { makePrivate, readPrivate, writeFileAtomic } from '../../base/files.ts';
import { RAW, RECORD, REPORTS } from '../../base/paths.ts';
import type { Around, Progress } from '../../base/progress.ts';
import { describeMachine, takeLock } from '../../docker/lock.ts';
import type { UserScript } from '../../load/user-script.ts';
import { readOption } from '../../options/accepted-options.ts';
import { readCommit } from '../../run/components.ts';
import { median, rounded } from '../../stats/numbers.ts';
import { comparePaired } from '../../stats/ranks.ts';

/** what is measured with the lab and without */
export type BenchTarget = {
	/** the arm that must have enough of what the base serves */
	judged: string;
	/** the arm that the others are compared with */
	base: string;
	/** of all runs, in words */
	conditions: string;
	/** called while the lock is held */
	prepare: (given: { progress: Progress; signal: AbortSignal }) => Promise<Prepared>;
};

type Prepared = {
	/** what the file says of the subject */
	about: Record<string, unknown>;
	/** titles by id */
	arms: Record<string, string>;
	measure: (arm: string) => Promise<Measured>;
};

/*
 * What the lab's own parts cost, from alternated runs: the good answers of each arm against those of the same system under bare Compose and
 * bare k6, in the same block.
 */

/** The lab may cost 3 % of the throughput at most; its own requirement. */
const LEAST_RATIO = 0.97;
const DIGITS = 4;
const GOOD = 'http_req_duration{scenario:load,expected_response:true}';

/** of the load, without the warm-up */
export type Measured = {
	good: number;
	failed: number;
	goodput_rps: number;
	/** of the good answers; null where the script does not tell them from others */
	p95_ms: number | null;
};

type Ratio = {
	/** of the blocks' ratios */
	median: number;
	/** 95 % interval, by the signed ranks of the blocks; null with fewer than 6 */
	low: number | null;
	high: number | null;
	/** blocks */
	n: number;
};

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
function ratioOf(blocks: Record<string, Measured>[], arm: string, base: string): Ratio {
	const series = (id: string) => blocks.map((block) => block[id].goodput_rps);
	return ratioOfSeries(series(arm), series(base));
}

/**
 * @param blocks by arm
 * @returns of the p95; null unless each block has it of both
 */
function p95RatioOf(blocks: Record<string, Measured>[], arm: string, base: string): Ratio | null {
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
function overheadVerdict({ median: middle, low, high }: Ratio): string {
	const sides = low !== null && high !== null && low < LEAST_RATIO && high >= LEAST_RATIO ? ', but the interval has both sides of it' : '';
	return `${middle >= LEAST_RATIO ? 'met' : 'not met'}${sides} (wanted: ${LEAST_RATIO} or better)`;
}

const PAIRS = 8;
/** All of the lab, against none of it. */
export const WHOLE = { judged: 'lab', base: 'plain' };
/** What records the wire, against all else of the lab. */
export const CAPTURE = { judged: 'captured', base: 'uncaptured' };
export const CAPTURE_ARMS = { captured: 'Doubletake with the wire recorded', uncaptured: 'Doubletake without' };
/** Below reports/: where the runs of the whole lab lie. */
export const GROUP = 'bench-overhead';

/** Where it leaves what it finds, and whom it waits for before it makes runs. */
type Place = {
	folder: string;
	/** gives what releases it */
	lock: (say: (text: string) => void) => Promise<() => Promise<void>>;
};

const PLACE: Place = { folder: REPORTS, lock: takeLock };

/**
 * @param env REPEATS: pairs
 * @returns exit code
 * @throws {RunFailedError} when there is nothing to compare the others with
 */
export async function benchOverhead(
	target: BenchTarget,
	env: Record<string, string | undefined>,
	{ reporter, signal }: Around,
	{ folder, lock }: Place = PLACE,
): Promise<number> {
	const pairs = readOption('REPEATS', env) ?? PAIRS;
	const { conditions, judged, base } = target;
	const { progress } = reporter;
	const written = join(folder, `${GROUP}.json`);
	const release = await lock(progress.say);
	try {
		const { about, arms, measure } = await target.prepare({ progress, signal });
		const head = {
			date: new Date().toISOString(),
			machine: await describeMachine(),
			git: await readCommit(),
			...about,
			pairs_wanted: pairs,
			least_ratio: LEAST_RATIO,
			arms,
		};
		await makePrivate(folder);
		const blocks: Record<string, Measured>[] = [];
		const made = () => ({
			...head,
			pairs: blocks,
			ratios: ratiosOf(blocks, base, ratioOf),
			p95_ratios: ratiosOf(blocks, base, p95RatioOf),
		});
		for (let pair = 0; pair < pairs; pair += 1) {
			blocks.push(await measureBlock({ order: orderOf(Object.keys(arms), pair), base, measure, signal }));
			progress.say(`pair ${pair + 1} of ${pairs}: ${blockLine(blocks[pair], base)}`);
			// After each pair, so that an interruption loses one at the most.
			await writeFileAtomic(written, `${JSON.stringify(made(), null, 2)}\n`);
		}
		const { ratios, p95_ratios: p95Ratios } = made();
		for (const [arm, ratio] of Object.entries(ratios)) progress.say(ratioLine(arms[arm], GOOD_ANSWERS, arms[base], ratio));
		for (const [arm, ratio] of Object.entries(p95Ratios)) if (ratio) progress.say(ratioLine(arms[arm], P95, arms[base], ratio));
		const file = relative(process.cwd(), written);
		progress.say(`${conditions}: ${overheadVerdict(ratios[judged])}; ${file}`);
		reporter.give({ file, result: made() });
		return ratios[judged].median >= LEAST_RATIO ? EXIT.done : EXIT.thresholdNotMet;
	} finally {
		await release();
	}
}

const GOOD_ANSWERS = 'the good answers a second';
const P95 = 'the p95';

/**
 * @returns by arm
 * @throws {RunFailedError} when there is nothing to compare the others with
 */
async function measureBlock({
	order,
	base,
	measure,
	signal,
}: {
	/** of the arms */
	order: string[];
	base: string;
	measure: Prepared['measure'];
	signal: AbortSignal;
}): Promise<Record<string, Measured>> {
	const block: Record<string, Measured> = {};
	for (const arm of order) {
		block[arm] = await measure(arm);
		signal.throwIfAborted();
	}
	if (block[base].goodput_rps > 0) return block;
	throw new RunFailedError(`${base}: expected good answers, as k6 counts them; found none, and ${block[base].failed} failed requests.`);
}

/**
 * What k6 wrote at the end of a run of the whole lab.
 * @param folder of the run
 */
export const readSummary = async (folder: string) => JSON.parse(String(readPrivate(join(folder, RECORD.raw, RAW.k6Summary)) ?? ''));

/** Each arm is first as often as any other. */
const orderOf = (arms: string[], pair: number) => arms.map((_, index) => arms[(index + pair) % arms.length]);

/** @returns by arm */
const ratiosOf = <T>(
	blocks: Record<string, Measured>[],
	base: string,
	ratio: (blocks: Record<string, Measured>[], arm: string, base: string) => T,
): Record<string, T> =>
	Object.fromEntries(
		Object.keys(blocks[0])
			.filter((arm) => arm !== base)
			.map((arm) => [arm, ratio(blocks, arm, base)]),
	);

function blockLine(block: Record<string, Measured>, base: string) {
	const against = block[base].goodput_rps;
	return Object.entries(block)
		.map(([arm, { goodput_rps: rps, failed }]) => {
			const failures = failed > 0 ? `, ${failed} failed` : '';
			return `${arm} ${rps.toFixed(0)} rps${failures}${arm === base ? '' : ` (${(rps / against).toFixed(3)})`}`;
		})
		.join('; ');
}

/** base: title of what it is compared with */
function ratioLine(title: string, what: string, base: string, { median, low, high, n }: Ratio): string {
	const interval =
		low === null || high === null ? 'no interval with fewer than 6 pairs' : `95 % interval ${low.toFixed(3)} to ${high.toFixed(3)}`;
	return `${title}: ${median.toFixed(3)} of ${what} of ${base} (median of ${n} pairs, ${interval})`;
}

/**
 * What plain k6 would not do as the lab's does.
 * @throws {NotReadyError}
 */
export function refuseUnlike({ aborting, asksMachine }: Pick<UserScript, 'aborting' | 'asksMachine'>, name: string) {
	if (asksMachine)
		throw new NotReadyError(
			`${name}: expected a script that asks services by their names, with Doubletake and without; found localhost in it, which to plain k6 in its container is k6 itself.`,
			'let it ask the address that it finds in __ENV.TARGET.',
		);
	if (aborting.length === 0) return;
	throw new NotReadyError(
		`${name}: expected a script that runs to its end, with Doubletake and without; found abortOnFail in its thresholds of ${aborting.join(', ')}.`,
		'leave abortOnFail out while this is measured.',
	);
}
