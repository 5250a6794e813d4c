/**
 * A published ticket shop that sold more with one worker than with three.
 */

import type { Experiment } from '../../lab/catalog/experiments.ts';

/** Where lists have it. */
export const place = 6;

export const experiment: Experiment = {
	title: 'One worker instead of three',
	question: 'When sales are gathered into batches, do more workers sell more tickets?',
	load: 'checkout',
	budget: 'none',
	remarks: [
		'without quotas all tiers and the generator share the cores of one machine, so that another worker also takes CPU from what is around it; the source had 8 cores, and its batches shrank as these do',
	],
	arms: [
		...['1', '2', '3'].map((workers) => ({ id: `batched-${workers}`, architecture: `tickets-${workers}` })),
		...['1', '3'].map((workers) => ({
			id: `single-${workers}`,
			architecture: `tickets-${workers}`,
			variables: { BATCHING: '0' },
		})),
		// A stock that runs out while the load goes on: what matters is that exactly all of it is sold.
		{ id: 'sold-out', architecture: 'tickets-3', variables: { STOCK: '5000' } },
	],
	pairs: [
		['batched-3', 'batched-1'],
		['batched-1', 'batched-2'],
		['batched-2', 'batched-3'],
		['single-1', 'batched-1'],
		['single-3', 'batched-3'],
	],
	published: {
		section: 'batching',
		runs: { 'batched-1': '1', 'batched-2': '2', 'batched-3': '3' },
		figures: { goodput_rps: 'throughput_ops', batch_size_mean: 'batch_size_mean' },
	},
};
