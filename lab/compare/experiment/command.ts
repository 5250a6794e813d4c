/** The commands `compare` and `experiment`: plan, make the runs, judge, render. Each gives the exit code. */

import { existsSync } from 'node:fs';
import { join, relative } from 'node:path';
import { EXIT } from '../../base/errors.ts';
import { shellWord } from '../../base/format-command.ts';
import { lineWithCodes } from '../../base/hidden-characters.ts';
import { RECORD, REPORTS, ROOT } from '../../base/paths.ts';
import type { Around, Reporter } from '../../base/progress.ts';
import { architectures } from '../../catalog/architectures.ts';
import { hasProject } from '../../catalog/project-file.ts';
import { takeLock } from '../../docker/lock.ts';
import { readOption, refuse } from '../../options/accepted-options.ts';
import type { Permission } from '../../options/allowed.ts';
import type { Failing } from '../../options/expect.ts';
import type { Comparison } from '../../record/types.js';
import { writeIndex } from '../../report/reports.ts';
import { LEAST_BLOCKS } from '../../stats/ranks.ts';
import type { Invalid } from '../comparison/runs.ts';
import type { Plan } from '../plan.ts';
import { COMPARE } from '../plan.ts';
import { systemsOf } from '../planned-systems.ts';
import { announcedText } from '../stopping.ts';
import { finishExperiment } from './finish.ts';
import { planComparison, planExperiment } from './make-plan.ts';
import type { Given } from './project-plan.ts';
import { planProjectComparison, planProjectExperiment, planProjectValues } from './project-plan.ts';
import { planToResume, readPlan, remainingOf } from './read-plan.ts';
import { minutes, runExperiment, savePlan, secondsLeft } from './run-experiment.ts';

type Env = Record<string, string | undefined>;

/** of doubletake.yaml */
type Folder = { folder: string; permission: Permission };

type AskedPlan = {
	/** it is not one that is gone on with */
	isNew: boolean;
	make: () => Promise<Plan>;
};

/** text: as given; null: nothing is */
type FailOn = { text: string; all: Failing[] | null };

/** values: several of one variable */
type GivenArms = { a: string[]; b: string[]; values?: string[] };

type AskedIn = Pick<Given, 'folder' | 'permission' | 'say' | 'signal'>;

/** By flags, which may be given several times, or as variables. */
const givenArms: (flags: Partial<GivenArms>, env: Env) => GivenArms = ({ a, b }, { A, B }) => ({
	a: a ?? (A ? [A] : []),
	b: b ?? (B ? [B] : []),
});

/** An assignment, a file or a revision. */
const isSide = (head: string) => /[=/.]/.test(head) || head === 'rev';

/** Whether what names nothing is about the folder in which it was given; that of the lab is about the architectures. */
const isOfFolder = (folder: string) => hasProject(folder) || folder !== ROOT;

/**
 * Whether the arms of `compare` are said by what differs from the system of a folder, and not by names. A plan that is resumed says so itself.
 * @param env A and B in their place
 */
export function isProjectComparison(folder: string, flags: Partial<GivenArms>, env: Env) {
	const { a, b } = givenArms(flags, env);
	// What stands before the options of an arm, or before a revision.
	const heads = [...a, ...b].map((text) => text.split(':')[0]);
	if (heads.length === 0) return !env.RESUME && isOfFolder(folder);
	return heads.some((head) => !Object.hasOwn(architectures, head)) && (hasProject(folder) || heads.some(isSide));
}

/** @param env A and B in their place */
function askedComparison(flags: Partial<GivenArms>, env: Env, given: AskedIn): AskedPlan {
	if (flags.values?.length)
		return { isNew: true, make: () => planProjectValues({ ...givenArms(flags, env), values: flags.values ?? [], ...given, env }) };
	const pair = givenArms(flags, env);
	if (isProjectComparison(given.folder, flags, env)) return { isNew: true, make: () => planProjectComparison({ ...pair, ...given, env }) };
	return newOrNot(env, given, () => planComparison({ ...env, A: pair.a.join(' '), B: pair.b.join(' ') }));
}

/** @param id or the name of a file */
function askedExperiment(id: string | undefined, env: Env, given: AskedIn): AskedPlan {
	// A file has an ending, which no id has.
	const isFile = id === undefined ? isOfFolder(given.folder) : /\.ya?ml$/i.test(id);
	return newOrNot(env, given, () => (isFile ? planProjectExperiment({ file: id, ...given, env }) : planExperiment(id ?? '', env)));
}

const newOrNot: (env: Env, given: AskedIn, make: AskedPlan['make']) => AskedPlan = (env, { permission }, make) =>
	env.RESUME ? { isNew: false, make: () => planToResume(String(env.RESUME), env, permission) } : { isNew: true, make };

/**
 * Two architectures, or two arms of the system of a folder.
 * @param env A and B in their place
 */
export const compare = async (flags: Partial<GivenArms>, env: Env, { folder, permission, ...around }: Folder & Around): Promise<number> =>
	planned(askedComparison(flags, env, { folder, permission, ...saying(around) }), around, failOnIn(env));

/**
 * An experiment of the lab, by its id, or one of a user's own system, by its file.
 * @param id none: of the system of this folder, where it has one
 */
export const experiment = (id: string | undefined, env: Env, { folder, permission, ...around }: Folder & Around): Promise<number> =>
	planned(askedExperiment(id, env, { folder, permission, ...saying(around) }), around);

/** @throws {NotReadyError} naming a finding or a metric that there is not */
const failOnIn = (env: Env): FailOn => ({ text: env.FAIL_ON ?? '', all: readOption('FAIL_ON', env) });

const saying = ({ reporter, signal }: Around) => ({ say: reporter.progress.say, signal });

