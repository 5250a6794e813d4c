/**
 * A stored baseline: runs that stand for the first arm of a comparison, of one earlier comparison or experiment, or of the newest of several that fit.
 */

import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { LabError, NotReadyError } from '../../base/errors.ts';
import { inRecord, makePrivate, readInRecord } from '../../base/files.ts';
import { EXPERIMENT_RECORD, RECORD, REPORTS } from '../../base/paths.ts';
import { writePrivate } from '../../base/private-file.ts';
import { describeMachine } from '../../docker/lock.ts';
import type { Arm } from '../../options/arms.ts';
import { readLab } from '../../run/components.ts';
import type { Lab, Plan } from '../plan.ts';
import { readPlan } from './read-plan.ts';

/** path: of its folder */
type Stored = { path: string; plan: Plan };

type OpenBaseline = {
	/** by whose conditions the other arm is measured: the newest that fits this machine */
	stored: Plan;
	/** under a label that says that it was measured at another time */
	base: Arm;
	/** a plan of the other arm alone, with the runs, which are copied, and with what is doubtful about them */
	takeInto: (plan: Plan) => Promise<Plan>;
};

/** Older ones say less of today than they blur. */
const COMPARISONS_MOST = 5;
/** What a run of it is read and shown by. */
const KEPT = [RECORD.result, RECORD.report];

/**
 * @param path of the folder of an earlier comparison, or of one that holds several
 * @param wanted arm
 * @param own name of the system of a folder, whose baseline it is; null of a shipped architecture
 * @throws {NotReadyError} naming what keeps its runs from standing for the arm
 */
export async function openBaseline(path: string, wanted: string, own: string | null): Promise<OpenBaseline> {
	const found = await storedIn(path);
	if (found === null) {
		const one = { path, plan: await readPlan('BASELINE', path) };
		const unfit = unfitSystem(one.plan, own) ?? unfitArm(one, wanted);
		if (unfit) throw new NotReadyError(`BASELINE: expected runs of ${wanted} in ${path}; found ${unfit}.`, REMEDY);
		return openedOf([one], wanted, () => []);
	}
	const [machine, lab] = [await describeMachine(), await readLab()];
	const judged = found.map((one) => ({
		...one,
		unfit: unfitSystem(one.plan, own) ?? unfitArm(one, wanted) ?? unfitHere(one.plan, machine, lab),
	}));
	const fitting = judged.filter(({ unfit }) => unfit === null);
	const leftOut = judged.filter(({ unfit }) => unfit !== null).map(({ path: folder, unfit }) => `${basename(folder)} (${unfit})`);
	if (fitting.length > 0) return openedOf(fitting, wanted, () => leftOut);
	throw new NotReadyError(`BASELINE: expected a comparison in ${path} that fits; found none: ${leftOut.join(', ')}.`, REMEDY);
}

const REMEDY = 'name the arm of the baseline (A=...), or measure another baseline here, with the load and the options of this comparison.';

/** @returns newest first; null where it is not the folder of several */
async function storedIn(path: string): Promise<Stored[] | null> {
	if (existsSync(join(path, RECORD.manifest))) return null;
	const names = (await readdir(path).catch(() => [])).filter((name) => existsSync(join(path, name, RECORD.manifest)));
	const found = await Promise.all(
		names.map(async (name) => {
			try {
				return [{ path: join(path, name), plan: await readPlan('BASELINE', join(path, name)) }];
			} catch (error) {
				// Single runs lie beside them.
				if (error instanceof LabError) return [];
				throw error;
			}
		}),
	);
	const all = found.flat().sort((one, other) => other.plan.started.localeCompare(one.plan.started));
	return all.length > 0 ? all : null;
}

/** @returns what it is of instead */
function unfitSystem({ loads, arms }: Plan, own: string | null): string | null {
	if (own === null) return loads ? 'those of a system of its own, which is compared in its folder' : null;
	return loads && arms[0].architecture === own ? null : `those of ${arms[0].architecture}`;
}

function unfitArm({ path, plan: { attempts } }: Stored, wanted: string): string | null {
	const runs = attempts.filter(({ arm }) => arm === wanted);
	if (runs.length === 0) return `runs of ${[...new Set(attempts.map(({ arm }) => arm))].join(', ') || 'nothing'}`;
	const missing = runs
		.flatMap(({ run }) => KEPT.map((file) => join(path, EXPERIMENT_RECORD.runs, basename(run), file)))
		.find((file) => !existsSync(file));
	return missing ? `no ${missing}, as in an excerpt` : null;
}

