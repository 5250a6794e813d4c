/** Judges all that a plan asks for from the results of its runs: its pairs, its claims, its curve. */

import { join, posix } from 'node:path';
import { NotReadyError } from '../../base/errors.ts';
import { EXPERIMENT_RECORD, RECORD } from '../../base/paths.ts';
import { readRecord } from '../../record/excerpt-file.ts';
import type { Records } from '../../record/findings.ts';
import type { Comparison, ExperimentResult } from '../../record/types.js';
import { isControl, selfControlOf } from '../comparison/metric.ts';
import { comparisonOf, type Run } from '../comparison/runs.ts';
import { experimentOf } from '../experiment.ts';
import { COMPARE, type Plan } from '../plan.ts';

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
