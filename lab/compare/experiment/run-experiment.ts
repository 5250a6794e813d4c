/**
 * Makes the runs of a plan, block by block, and keeps the plan up to date on disk after each, so that an interruption
 * loses one run at most.
 *
 * @import { Progress } from '../../cli/reporter.ts'
 * @import { Arm } from '../../options/arms.ts'
 * @import { Plan } from '../plan.ts'
 * @import { Planned } from '../systems.ts'
 */

import { join } from 'node:path';
import { makePrivate, writeFileAtomic } from '../../base/files.ts';
import { EXPERIMENT_RECORD, RECORD, REPORTS } from '../../base/paths.ts';
import { secondsOfRun } from '../../options/calibration.ts';
import { finishRun } from '../../report/reports.ts';
import { loadsOf, partUnder, quietly } from '../plan.ts';
import { systemsOf } from '../planned-systems.ts';
import { openPlanned } from '../systems.ts';
import { isDecided } from './judge.ts';
import { remainingOf } from './read-plan.ts';

const MINUTE_S = 60;

/**
 * @param {object} options
 * @param {Plan} options.plan  its attempts are added to
 * @param {Progress} options.progress
 * @param {AbortSignal} options.signal
 * @returns {Promise<void>} when all runs are made, or the signal was given
 */
export async function runExperiment({ plan, progress, signal }) {
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

/** @param {Parameters<typeof runExperiment>[0] & { systems: Planned }} options */
async function makeRuns({ plan, systems, progress, signal }) {
	// The folder below reports/ in which each run has its own.
	const group = `${plan.id}/${EXPERIMENT_RECORD.runs}`;
	const said = /** @type {Set<string>} */ (new Set());
	for (let next = remainingOf(plan)[0]; next && !signal.aborted; next = remainingOf(plan)[0]) {
		const { block, arm } = next;
		const isWhole = plan.attempts.length > 0 && plan.attempts.every((attempt) => attempt.block < block);
		if (plan.stopping && isWhole && (await isDecided(join(REPORTS, plan.id), plan))) {
			progress.say('the answer is clear: no more blocks are made');
			return;
		}
		const left = remainingOf(plan).length;
		progress.say(
			`block ${block} of ${plan.repeats}, ${arm}: ${left} ${left === 1 ? 'run' : 'runs'} to go, about ${minutes(secondsLeft(plan))}`,
		);
		const began = performance.now();
		const system = await systems.systemOf(/** @type {Arm} */ (plan.arms.find(({ id }) => id === arm)));
		const { folder, interrupted, images } = await system.measure({ group, progress: quietly(progress, said), signal });
		if (interrupted) return;
		const result = await finishRun(folder);
		const { verdict, reasons } = result.validity;
		plan.attempts.push({ block, arm, run: result.run, validity: verdict, took_s: (performance.now() - began) / 1000, images });
		await savePlan(plan);
		progress.say(`  ${verdict === 'VALID' ? '' : `${verdict} (${reasons.join('; ')}). `}${result.headline}`);
	}
}

/** @param {Plan} plan @returns {number} seconds that the remaining runs are likely to take */
export function secondsLeft(plan) {
	const remaining = remainingOf(plan);
	return loadsOf(plan)
		.map((load) => partUnder(plan, load))
		.reduce((sum, part) => sum + secondsOfEach(part) * remaining.filter(isOf(part)).length, 0);
}

/** Seconds that a run under one load takes: the mean of those that were made, or as planned. @param {Plan} part */
function secondsOfEach(part) {
	const made = part.attempts.filter(isOf(part)).map(({ took_s: took }) => took);
	if (made.length > 0) return made.reduce((sum, took) => sum + took, 0) / made.length;
	return secondsOfRun(systemsOf(part).shape());
}

/** @type {(part: Plan) => (run: { arm: string }) => boolean} */
const isOf =
	({ arms }) =>
	({ arm }) =>
		arms.some(({ id }) => id === arm);

/** @param {number} seconds */
export const minutes = (seconds) => (seconds < MINUTE_S ? 'a minute' : `${Math.ceil(seconds / MINUTE_S)} minutes`);

/**
 * A line for each experiment with its runs and how long they take, and one for all of them.
 * @param {Plan[]} plans
 * @returns {string[]}
 */
export function estimateOf(plans) {
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

/** @param {Plan} plan */
export async function savePlan(plan) {
	const folder = join(REPORTS, plan.id);
	await makePrivate(folder);
	await writeFileAtomic(join(folder, RECORD.manifest), `${JSON.stringify(plan, null, 2)}\n`);
}
