/** Judges an experiment from the plan and the results in its folder, and writes what its readers see. */

import { join } from 'node:path';
import { EXPERIMENT_RECORD } from '../../base/paths.ts';
import { writeFileAtomic } from '../../base/whole-file.ts';
import type { Comparison, ExperimentResult } from '../../record/types.js';
import { blocksWanted, type Invalid, invalidOf } from '../comparison/runs.ts';
import type { Plan } from '../plan.ts';
import { systemsOf } from '../planned-systems.ts';
import { judgePlan, readRuns, recordsOf } from './judge.ts';
import { writeRecords } from './write-records.ts';

/**
 * @param folder of the experiment
 * @returns the finding, the page to open, the comparison where it is one, all that the page shows, how many blocks more a comparison wants for a
 * verdict, and which of its runs decide nothing
 */
export async function finishExperiment(
	folder: string,
	plan: Plan,
): Promise<{
	sentence: string;
	page: string;
	comparison: Comparison | null;
	result: ExperimentResult | Comparison;
	blocksWanted: number;
	invalid: Invalid;
}> {
	const runs = await readRuns(folder, plan);
	const judged = judgePlan(plan, runs, { isKept: () => true, hasIndex: true });
	await writeRecords(folder, recordsOf(judged));
	if (judged.control?.control) await writeControl(folder, plan, judged.control);
	const { experiment } = judged;
	if (experiment)
		return {
			sentence: experiment.headline,
			page: join(folder, EXPERIMENT_RECORD.page),
			comparison: null,
			result: experiment,
			blocksWanted: 0,
			invalid: invalidOf(plan, runs),
		};
	const [{ comparison }] = judged.comparisons;
	const page = join(folder, EXPERIMENT_RECORD.comparisonPage);
	const { sentence, word } = comparison.verdict;
	return {
		sentence,
		page,
		comparison,
		result: comparison,
		blocksWanted: word === 'INCONCLUSIVE' ? blocksWanted(plan, runs) : 0,
		invalid: invalidOf(plan, runs),
	};
}

/** Leaves what later comparisons on this machine need to know. */
async function writeControl(folder: string, plan: Plan, { base, control }: Comparison) {
	const { load, budget, machine, variables, arms } = plan;
	const arm = arms.find(({ id }) => id === base.id);
	await writeFileAtomic(
		join(folder, EXPERIMENT_RECORD.control),
		`${JSON.stringify({ load, budget, machine, variables, fingerprint: systemsOf(plan).fingerprint(load), arm, control }, null, 2)}\n`,
	);
}
