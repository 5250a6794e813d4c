/**
 * Nodes one by one, from which a plan of capacity is made too.
 */

import type { Experiment } from '../../lab/catalog/experiments.ts';

/** Where lists have it. */
export const place = 12;

export const experiment: Experiment = {
	title: 'One to four nodes',
	question: 'What does each further node add, and where does it end?',
	load: 'hold',
	budget: 'scale',
	remarks: [
		'an earlier plan held its load for 30 s after a warm-up with 20 users, and gave the database less: with three and four nodes the rate moved by more than 10 % within 8 of 16 runs, with four the database ran out of CPU, and the law fitted to one to three nodes said 740 requests a second for four (632 to 855) where 916 were measured',
	],
	arms: ['1a-tuned', '2a-tuned', '3a-tuned', '4a-tuned'].map((id) => ({ id, architecture: id })),
	pairs: [
		['1a-tuned', '2a-tuned'],
		['2a-tuned', '3a-tuned'],
		['3a-tuned', '4a-tuned'],
	],
	curve: { x_label: 'nodes', metric: 'goodput_rps', x: { '1a-tuned': 1, '2a-tuned': 2, '3a-tuned': 3, '4a-tuned': 4 } },
};
