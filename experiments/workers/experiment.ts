/**
 * A published sweep of closed-loop workers on three databases of one server.
 */

import type { Experiment } from '../../lab/catalog/experiments.ts';

/** 10 and 20 are published, 5, 8, 12 and 15 what the source recommends as the next tests and did not run. */
const SWEEP = [5, 8, 10, 12, 15, 20, 40];

/** Where lists have it. */
export const place = 7;

export const experiment: Experiment = {
	title: 'Twenty workers instead of ten',
	question: 'How many closed-loop workers does a database bear before more of them make it slower?',
	load: 'workers',
	judged_under: [{ load: 'brief', claims: ['W1', 'W2'] }],
	budget: 'database',
	remarks: [
		'in 12 s (LOAD=brief) the databases differ by about 5 %, in five minutes by 0.3 to 1.8 % (16 runs): how a short run spreads says nothing of a long one, so that W3 is judged under the own load of the experiment alone',
		'the server of the source is not described in figures that could be rebuilt; here MongoDB is given so little CPU that it is the tier that runs out of it as workers are added',
	],
	arms: SWEEP.map((workers) => ({ id: `workers-${workers}`, architecture: 'crud', variables: { WORKERS: String(workers) } })),
	pairs: [
		['workers-5', 'workers-10'],
		['workers-10', 'workers-20'],
		['workers-20', 'workers-40'],
	],
	curve: {
		x_label: 'workers a database',
		metric: 'goodput_rps',
		x: Object.fromEntries(SWEEP.map((workers) => [`workers-${workers}`, workers])),
	},
	published: {
		section: 'workers',
		runs: { 'workers-10': '10', 'workers-20': '20' },
		figures: {
			goodput_rps: 'throughput_ops',
			latency_ms_p95_read: 'latency_ms.read.p95',
			latency_ms_p95_create: 'latency_ms.create.p95',
			latency_ms_p95_update: 'latency_ms.update.p95',
			latency_ms_p95_delete: 'latency_ms.delete.p95',
			journal_mb_per_s: 'journal_mb_per_s',
		},
	},
};
