/**
 * The lab against itself.
 */

import type { Experiment } from '../../lab/catalog/experiments.ts';

/** Where lists have it. */
export const place = 13;

export const experiment: Experiment = {
	title: 'What the lab can tell apart',
	question: 'Is an architecture the same as itself, and is a slow-down of 10 % found and one of 1 % not called?',
	// Each node answers after 100 ms, so that 110 and 101 are slow-downs of which the size is known.
	load: 'steady',
	arms: [
		{ id: 'a', architecture: 'a', variables: { DELAY: '100' } },
		{ id: 'a again', architecture: 'a', variables: { DELAY: '100' } },
		{ id: 'a 10 % slower', architecture: 'a', variables: { DELAY: '110' } },
		{ id: 'a 1 % slower', architecture: 'a', variables: { DELAY: '101' } },
	],
	pairs: [
		['a', 'a again'],
		['a', 'a 10 % slower'],
		['a', 'a 1 % slower'],
	],
};
