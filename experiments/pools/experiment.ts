/**
 * The variants of a published example of a worker pool, and the case that it leaves out.
 */
import { architectures } from '../../lab/catalog/architectures.ts';
import type { Experiment } from '../../lab/catalog/experiments.ts';
import { published } from '../../lab/catalog/published.ts';

/** Where lists have it. */
export const place = 9;

export const experiment: Experiment = {
	title: 'A worker pool for work that waits',
	question: 'When does a worker pool help, and when does it cost?',
	load: 'connections',
	budget: 'none',
	arms: (architectures.pools.variables?.VARIANT.choices ?? []).map((variant) => ({
		id: variant,
		architecture: 'pools',
		variables: { VARIANT: variant },
	})),
	pairs: [
		['async-unpooled', 'async-pooled'],
		['sync-unpooled', 'sync-pooled'],
		['async-unpooled', 'async-pooled-tuned'],
		['sync-pooled', 'sync-pooled-tuned'],
		['sync-pooled-tuned', 'sync-pooled-tuned-started'],
		['hash-unpooled', 'hash-pooled'],
	],
	published: {
		section: 'pools',
		runs: Object.fromEntries(Object.keys(published.pools.runs).map((variant) => [variant, variant])),
		figures: {
			goodput_rps: 'throughput_rps',
			latency_ms_p2_5_ok: 'latency_ms.p2_5',
			latency_ms_p50_ok: 'latency_ms.p50',
			latency_ms_p97_5_ok: 'latency_ms.p97_5',
			latency_ms_p99_ok: 'latency_ms.p99',
			latency_ms_mean_ok: 'latency_ms.mean',
		},
		within: 0.05,
		reasons: {
			'async-pooled-tuned':
				'the source counts the start of its threads (its slowest answer took 392 ms); here a warm-up comes before, which is not counted',
			'sync-pooled-tuned':
				'since its version 5 Piscina gives a task to a thread that has room before it starts another one, and ten tasks have room on the one or few that are there at first; with all six started (sync-pooled-tuned-started) the published rate is back',
		},
	},
};
