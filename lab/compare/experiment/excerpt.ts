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
import { acceptedBy, refuseAllBut } from '../../options/accepted-options.ts';
import { readExcerpt, readRecord, writeExcerpt } from '../../record/findings.ts';
import { plansIn } from '../../report/reports.ts';
import { typicalOf } from '../comparison/doubt.ts';
import { countingRuns, samplesOf } from '../comparison/runs.ts';
import { COMPARE } from '../plan.ts';
import { readArmIds } from './choose-arms.ts';
import { judgePlan, readRuns, recordsOf, writeRecords } from './judge.ts';
import { readPlan } from './read-plan.ts';

/**
 * @typedef {import('../../record/findings.ts').Records} Records
 * @typedef {import('../plan.ts').Plan} Plan
 * @typedef {import('../comparison/runs.ts').Run} Run
 */

/**
 * @param {string | undefined} from  the experiment's folder
 * @param {string | undefined} into  a folder that is not there yet
 * @param {import('../../options/accepted-options.ts').Env} env  ARMS: those of which the typical run is kept, all unless given
 * @param {import('../../cli/reporter.ts').Reporter} reporter
 * @returns {Promise<number>} exit code
 * @throws {NotReadyError} when either is not what it has to be
 */
export async function excerpt(from, into, env, reporter) {
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

/** @type {(source: string, plan: Plan, arms: string | undefined) => Promise<Records>} */
async function keptRecords(source, plan, arms) {
	const wanted = readArmIds(
		arms,
		plan.arms.map(({ id }) => id),
	);
	const runs = await readRuns(source, plan);
	const typical = typicalRuns(plan, runs).filter(({ attempt }) => wanted.includes(attempt.arm));
	const isKept = (/** @type {string} */ run) => typical.some(({ attempt }) => attempt.run === run);
	const records = /** @type {Records} */ ({
		[RECORD.manifest]: plan,
		...recordsOf(judgePlan(plan, runs, { isKept, hasIndex: false })),
	});
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

/**
 * The runs that its pages call typical: of a comparison alone, those of its complete blocks.
 * @type {(plan: Plan, runs: Run[]) => Run[]}
 */
function typicalRuns(plan, runs) {
	const counting =
		plan.experiment === COMPARE
			? plan.pairs.map(([base, other]) => samplesOf(plan, runs, base, other)).flatMap(({ base, other }) => [base, other])
			: plan.arms.map(({ id }) => [...countingRuns(runs, id).values()]);
	return counting.flatMap((ofArm) => typicalOf(ofArm) ?? []);
}

/**
 * Unpacks an excerpt into its folder, and renders the page of each record.
 * @param {string} folder
 * @returns {Promise<string>} the page to open
 */
export async function renderExcerpt(folder) {
	const records = await readExcerpt(folder);
	await writeRecords(folder, records);
	return join(folder, EXPERIMENT_RECORD.result in records ? EXPERIMENT_RECORD.page : EXPERIMENT_RECORD.comparisonPage);
}
