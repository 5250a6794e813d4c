/**
 * The command `experiment all`: every experiment that has claims, one after the other, and their findings on one page. It says
 * first how long that takes, and goes on where it was interrupted.
 */
import { join } from 'node:path';
import { EXIT } from '../../base/errors.ts';
import { inRecord } from '../../base/files.ts';
import { formatCommand } from '../../base/format-command.ts';
import { REPORTS } from '../../base/paths.ts';
import type { Around } from '../../base/progress.ts';
import { takeLock } from '../../docker/lock.ts';
import type { Plan } from '../plan.ts';
import type { All, Step } from './all-manifest.ts';
import { newAll, readAll, saveAll, stepsLeft, variablesFor } from './all-manifest.ts';
import { runPlan, shownPath } from './command.ts';
import { recordsMade, writeFindings } from './findings.ts';
import { planExperiment } from './make-plan.ts';
import { planToResume, readPlan, remainingOf } from './read-plan.ts';
import { estimateOf, savePlan } from './run-experiment.ts';

type Env = Record<string, string | undefined>;

/**
 * @param env REPEATS, SEED, IMAGES, LOAD=smoke; or RESUME
 * @returns exit code
 * @throws {NotReadyError} naming the variable at fault
 */
export async function experimentAll(env: Env, { reporter, signal }: Around): Promise<number> {
	const { progress } = reporter;
	const release = await takeLock(progress.say);
	try {
		const all = env.RESUME ? await readAll(env.RESUME, env) : newAll(env);
		const shown = shownPath(join(REPORTS, all.id));
		const goOn = formatCommand(['experiment', 'all'], [`RESUME=${shown}`]);
		const missing = stepsLeft(all);
		// Planned here to be checked and counted; each is planned anew when it is its turn, as of that moment.
		const plans = await Promise.all(missing.map((step) => planOf(step, all.variables, env)));
		progress.say(`${missing.length} of ${all.experiments.length} experiments to go; ${shown}`);
		for (const line of estimateOf(plans)) progress.say(line);
		await saveAll(all);
		let worst = EXIT.done as number;
		for (const step of missing) {
			if (signal.aborted) {
				progress.say(`what was measured is kept; go on with: ${goOn}`);
				return EXIT.interrupted;
			}
			const exitCode = await runPlan({ plan: await begin(all, step, env), reporter, signal, goOn });
			// One that decides nothing holds up no other.
			if (exitCode !== EXIT.done && exitCode !== EXIT.failed) return exitCode;
			worst = Math.max(worst, exitCode);
			await markDone(all, step);
			const found = await writeFindingsOf(all);
			progress.say(`findings so far: ${found.report}`);
			reporter.give({ folder: shown, ...found });
		}
		return worst;
	} finally {
		await release();
	}
}

/** What is of this machine is given anew when it goes on. */
async function planOf({ experiment, folder }: Step, variables: Record<string, string>, { BUSY }: Env): Promise<Plan> {
	if (folder === null) return planExperiment(experiment, { ...variablesFor(experiment, variables), BUSY });
	const path = shownPath(inRecord(REPORTS, folder));
	const plan = await readPlan('RESUME', path);
	// Interrupted between its last run and its judgement: there is nothing to plan.
	return remainingOf(plan).length === 0 ? plan : planToResume(path, { BUSY });
}

/** Notes where the experiment is before its first run, so that an interruption loses none. */
async function begin(all: All, step: Step, env: Env): Promise<Plan> {
	const plan = await planOf(step, all.variables, env);
	if (step.folder !== null) return plan;
	await savePlan(plan);
	step.folder = plan.id;
	await saveAll(all);
	return plan;
}

async function markDone(all: All, step: Step): Promise<void> {
	step.done = true;
	if (stepsLeft(all).length === 0) all.ended = new Date().toISOString();
	await saveAll(all);
}

async function writeFindingsOf(all: All) {
	return writeFindings(join(REPORTS, all.id), await recordsMade(all.experiments.map(({ folder }) => folder)), { hasIndex: true });
}
