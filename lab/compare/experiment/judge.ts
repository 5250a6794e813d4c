/** Judges all that a plan asks for from the results of its runs: its pairs, its claims, its curve. */

import { dirname, join, posix, relative } from 'node:path';
import { NotReadyError } from '../../base/errors.ts';
import { inRecord, makePrivate, writeFileAtomic } from '../../base/files.ts';
import { CAPACITY_RECORD, EXPERIMENT_RECORD, LIMIT_RECORD, RECORD } from '../../base/paths.ts';
import type { Records } from '../../record/findings.ts';
import { readRecord } from '../../record/findings.ts';
import type { Comparison, ExperimentResult } from '../../record/types.js';
import { formatCompareMarkdown, renderCompare } from '../../report/compare.ts';
import { formatExperimentMarkdown, renderExperiment } from '../../report/experiment.ts';
import { renderLimit } from '../../report/limit.ts';
import { renderReport } from '../../report/report.ts';
import { renderCapacityPlan } from '../../report/stamp.ts';
import { isControl, selfControlOf } from '../comparison/metric.ts';
import type { Invalid, Run } from '../comparison/runs.ts';
import { blocksWanted, comparisonOf, invalidOf } from '../comparison/runs.ts';
import { experimentOf } from '../experiment.ts';
import type { KeptRun } from '../findings.ts';
import type { Plan } from '../plan.ts';
import { COMPARE } from '../plan.ts';
import { systemsOf } from '../planned-systems.ts';
import { readOtherwise } from '../reread.ts';

/** The list of everything, as seen from an experiment's folder. */
const INDEX = '../../index.html';

type Judged = {
	/** with the folder of each, below the experiment's */
	comparisons: { comparison: Comparison; folder: string }[];
	/** null for a comparison alone */
	experiment: ExperimentResult | null;
	/** the A/A control among them */
	control: Comparison | null;
};

/** @param around what is there to be linked to */
export function judgePlan(
	plan: Plan,
	runs: Run[],
	{
		isKept,
		hasIndex,
	}: {
		/** a run's report */
		isKept: (run: string) => boolean;
		/** the list of everything, two folders up */
		hasIndex: boolean;
	},
): Judged {
	const alone = plan.experiment === COMPARE;
	const up = alone ? '' : '../../';
	const links = { index: hasIndex ? `${up}${INDEX}` : null, experiment: alone ? null : `${up}${EXPERIMENT_RECORD.page}` };
	const hrefFrom = (up: string) => (run: string) => (isKept(run) ? `${up}${run.slice(plan.id.length + 1)}` : null);
	const compare = ([base, other]: [string, string], control: Plan['control']) =>
		comparisonOf({ plan, runs, base, other, control, hrefOf: hrefFrom(up), links });
	// A control among the pairs is judged first: the others' deltas know of its noise.
	const own = plan.pairs.find((pair) => isControl(plan, ...pair));
	const control = (own && selfControlOf(compare(own, null).metrics, plan)) ?? plan.control;
	const comparisons = plan.pairs.map((pair) => ({ comparison: compare(pair, control), folder: alone ? '' : pairFolder(...pair) }));
	const pairs = comparisons.map(({ comparison: { base, other, verdict }, folder }) => ({
		base: base.id,
		other: other.id,
		href: `${folder}/${EXPERIMENT_RECORD.comparisonPage}`,
		verdict,
	}));
	return {
		comparisons,
		experiment: alone ? null : experimentOf({ plan, runs, pairs, hrefOf: hrefFrom(''), index: hasIndex ? INDEX : null }),
		control: comparisons.find(({ comparison: { base, other } }) => isControl(plan, base.id, other.id))?.comparison ?? null,
	};
}

const pairFolder = (base: string, other: string) =>
	`${EXPERIMENT_RECORD.pairs}/${`${base} vs ${other}`.replaceAll(/[^\w-]+/g, '-').replace(/-$/, '')}`;

/*
 * Of each arm of an experiment one run whose result is among its records: of an excerpt the typical one, which is all that was kept.
 */

/**
 * @param run folder below reports/
 * @returns path of its result below the experiment's folder
 */
export const resultPath = ({ id }: Pick<Plan, 'id'>, run: string): string => `${relative(id, run)}/${RECORD.result}`;

/** @param records of the experiment */
export function keptRuns(plan: Pick<Plan, 'id' | 'attempts'> | null | undefined, records: Records): KeptRun[] {
	const kept: Map<string, KeptRun> = new Map();
	for (const { arm, run, validity } of plan?.attempts ?? []) {
		const result = plan && validity !== 'INVALID' && records[resultPath(plan, run)];
		if (result && !kept.has(arm)) kept.set(arm, { arm, result });
	}
	return [...kept.values()];
}

/*
 * Writes the records of an experiment, and beside each the pages that its readers see.
 */

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

/*
 * Judges an experiment from the plan and the results in its folder, and writes what its readers see.
 */

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

/** Whether a comparison has an answer, judged as at its end. */
export async function isDecided(folder: string, plan: Plan) {
	const [{ comparison }] = judgePlan(plan, await readRuns(folder, plan), { isKept: () => true, hasIndex: true }).comparisons;
	return comparison.verdict.word !== 'INCONCLUSIVE';
}

/** @throws {NotReadyError} when the result of a run is not there */
export async function readRuns(folder: string, plan: Plan): Promise<Run[]> {
	return Promise.all(
		[...(plan.baseline?.attempts ?? []), ...plan.attempts].map(async (attempt) => {
			const path = posix.join(attempt.run.slice(plan.id.length + 1), RECORD.result);
			const result = await readRecord(folder, path);
			if (result !== null) return { attempt, result };
			throw new NotReadyError(
				`Expected the result of every run of the experiment; found no ${join(folder, path)}.`,
				'an excerpt cannot be judged again; use the folder that it was made from.',
			);
		}),
	);
}

export const recordsOf = ({ comparisons, experiment }: Pick<Judged, 'comparisons' | 'experiment'>): Records => ({
	...(experiment && { [EXPERIMENT_RECORD.result]: experiment }),
	...Object.fromEntries(comparisons.map(({ comparison, folder }) => [posix.join(folder, EXPERIMENT_RECORD.comparison), comparison])),
});

/** Leaves what later comparisons on this machine need to know. */
async function writeControl(folder: string, plan: Plan, { base, control }: Comparison) {
	const { load, budget, machine, variables, arms } = plan;
	const arm = arms.find(({ id }) => id === base.id);
	await writeFileAtomic(
		join(folder, EXPERIMENT_RECORD.control),
		`${JSON.stringify({ load, budget, machine, variables, fingerprint: systemsOf(plan).fingerprint(load), arm, control }, null, 2)}\n`,
	);
}
