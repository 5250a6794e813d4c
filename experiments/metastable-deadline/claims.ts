/**
 * A deadline that is shorter than the time-out of the users, where one as long as it had not helped.
 */

import type { WrittenClaim } from '../../lab/catalog/claims.ts';
import { CHANGED, OWN, outcome, TEST } from '../metastable/claims.ts';

export const claims: WrittenClaim[] = [
	{
		id: 'R1i',
		statement: 'A deadline lets it come back where it is shorter than the time-out.',
		source: OWN,
		own: true,
		changed: CHANGED,
		published: [{ label: 'outcome', text: 'said to help in general; not measured with this trigger' }],
		test: `${TEST.back} With a deadline as long as the time-out: ${TEST.down}`,
		delta: 'three of four runs',
		tests: [outcome('deadline-3s', false), outcome('deadline-1s', true)],
		remarks: ['With a deadline of 3 s, as long as the time-out, it stayed down in {test 1} of the runs.'],
		shown: [
			'with a deadline of 1 s: {came_back_share@deadline-1s} of the good answers a second before it',
			'with one of 3 s: {came_back_share@deadline-3s}',
			'failed with a deadline of 1 s: {failure_rate@deadline-1s}, with one of 3 s: {failure_rate@deadline-3s}',
		],
		quotes: {
			HOLDS: 'Service came back with a deadline of 1 s, in {test 2} of the runs.',
			REFUTED:
				'A shorter deadline is not shown to help: service stayed down with one of 3 s in {test 1} of the runs, and came back with one of 1 s in {test 2}.',
			INCONCLUSIVE:
				'With a deadline of 3 s service stayed down in {test 1} of the runs, and with one of 1 s it came back in {test 2}: neither the rule nor the exception.',
		},
	},
];
