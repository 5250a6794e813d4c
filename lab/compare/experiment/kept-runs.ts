/** Of each arm of an experiment one run whose result is among its records: of an excerpt the typical one, which is all that was kept. */

import { relative } from 'node:path';
import { RECORD } from '../../base/paths.ts';
import type { Records } from '../../record/findings.ts';
import type { KeptRun } from '../findings.ts';
import type { Plan } from '../plan.ts';

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
