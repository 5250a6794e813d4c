/**
 * What a published experiment found when it doubled its servers, and whose fault it was.
 */

import type { Experiment } from '../../lab/catalog/experiments.ts';

/** Where lists have it. */
export const place = 1;

export const experiment: Experiment = {
	title: 'Two servers instead of one',
	question: 'Does a second node double the service, and if requests fail, whose fault is it?',
	// Where a second node adds compute, as in the source, whose machine was not full with one.
	load: 'ramp',
	budget: 'fair',
	judged_under: [
		// Without quotas, as published: whatever is claimed of failures, but not of growth, because all tiers share the same cores.
		{ load: 'ramp', budget: 'none', claims: ['D2', 'D2b', 'D3', 'D4', 'D5a', 'D5b', 'D5c'] },
		// As many users, and no more requests than one node serves, so that failing fast makes no load: nothing can grow in it.
		{ load: 'patient', claims: ['D2', 'D2b', 'D3', 'D4', 'D5a', 'D5b', 'D5c'] },
	],
	remarks: [
		'a closed loop: a user whose request failed is soon back with another, so that failing fast raises the number of failed requests, and with it the failure rate',
	],
	arms: ['a', 'a-lb', '2a', '2a-slots', '2a-keepalive', '2a-pool500', '1a-tuned', '2a-tuned'].map((id) => ({ id, architecture: id })),
	pairs: [
		['a', '2a'],
		['a', 'a-lb'],
		['a-lb', '2a'],
		['2a', '2a-slots'],
		['2a', '2a-keepalive'],
		['2a', '2a-pool500'],
		['1a-tuned', '2a-tuned'],
	],
};
