/**
 * A comparison judged a second time, without the runs that are SUSPECT: no verdict rests on one that is not VALID. What is called better,
 * worse or the same has to be called so again.
 */

import { comparedMetrics } from '../../catalog/metrics.ts';
import { isDoubted, statementsOf } from '../../record/touches.ts';
import type { MetricComparison } from '../../record/types.js';
import { count } from '../../stats/figure-words.ts';
import type { Run } from './runs.ts';

/** Of all metrics that runs are compared by: a run is judged with or without, never by one metric and not by the next. */
const COMPARED = comparedMetrics.flatMap(({ id }) => statementsOf(id));

/** Whether no doubt can move what it is compared by (../../record/touches.ts). */
export const isValid = ({ result: { validity } }: Run) => !isDoubted(validity, COMPARED);

/**
 * @param judged over all runs that count
 * @param again over the VALID ones; complete: blocks that are left; least: needed
 */
export const heldWithoutSuspect = (
	judged: MetricComparison[],
	again: { metrics: MetricComparison[]; complete: number; least: number },
): MetricComparison[] =>
	judged.map((metric) => {
		const { id, verdict } = metric;
		const second = again.metrics.find((other) => other.id === id)?.verdict ?? 'INCONCLUSIVE';
		if (verdict === 'INCONCLUSIVE' || verdict === second) return metric;
		return {
			...metric,
			verdict: 'INCONCLUSIVE' as const,
			held_back: `${verdict} with SUSPECT runs, ${withoutThem(second, again)}`,
		};
	});

function withoutThem(second: MetricComparison['verdict'], { complete: blocks, least }: { complete: number; least: number }): string {
	if (blocks >= least) return `and ${second === 'INCONCLUSIVE' ? 'inconclusive' : second} without them`;
	return `and without them ${count(blocks)} ${blocks === 1 ? 'repetition is' : 'repetitions are'} left, where a verdict needs ${least}`;
}
