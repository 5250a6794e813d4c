/**
 * Makes the runs of a plan, block by block, and keeps the plan up to date on disk after each, so that an interruption
 * loses one run at most.
 */

import { join } from 'node:path';
import { makePrivate } from '../../base/files.ts';
import { EXPERIMENT_RECORD, RECORD, REPORTS } from '../../base/paths.ts';
import type { Progress } from '../../base/progress.ts';
import { writeFileAtomic } from '../../base/whole-file.ts';
import type { Arm } from '../../options/arms.ts';
import { secondsOfRun } from '../../options/run-length.ts';
import { finishRun } from '../../report/reports.ts';
import type { Plan } from '../plan.ts';
import { loadsOf, partUnder, quietly } from '../plan.ts';
import { systemsOf } from '../planned-systems.ts';
import type { Planned } from '../systems.ts';
import { openPlanned } from '../systems.ts';
import { isDecided } from './judge.ts';
import { remainingOf } from './read-plan.ts';

const MINUTE_S = 60;

/** @returns when all runs are made, or the signal was given */
export async function runExperiment({
	plan,
	progress,
	signal,
}: {
	/** its attempts are added to */
	plan: Plan;
	progress: Progress;
	signal: AbortSignal;
}): Promise<void> {
	await savePlan(plan);
	const systems = openPlanned({ plan, progress, signal });
	try {
		await systems.prepare();
		await savePlan(plan);
		await makeRuns({ plan, systems, progress, signal });
	} finally {
		await systems.close();
	}
}

async function makeRuns({ plan, systems, progress, signal }: Parameters<typeof runExperiment>[0] & { systems: Planned }) {
	// The folder below reports/ in which each run has its own.
	const group = `${plan.id}/${EXPERIMENT_RECORD.runs}`;
	const said = new Set() as Set<string>;
	for (let next = remainingOf(plan)[0]; next && !signal.aborted; next = remainingOf(plan)[0]) {
		const { block, arm } = next;
		const isWhole = plan.attempts.length > 0 && plan.attempts.every((attempt) => attempt.block < block);
		if (plan.stopping && isWhole && (await isDecided(join(REPORTS, plan.id), plan))) {
			progress.say('the answer is clear: no more repetitions are made');
			return;
		}
		const left = remainingOf(plan).length;
		progress.say(
			`repetition ${block} of ${plan.repeats}, ${arm}: ${left} ${left === 1 ? 'run' : 'runs'} to go, about ${minutes(secondsLeft(plan))}`,
		);
		const began = performance.now();
		const system = await systems.systemOf(plan.arms.find(({ id }) => id === arm) as Arm);
		const { folder, interrupted, images } = await system.measure({ group, progress: quietly(progress, said), signal });
		if (interrupted) return;
		const result = await finishRun(folder);
		const { verdict, reasons } = result.validity;
		plan.attempts.push({ block, arm, run: result.run, validity: verdict, took_s: (performance.now() - began) / 1000, images });
		await savePlan(plan);
		progress.say(`  ${verdict === 'VALID' ? '' : `${verdict} (${reasons.join('; ')}). `}${result.headline}`);
	}
}

/** @returns seconds that the remaining runs are likely to take */
export function secondsLeft(plan: Plan): number {
	const remaining = remainingOf(plan);
	return loadsOf(plan)
		.map((load) => partUnder(plan, load))
		.reduce((sum, part) => sum + secondsOfEach(part) * remaining.filter(isOf(part)).length, 0);
}

/** Seconds that a run under one load takes: the mean of those that were made, or as planned. */
function secondsOfEach(part: Plan) {
	const made = part.attempts.filter(isOf(part)).map(({ took_s: took }) => took);
	if (made.length > 0) return made.reduce((sum, took) => sum + took, 0) / made.length;
	return secondsOfRun(systemsOf(part).shape());
}

const isOf: (part: Plan) => (run: { arm: string }) => boolean =
	({ arms }) =>
	({ arm }) =>
		arms.some(({ id }) => id === arm);

export const minutes = (seconds: number) => (seconds < MINUTE_S ? 'a minute' : `${Math.ceil(seconds / MINUTE_S)} minutes`);

/** A line for each experiment with its runs and how long they take, and one for all of them. */
export function estimateOf(plans: Plan[]): string[] {
	const rows = plans.map((plan) => ({ title: plan.title, runs: remainingOf(plan).length, seconds: secondsLeft(plan) }));
	rows.push({
		title: 'in all',
		runs: rows.reduce((sum, { runs }) => sum + runs, 0),
		seconds: rows.reduce((sum, { seconds }) => sum + seconds, 0),
	});
	const width = Math.max(...rows.map(({ title }) => title.length));
	const digits = Math.max(...rows.map(({ runs }) => String(runs).length));
	return rows.map(
		({ title, runs, seconds }) =>
			`${title.padEnd(width)}  ${String(runs).padStart(digits)} ${runs === 1 ? 'run, ' : 'runs,'} about ${minutes(seconds)}`,
	);
}

export async function savePlan(plan: Plan) {
	const folder = join(REPORTS, plan.id);
	await makePrivate(folder);
	await writeFileAtomic(join(folder, RECORD.manifest), `${JSON.stringify(plan, null, 2)}\n`);
}
