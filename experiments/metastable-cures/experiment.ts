/**
 * What clients and nodes can do about a failure that stays.
 */

import type { Experiment } from '../../lab/catalog/experiments.ts';
import { cutArm, METASTABLE } from '../metastable/experiment.ts';

/** Where lists have it. */
export const place = 4;

export const experiment: Experiment = {
	title: 'What breaks the retry loop',
	question: 'After a cut from which a service does not come back by itself: which change in the clients or the node lets it?',
	...METASTABLE,
	remarks: [
		...METASTABLE.remarks,
		'the cut is twice as long as the published one: 10 s lie at the edge here, so that 3 of 8 runs came back by themselves (the metastable experiment), and a run that comes back with a remedy would say nothing; it was made longer before the first run',
	],
	arms: [
		cutArm('to-20-20s', '20%@15s+20s'),
		cutArm('no-retries', '20%@15s+20s', { RETRIES: '0' }),
		cutArm('retry-budget', '20%@15s+20s', { RETRY_BUDGET: '10' }),
		cutArm('deadline', '20%@15s+20s', { DEADLINE_MS: '3000' }),
		cutArm('shedding', '20%@15s+20s', { WORK_MOST: '200' }),
	],
	pairs: [
		['to-20-20s', 'no-retries'],
		['to-20-20s', 'retry-budget'],
		['to-20-20s', 'deadline'],
		['to-20-20s', 'shedding'],
	],
};