/**
 * What is typed wrongly is reported before another run is waited for. A plan that is gone on with may be that one's, and is read when the engine is free.
 * @param failOn of a comparison
 */
async function planned({ isNew, make }: AskedPlan, around: Around, failOn?: FailOn) {
	if (!isNew) return alone(make, around, failOn);
	const plan = await make();
	return alone(async () => plan, around, failOn);
}

async function alone(makePlan: () => Promise<Plan>, around: Around, failOn?: FailOn) {
	const release = await takeLock(around.reporter.progress.say);
	try {
		const plan = await makePlan();
		return await runPlan({ plan, ...around, goOn: goOnWith(plan, wordsOf(failOn)), failOn });
	} finally {
		await release();
	}
}

const wordsOf = (failOn?: FailOn): string[] => (failOn?.text ? [`FAIL_ON=${shellWord(failOn.text)}`] : []);

const goOnWith = (plan: Plan, variables: string[] = []) =>
	systemsOf(plan).command([`RESUME=${shellWord(shownPath(join(REPORTS, plan.id)))}`, ...variables]);

/**
 * Makes the runs of a plan that are missing, judges it and says what was found.
 * @returns exit code
 */
export async function runPlan({
	plan,
	reporter,
	signal,
	goOn,
	failOn,
}: {
	plan: Plan;
	reporter: Reporter;
	signal: AbortSignal;
	/** the command that goes on when this is interrupted */
	goOn: string;
	/** of a comparison */
	failOn?: FailOn;
}): Promise<number> {
	const { progress } = reporter;
	const folder = join(REPORTS, plan.id);
	progress.say(
		`${plan.title}: ${remainingOf(plan).length} runs, about ${minutes(secondsLeft(plan))}; seed ${plan.seed}; ${shownPath(folder)}`,
	);
	if (plan.stopping) progress.say(announcedText(plan.stopping, plan));
	// On a full disk there may be no plan to go on with.
	const keep = () => existsSync(join(folder, RECORD.manifest)) && progress.say(`what was measured is kept; go on with: ${goOn}`);
	try {
		await runExperiment({ plan, progress, signal });
	} catch (error) {
		keep();
		throw error;
	}
	if (signal.aborted) {
		keep();
		return EXIT.interrupted;
	}
	plan.ended = new Date().toISOString();
	await savePlan(plan);
	return reportExperiment(folder, plan, reporter, failOn);
}

/**
 * Judges an experiment again, by the claims as they stood before its first run.
 * @param env FAIL_ON
 * @returns exit code
 */
export async function judgeAgain(folder: string, env: Env, reporter: Reporter): Promise<number> {
	const failOn = failOnIn(env);
	const plan = await readPlan('RUN', folder);
	if (plan.experiment !== COMPARE) refuse('the report of an experiment', ['FAIL_ON'], env);
	return reportExperiment(folder, plan, reporter, failOn);
}

async function reportExperiment(folder: string, plan: Plan, reporter: Reporter, failOn?: FailOn): Promise<number> {
	const { sentence, page, comparison, result, blocksWanted, invalid } = await finishExperiment(folder, plan);
	await writeIndex();
	const next = blocksWanted > 0 ? goOnWith(plan, [`REPEATS=${plan.repeats + blocksWanted}`, ...wordsOf(failOn)]) : null;
	reporter.tell(`\n  ${lineWithCodes(sentence)}\n${nextText(next, blocksWanted, invalid)}\n  report: ${shownPath(page)}\n\n`);
	reporter.give({ folder: shownPath(folder), report: shownPath(page), sentence, result });
	if (invalid.runs > 0 && invalid.runs === invalid.of) return EXIT.failed;
	return comparison === null ? EXIT.done : exitCodeOf(comparison, plan, failOn?.all ?? null);
}

/** A baseline is there to be held; a comparison without one is a question, and any answer is fine. */
const WITH_BASELINE: Failing[] = [{ finding: 'worse', metric: null }];

function exitCodeOf({ metrics, verdict, blocks }: Comparison, { baseline }: Plan, failOn: FailOn['all']): number {
	const asked = failOn ?? (baseline ? WITH_BASELINE : []);
	const verdictsOn = (metric: string | null) =>
		metrics.filter(({ id }) => metric === null || id === metric).map((judged) => judged.verdict);
	if (asked.some(({ finding, metric }) => finding === 'worse' && verdictsOn(metric).includes('worse'))) return EXIT.worse;
	const isUnjudged = baseline && (blocks.complete < blocks.least || !baseline.same_machine);
	const isOpen = asked.some(({ finding, metric }) => {
		const found = metric === null ? [verdict.word] : verdictsOn(metric);
		// What no run has a figure for is neither worse nor not.
		return found.length === 0 || (finding === 'inconclusive' && found.includes('INCONCLUSIVE'));
	});
	return isUnjudged || isOpen ? EXIT.inconclusive : EXIT.done;
}

/**
 * What to do next, and first what made runs INVALID: more of them would be so too.
 * @param command null: nothing more is wanted
 * @returns lines, or none
 */
function nextText(command: string | null, blocksWanted: number, { runs, of, reason }: Invalid): string {
	const doubt = runs === 0 ? '' : `  ${runs === of ? 'every run' : `${runs} of ${of} runs`} INVALID: ${reason}\n`;
	if (command === null) return doubt;
	const valid = `of the ${LEAST_BLOCKS} repetitions that a verdict needs ${LEAST_BLOCKS - blocksWanted} are VALID`;
	return `${doubt}  next: ${doubt === '' ? '' : 'put that right, then '}${command}  (${valid})\n`;
}

/** As the user would type it. */
export const shownPath = (path: string) => relative(process.cwd(), path);
