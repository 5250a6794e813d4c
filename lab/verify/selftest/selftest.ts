/** The test of the diagnosis itself: known faults, one run at a time, and whether each failed request is placed rightly. */

import { join, relative } from 'node:path';
import type { Demand, PlannedFault } from '../../adapters/faults.ts';
import { EXIT, NotInjectedError, NotReadyError, toUserError, UnreadyMachineError } from '../../base/errors.ts';
import { IS_CHECKOUT, REPORTS, ROOT } from '../../base/paths.ts';
import type { Around, Progress } from '../../base/progress.ts';
import { takeLock } from '../../docker/lock.ts';
import { readOption } from '../../options/accepted-options.ts';
import { failedScore, RIGHT_LEAST, type Score, type SelftestRecord, skippedScore, totalOf } from '../../record/selftest-total.ts';
import type { Result } from '../../record/types.js';
import { scoreTable } from '../../report/selftest.ts';
import { ALL, commitText, FOLDER, keepRecord, newRecord, readLastRecord, writePages } from './record.ts';

/** what the faults are put into */
export type SelftestTarget = {
	system: SelftestRecord['system'];
	budget: string;
	/** runs of each fault, where all are tried and REPEATS says nothing */
	repeatsOfAll: number;
	/** ids, in the order in which they are to be run; refuses what it does not know */
	choose: (wanted: string) => string[];
	titleOf: (id: string) => string | undefined;
	/** a clause that says why the fault cannot be put in, where that is known */
	cannot: (id: string) => string | null;
	/** makes a run with the fault in it, and gives its folder */
	measure: (id: string, given: { budget: string; progress: Progress; signal: AbortSignal }) => Promise<string>;
	/** the diagnosis of such a run */
	score: (id: string, folder: string) => Promise<Score>;
	/** given the ids of the runs that are to be made; rejects where they are not wanted */
	consent?: (left: string[]) => Promise<void>;
	/** whether a fault may turn out not to fit it, or this machine, which says nothing of the diagnosis */
	mayRefuse: (id: string) => boolean;
};

/** Where a self-test leaves what it finds, and whom it waits for before it makes runs. */
export type Place = {
	/** of all self-tests */
	folder: string;
	/** of the document that the repository shows */
	docs: string;
	/** gives what releases it */
	lock: (say: (text: string) => void) => Promise<() => Promise<void>>;
};

const PLACE: Place = { folder: FOLDER, docs: IS_CHECKOUT ? join(ROOT, 'docs') : FOLDER, lock: takeLock };
/** Words of FAULTS that name no faults: of what a self-test left, those are scored again, or gone on with. */
export const AGAIN = 'again';
export const REST = 'rest';

/**
 * @param env FAULTS: `all` (default), what the subject knows, `rest` or `again`; REPEATS: runs of each
 * @returns exit code: 0 when every fault is diagnosed rightly
 */
export async function testDiagnosis(
	tested: SelftestTarget,
	env: Record<string, string | undefined>,
	{ reporter, signal }: Around,
	place: Place = PLACE,
): Promise<number> {
	const wanted = readOption('FAULTS', env);
	const { progress } = reporter;
	const record =
		wanted === AGAIN
			? await scoreAgain(tested, progress, place)
			: await tryFaults(
					tested,
					wanted === REST ? await readLastRecord(REST, tested, place.folder) : await planned(tested, wanted, env),
					{ progress, signal },
					place,
				);
	const total = totalOf(record.scores);
	const page = relative(process.cwd(), await writePages(record, place));
	reporter.tell(`\n${scoreTable(record.scores).join('\n')}\n\n${total.passed} of ${total.faults} faults were diagnosed rightly.\n`);
	reporter.tell(`  page: ${page}\n`);
	reporter.give({ report: page, result: { total, record } });
	return total.passed === total.faults ? EXIT.done : EXIT.failed;
}

/** @returns without a run yet */
async function planned(
	{ choose, repeatsOfAll, budget, system }: SelftestTarget,
	wanted: string,
	env: Record<string, string | undefined>,
): Promise<SelftestRecord> {
	choose(wanted);
	const repeats = readOption('REPEATS', env) ?? (wanted === ALL ? repeatsOfAll : 1);
	return newRecord({ wanted, repeats, budget, system });
}

async function tryFaults(
	target: SelftestTarget,
	record: SelftestRecord,
	{ progress, signal }: { progress: Progress; signal: AbortSignal },
	place: Place,
): Promise<SelftestRecord> {
	const left = runsLeft(record, target);
	await target.consent?.(left);
	const release = await place.lock(progress.say);
	try {
		for (const [index, id] of left.entries()) {
			progress.say(`run ${index + 1} of ${left.length}: ${id}: ${target.titleOf(id)}`);
			const score = await tryTwice(target, id, { budget: record.budget, progress, signal, isFirst: record.scores.length === 0 });
			signal.throwIfAborted();
			record.scores.push(score);
			record.ended = new Date().toISOString();
			record.complete = index === left.length - 1;
			sayScore(progress, score, left);
			await keepRecord(record, place.folder);
			await writePages(record, place);
		}
	} catch (error) {
		if (record.scores.length > 0) progress.say(`what was judged is kept; FAULTS=${REST} goes on with it`);
		throw error;
	} finally {
		await release();
	}
	return record;
}

