/**
 * A copy of an experiment that is small enough to be shared: its records, and of its runs those of the typical one of each arm, or of the
 * arms that are said, in one packed file; and all pages, which are rendered from it. The raw record, hundreds of megabytes in all, stays
 * where it is.
 */
import { lstat, mkdir } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { EXIT, NotReadyError } from '../../base/errors.ts';
import { formatCommand } from '../../base/format-command.ts';
import { CAPACITY_RECORD, EXPERIMENT_RECORD, RECORD } from '../../base/paths.ts';
import type { Reporter } from '../../base/progress.ts';
import type { Env } from '../../options/accepted-options.ts';
import { acceptedBy, refuseAllBut } from '../../options/accepted-options.ts';
import { readExcerpt, readRecord, writeExcerpt } from '../../record/excerpt-file.ts';
import type { Records } from '../../record/findings.ts';
import { plansIn } from '../../report/reports.ts';
import { typicalOf } from '../comparison/doubt.ts';
import type { Run } from '../comparison/runs.ts';
import { countingRuns, samplesOf } from '../comparison/runs.ts';
import type { Plan } from '../plan.ts';
import { COMPARE } from '../plan.ts';
import { readArmIds } from './choose-arms.ts';
import { judgePlan, readRuns, recordsOf } from './judge.ts';
import { readPlan } from './read-plan.ts';
import { writeRecords } from './write-records.ts';

/**
 * @param from the experiment's folder
 * @param into a folder that is not there yet
 * @param env ARMS: those of which the typical run is kept, all unless given
 * @returns exit code
 * @throws {NotReadyError} when either is not what it has to be
 */
export async function excerpt(from: string | undefined, into: string | undefined, env: Env, reporter: Reporter): Promise<number> {
	refuseAllBut('an excerpt', acceptedBy('excerpt'), env);
	if (!from || !into)
		throw new NotReadyError(
			`excerpt: expected the folder of an experiment and a new one; found ${from || 'none'} and ${into || 'none'}.`,
			`say both: ${formatCommand(['excerpt', 'reports/doubling/...', 'shared/doubling'])}`,
		);
	const source = resolve(from);
	const target = resolve(into);
	const plan = await readPlan('RUN', source);
	if (await lstat(target).catch(() => null))
		throw new NotReadyError(`INTO: expected a folder that is not there yet; ${into} is.`, 'give another name, or remove it.');
	const records = await keptRecords(source, plan, env.ARMS);
	await mkdir(target, { recursive: true });
	await writeExcerpt(target, records);
	const page = await renderExcerpt(target);
	const shown = relative(process.cwd(), target);
	reporter.tell(`  ${relative(process.cwd(), page)}: with the pages of all pairs, and the typical run of ${env.ARMS || 'each arm'}\n`);
	const runs = Object.keys(records).filter((path) => path.endsWith(`/${RECORD.result}`));
	reporter.give({ folder: shown, result: { runs: runs.map((path) => dirname(path)) } });
	return EXIT.done;
}

async function keptRecords(source: string, plan: Plan, arms: string | undefined): Promise<Records> {
	const wanted = readArmIds(
		arms,
		plan.arms.map(({ id }) => id),
	);
	const runs = await readRuns(source, plan);
	const typical = typicalRuns(plan, runs).filter(({ attempt }) => wanted.includes(attempt.arm));
	const isKept = (run: string) => typical.some(({ attempt }) => attempt.run === run);
	const records = {
		[RECORD.manifest]: plan,
		...recordsOf(judgePlan(plan, runs, { isKept, hasIndex: false })),
	} as Records;
	for (const { attempt, result } of typical) {
		const folder = attempt.run.slice(plan.id.length + 1);
		// A baseline keeps only what the verdict reads.
		const manifest = await readRecord(source, `${folder}/${RECORD.manifest}`);
		records[`${folder}/${RECORD.result}`] = result;
		if (manifest) records[`${folder}/${RECORD.manifest}`] = manifest;
	}
	// The list of everything is not shared with them.
	for (const { path, record } of await plansIn(source)) records[`${path}/${CAPACITY_RECORD.data}`] = { ...record, index: null };
	return records;
}

/** The runs that its pages call typical: of a comparison alone, those of its complete blocks. */
function typicalRuns(plan: Plan, runs: Run[]): Run[] {
	const counting =
		plan.experiment === COMPARE
			? plan.pairs.map(([base, other]) => samplesOf(plan, runs, base, other)).flatMap(({ base, other }) => [base, other])
			: plan.arms.map(({ id }) => [...countingRuns(runs, id).values()]);
	return counting.flatMap((ofArm) => typicalOf(ofArm) ?? []);
}

/**
 * Unpacks an excerpt into its folder, and renders the page of each record.
 * @returns the page to open
 */
export async function renderExcerpt(folder: string): Promise<string> {
	const records = await readExcerpt(folder);
	await writeRecords(folder, records);
	return join(folder, EXPERIMENT_RECORD.result in records ? EXPERIMENT_RECORD.page : EXPERIMENT_RECORD.comparisonPage);
}
