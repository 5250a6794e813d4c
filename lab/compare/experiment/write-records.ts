/** Writes the records of an experiment, and beside each the pages that its readers see. */

import { dirname, join, posix } from 'node:path';
import { inRecord, makePrivate } from '../../base/files.ts';
import { CAPACITY_RECORD, EXPERIMENT_RECORD, LIMIT_RECORD, RECORD } from '../../base/paths.ts';
import { writeFileAtomic } from '../../base/whole-file.ts';
import type { Records } from '../../record/findings.ts';
import { formatCompareMarkdown, renderCompare } from '../../report/compare.ts';
import { formatExperimentMarkdown, renderExperiment } from '../../report/experiment.ts';
import { renderLimit } from '../../report/limit.ts';
import { renderReport } from '../../report/report.ts';
import { renderCapacityPlan } from '../../report/stamp.ts';
import { readOtherwise } from '../reread.ts';
import { keptRuns } from './kept-runs.ts';

/**
 * What is made of a record, by its name: texts by theirs. beside: the names of all records in its folder; records: all of them, by path.
 */
const PAGES: Record<string, (record: any, beside: string[], records: Records) => Record<string, string | Promise<string>>> = {
	[EXPERIMENT_RECORD.result]: (experiment, _, records) => {
		const otherwise = readOtherwise(experiment, records[RECORD.manifest]?.claims, keptRuns(records[RECORD.manifest], records));
		return {
			[EXPERIMENT_RECORD.markdown]: formatExperimentMarkdown(experiment, otherwise),
			[EXPERIMENT_RECORD.page]: renderExperiment(experiment, otherwise),
		};
	},
	[EXPERIMENT_RECORD.comparison]: (comparison) => ({
		[EXPERIMENT_RECORD.comparisonMarkdown]: formatCompareMarkdown(comparison),
		[EXPERIMENT_RECORD.comparisonPage]: renderCompare(comparison),
	}),
	[LIMIT_RECORD.data]: (limit) => ({ [LIMIT_RECORD.page]: renderLimit(limit) }),
	[CAPACITY_RECORD.data]: (plan) => ({ [CAPACITY_RECORD.page]: renderCapacityPlan(plan) }),
	// Where a run's result is among the records, it is a copy: its raw record and the list of everything are elsewhere.
	[RECORD.result]: (result, beside) => ({ [RECORD.report]: renderReport(result, { files: beside, hasIndex: false }) }),
};

/** @param folder of the experiment */
export async function writeRecords(folder: string, records: Records) {
	const paths = Object.keys(records);
	for (const path of paths) {
		const place = dirname(inRecord(folder, path));
		const beside = paths.filter((other) => posix.dirname(other) === posix.dirname(path)).map((other) => posix.basename(other));
		await makePrivate(place);
		await writeFileAtomic(join(folder, path), `${JSON.stringify(records[path])}\n`);
		const pages = PAGES[posix.basename(path)]?.(records[path], beside, records) ?? {};
		for (const [name, text] of Object.entries(pages)) await writeFileAtomic(join(place, name), await text);
	}
}
