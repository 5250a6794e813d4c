/**
 * What the lab costs: a system measured by the whole lab, against the same under bare Compose and bare k6; or what one part of it costs,
 * against all else of it. The arms of a block take turns at being first, because the machine changes with time; the ratio of each block is
 * the sample.
 */

import { join, relative } from 'node:path';
import { EXIT, NotReadyError, RunFailedError } from '../../base/errors.ts';
import { makePrivate } from '../../base/files.ts';
import { RAW, RECORD, REPORTS } from '../../base/paths.ts';
import { readPrivate } from '../../base/private-file.ts';
import type { Around, Progress } from '../../base/progress.ts';
import { writeFileAtomic } from '../../base/whole-file.ts';
import { describeMachine, takeLock } from '../../docker/lock.ts';
import type { UserScript } from '../../load/user-script.ts';
import { readOption } from '../../options/accepted-options.ts';
import { readCommit } from '../../run/components.ts';
import { LEAST_RATIO, overheadVerdict, p95RatioOf, ratioOf } from './judge.ts';

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

/** of the load, without the warm-up */
export type Measured = {
	good: number;
	failed: number;
	goodput_rps: number;
	/** of the good answers; null where the script does not tell them from others */
	p95_ms: number | null;
};

export type Ratio = {
	/** of the blocks' ratios */
	median: number;
	/** 95 % interval, by the signed ranks of the blocks; null with fewer than 6 */
	low: number | null;
	high: number | null;
	/** blocks */
	n: number;
};

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