/**
 * All faults once, then all again: what changes with the hour is not the fault's.
 * @returns ids, in the order in which they are to be run
 */
function runsLeft(
	{ wanted, repeats, scores }: Pick<SelftestRecord, 'wanted' | 'repeats' | 'scores'>,
	{ choose }: Pick<SelftestTarget, 'choose'>,
): string[] {
	const chosen = choose(wanted);
	return Array.from({ length: repeats }, () => chosen)
		.flat()
		.slice(scores.length);
}

async function scoreAgain(tested: SelftestTarget, progress: Progress, { folder }: Place): Promise<SelftestRecord> {
	const before = await readLastRecord(AGAIN, tested, folder);
	const ids = before.scores.map(({ fault }) => fault);
	const scores = [];
	for (const old of before.scores) {
		const { fault, run } = old;
		const score = run === '' || tested.titleOf(fault) === undefined ? old : await tested.score(fault, join(REPORTS, run));
		sayScore(progress, score, ids);
		scores.push(score);
	}
	const record = { ...before, commit: await commitText(), scores };
	await keepRecord(record, folder);
	return record;
}

/** Its line of the table that all of them make. */
function sayScore(progress: Progress, score: Score, ids: string[]): void {
	for (const line of scoreTable([score], ids).slice(1)) progress.say(line);
}

type Given = { budget: string; progress: Progress; signal: AbortSignal; isFirst: boolean };

/**
 * On a machine that was taken away from it, a run that comes out wrong says nothing of the diagnosis. It is made once more, as an
 * INVALID run of an experiment is.
 */
async function tryTwice(tested: SelftestTarget, id: string, given: Given): Promise<Score> {
	const first = await tryFault(tested, id, given);
	if (first.spoilt === undefined || given.signal.aborted) return first;
	given.progress.say(`  once more: ${first.spoilt}`);
	const second = await tryFault(tested, id, given);
	return second.spoilt === undefined ? second : skippedScore(id, second.spoilt, second.run);
}

async function tryFault(target: SelftestTarget, id: string, { isFirst, ...given }: Given): Promise<Score> {
	const why = target.cannot(id);
	if (why !== null) return skippedScore(id, why);
	let run = '';
	try {
		const folder = await target.measure(id, given);
		run = relative(REPORTS, folder);
		return await target.score(id, folder);
	} catch (error) {
		// One fault that cannot be put in must not cost the hour that the others take. What is not ready shows at once; the machine may stop
		// being so, and no fault is diagnosed wrongly where none was put in.
		const isUnready = toUserError(error) instanceof UnreadyMachineError || (isFirst && error instanceof NotReadyError);
		if (given.signal.aborted || isUnready) throw error;
		if (error instanceof NotInjectedError && target.mayRefuse(id)) return skippedScore(id, error.message, run);
		return failedScore(id, error instanceof Error ? error.message : String(error), run);
	}
}

/** a container, as the manifest names it */
export type Described = { service: string; name: string; tier: string };

/** A demand speaks of services, or of their containers, the ledger of containers. */
export function toContainerNames(demand: Demand, services: Described[]): Demand {
	const namesOf = (wanted: string[]) =>
		services.filter(({ service, name }) => wanted.includes(service) || wanted.includes(name)).map(({ name }) => name);
	return {
		...demand,
		expected: demand.expected?.map((one) => (one.services === undefined ? one : { ...one, services: namesOf(one.services) })),
		...(demand.near_misses
			? { near_misses: demand.near_misses.map(({ ids, services: wanted = [] }) => ({ ids, services: namesOf(wanted) })) }
			: {}),
	};
}

/**
 * What would let the ledger say more: of what it left open, and of a service that tells more at a higher level.
 * @returns sentences; none where the fault was diagnosed rightly, or no level is to be changed
 */
export function adviceOf(
	{ failures, right, unattributed }: Score,
	{ ledger, try_next: tryNext, command: again }: Pick<Result, 'ledger' | 'try_next' | 'command'>,
	{ service, how, level }: Pick<PlannedFault, 'service' | 'how' | 'level'>,
): string[] {
	if (level === null || right >= failures * RIGHT_LEAST) return [];
	const reported = how?.reported;
	const isBelow = reported !== undefined && level < reported.level;
	return [
		...(unattributed > 0 && ledger.unattributed_reason !== '' ? [`unattributed: ${ledger.unattributed_reason}`] : []),
		...(isBelow ? [`write ${service}: { watch: ${reported.level} } in doubletake.yaml: it then tells ${reported.gives}`] : []),
		// What is said of an INVALID run, to make it again and what comes then, is nothing to be written.
		...tryNext
			.filter(({ command, once_valid: isLater }) => command !== again && !isLater)
			.map(({ command, why }) => `write ${command}: ${why}`),
	];
}
