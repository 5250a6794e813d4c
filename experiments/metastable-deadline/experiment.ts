/**
 * How short one of these remedies has to be.
 */

import type { Experiment } from '../../lab/catalog/experiments.ts';
import { cutArm, METASTABLE } from '../metastable/experiment.ts';

/** Where lists have it. */
export const place = 5;

export const experiment: Experiment = {
	title: 'How short a deadline breaks the retry loop',
	question: 'A node gives up what has waited too long: is it soon enough when the users give up, or has it to be sooner?',
	...METASTABLE,
	remarks: [
		...METASTABLE.remarks,
		'planned when 8 runs of metastable-cures were made: two of them had a deadline as long as the time-out, which had not helped; trigger and load are those of that experiment',
	],
	arms: [
		cutArm('deadline-3s', '20%@15s+20s', { DEADLINE_MS: '3000' }),
		// So that the time-out has room for the work itself: 50 connections at once, at what the system serves when it is full.
		cutArm('deadline-1s', '20%@15s+20s', { DEADLINE_MS: '1000' }),
	],
	pairs: [['deadline-3s', 'deadline-1s']],
};
