/**
 * The queue that the same source put before its database.
 */

import type { Experiment } from '../../lab/catalog/experiments.ts';

/** Where lists have it. */
export const place = 2;

export const experiment: Experiment = {
	title: 'A queue before the database',
	question: 'Does a queue restore availability, or does it only answer before the work is done?',
	load: 'ramp',
	// As published; and what a message costs a queue no calibration measures.
	budget: 'none',
	remarks: [
		'a queue answers 202 when it has a write; here goodput counts the writes that were done while the load went on, and failure rate the requests that were not accepted',
	],
	arms: ['a', '2a', '2a-slots', '2a-list'].map((id) => ({ id, architecture: id })),
	pairs: [
		['a', '2a-list'],
		['2a', '2a-list'],
		['2a-slots', '2a-list'],
	],
};
