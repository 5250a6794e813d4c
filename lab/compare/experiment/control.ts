/**
 * Finds the A/A control that was measured last on this machine under the same load and budget: what two identical
 * architectures were seen to differ by, which no comparison here may call a difference.
 */

import { isDeepStrictEqual } from 'node:util';
import { EXPERIMENT_RECORD } from '../../base/paths.ts';
import { type Arm, isSameSystem } from '../../options/arms.ts';
import type { Control } from '../../record/types.js';
import { readRecords } from '../../report/reports.ts';
import { armOfToday } from '../plan.ts';

export async function findControl(wanted: {
	load: string;
	budget: string;
	/** for all arms */
	variables: Record<string, string>;
	machine: { cpu_model: string; cores: number };
	/** one of them is what the control was made of */
	arms: Arm[];
	/** of the load, where that is a user's own */
	fingerprint?: string;
}): Promise<Control | null> {
	const found = (await readRecords(EXPERIMENT_RECORD.control)).map(({ record }) => record);
	return newestFitting(found, wanted);
}

/** @param records of controls, in any order */
function newestFitting(
	records: any[],
	{ load, budget, variables, machine, arms, fingerprint }: Parameters<typeof findControl>[0],
): Control | null {
	const fitting = records.filter(
		(record) =>
			record.load === load &&
			record.budget === budget &&
			record.fingerprint === fingerprint &&
			record.machine.cpu_model === machine.cpu_model &&
			record.machine.cores === machine.cores &&
			isDeepStrictEqual(record.variables, variables) &&
			arms.some((arm) => isSameSystem(arm, armOfToday(record.arm))),
	);
	return fitting.sort((one, other) => other.control.started.localeCompare(one.control.started))[0]?.control ?? null;
}
