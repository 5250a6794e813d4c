/** Whether the faults that a user put in (FAULT) were there: without one of them it is another run than the one that was asked for. */

import type { PutFault } from '../../options/fault-plan.ts';
import type { Doubt } from './grade.ts';
import type { ValidityInput } from './validity.ts';

/** @returns of the whole run */
export function faultsNotPut({ facts: { raw } }: ValidityInput): Doubt[] {
	const put = (raw.manifest.faults ?? []) as PutFault[];
	return put
		.filter(({ failed }) => failed !== null)
		.map(({ text, began_s: began, failed }) => ({
			rule: `fault: ${text}`,
			grade: 'INVALID',
			reason: `the fault "${text}" was not ${began === null ? 'put in' : 'undone'}: ${failed}`,
		}));
}
