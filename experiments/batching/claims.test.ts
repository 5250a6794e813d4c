import assert from 'node:assert/strict';
import { test } from 'node:test';
import { published } from '../../lab/catalog/published.ts';
import type { Figures } from '../../lab/diagnose/fixtures/published-claims.ts';
import { judge, testAsPublished, verdictsOf } from '../../lab/diagnose/fixtures/published-claims.ts';

const AS_PUBLISHED: Figures = {
	...Object.fromEntries(
		['1', '2', '3'].map((workers) => {
			const { throughput_ops, batch_size_mean } = published.batching.runs[workers];
			return [`batched-${workers}`, { goodput: throughput_ops, own: { batch_size_mean } }];
		}),
	),
	'single-1': { goodput: 200, own: { batch_size_mean: 1 } },
	'single-3': { goodput: 180, own: { batch_size_mean: 1 } },
	'sold-out': { goodput: 100, failed: 0.8, tier: 'app', own: { batch_size_mean: 3 } },
};

testAsPublished('batching', AS_PUBLISHED);

test('claims whose figures are the other way round are refuted', () => {
	const swapped = { ...AS_PUBLISHED, 'batched-1': AS_PUBLISHED['batched-3'], 'batched-3': AS_PUBLISHED['batched-1'] };
	assert.deepEqual(verdictsOf(judge('batching', swapped)), { B1: 'REFUTED', B2: 'REFUTED', B3: 'HOLDS' });
});