function unfitHere(plan: Plan, machine: Record<string, any>, lab: Lab): string | null {
	if (!isSameMachine(plan, machine)) return `another machine: ${plan.machine.cores} cores ${plan.machine.cpu_model}`;
	return plan.lab?.version === lab.version && plan.git?.commit === lab.git?.commit ? null : 'another version of Doubletake';
}

const isSameMachine: (plan: Plan, machine: Record<string, any>) => boolean = (plan, { cpu_model: model, cores }) =>
	plan.machine.cpu_model === model && plan.machine.cores === cores;

/**
 * @param all newest first
 * @param leftOut in words
 */
function openedOf(all: Stored[], wanted: string, leftOut: () => string[]): OpenBaseline {
	const [{ plan: stored }] = all;
	const arm = stored.arms.find(({ id }) => id === wanted) as Arm;
	const base = { ...arm, id: `${arm.id} (baseline)` };
	return {
		stored,
		base,
		async takeInto(plan) {
			const isHistory = all.length > 1 || leftOut().length > 0;
			// The conditions that a single one must have are refused by whoever asked for it.
			const judged = all.map((one) => ({ ...one, unfit: isHistory || plan.loads ? unfitConditions(one.plan, plan, stored) : null }));
			const fitting = judged.filter(({ unfit }) => unfit === null);
			const others = [...leftOut(), ...judged.flatMap(({ path, unfit }) => (unfit === null ? [] : [`${basename(path)} (${unfit})`]))];
			if (fitting.length === 0)
				throw new NotReadyError(
					`BASELINE: expected runs under the conditions of this comparison; found none: ${others.join(', ')}.`,
					REMEDY,
				);
			const taken = fitting.slice(0, COMPARISONS_MOST);
			const older = fitting.length - taken.length;
			const attempts = [];
			const history = [];
			for (const one of taken) {
				const before = attempts.length;
				for (const attempt of one.plan.attempts.filter((candidate) => candidate.arm === wanted)) {
					const name = basename(attempt.run);
					const run = `${plan.id}/${EXPERIMENT_RECORD.baseline}/${name}`;
					await makePrivate(join(REPORTS, run));
					for (const file of KEPT) {
						const kept = readInRecord(one.path, join(EXPERIMENT_RECORD.runs, name, file));
						if (kept !== null) await writePrivate(inRecord(REPORTS, join(run, file)), kept);
					}
					// Each of its runs has a block of its own: they are compared with all of the other arm.
					attempts.push({ ...attempt, arm: base.id, run, block: isHistory ? attempts.length + 1 : attempt.block });
				}
				history.push({ from: one.plan.id, started: one.plan.started, runs: attempts.length - before });
			}
			const same = isSameMachine(stored, plan.machine);
			return {
				...plan,
				arms: [base, ...plan.arms],
				notes: [
					...plan.notes,
					...(same
						? []
						: [
								`the baseline was measured on another machine (${stored.machine.cores} cores ${stored.machine.cpu_model}): nothing can be concluded from a difference`,
							]),
					...(others.length > 0 ? [`left out of the baseline, because they do not fit: ${others.join(', ')}`] : []),
					...(older > 0 ? [`left out of the baseline: ${older} older than the newest ${COMPARISONS_MOST} that fit`] : []),
				],
				baseline: {
					arm: base.id,
					from: stored.id,
					started: stored.started,
					same_machine: same,
					...(isHistory ? { history } : {}),
					attempts,
				},
			};
		},
	};
}

/** In what one was measured otherwise than the comparison will be, whose conditions are those of the newest. */
function unfitConditions(one: Plan, plan: Plan, newest: Plan): string | null {
	if (one.load !== plan.load || one.loads?.[one.load]?.fingerprint !== plan.loads?.[plan.load]?.fingerprint) return 'another load';
	if (one.budget !== plan.budget) return 'another budget';
	if (!isDeepStrictEqual(one.variables, plan.variables)) return 'other options';
	return isDeepStrictEqual(one.calibration, newest.calibration) ? null : 'another calibration';
}
