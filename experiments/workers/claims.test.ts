import assert from 'node:assert/strict';
import { test } from 'node:test';
import { published } from '../../lab/catalog/published.ts';
import type { Figures } from '../../lab/diagnose/fixtures/published-claims.ts';
import { judge, testAsPublished } from '../../lab/diagnose/fixtures/published-claims.ts';
import { claims } from './claims.ts';
import { experiment } from './experiment.ts';

/** By the lab's measure, of the source's own databases. */
const SOURCE_SPREAD = (62_589 - 61_109) / 61_968;

const AS_PUBLISHED: Figures = Object.fromEntries(
	['5', '8', '10', '12', '15', '20', '40'].map((workers) => {
		const { throughput_ops, latency_ms } = published.workers.runs[Number(workers) < 20 ? '10' : '20'];
		const own = Object.fromEntries(Object.keys(latency_ms).map((operation) => [`latency_ms_p95_${operation}`, latency_ms[operation].p95]));
		return [`workers-${workers}`, { goodput: throughput_ops, own: { ...own, database_spread: workers === '20' ? SOURCE_SPREAD : 0.01 } }];
	}),
);

testAsPublished('workers', AS_PUBLISHED, ['W3']);

test('a share that an arm has by itself is compared with its threshold', () => {
	const uneven = Object.fromEntries(
		Object.entries(AS_PUBLISHED).map(([arm, figures]) => [arm, { ...figures, own: { ...figures.own, database_spread: 0.1 } }]),
	);
	const { W1, W3 } = judge('workers', uneven);
	assert.deepEqual([W1.verdict, W3.verdict], ['HOLDS', 'REFUTED']);
	assert.deepEqual([W3.tests[0].scale, W3.tests[0].blocks], ['share', 8]);
});

test('a shorter load of the same kind is judged too, where the experiment says so', () => {
	assert.deepEqual(experiment.judged_under, [{ load: 'brief', claims: ['W1', 'W2'] }]);
});

test("by the lab's measure the source's own databases differ by more than it says", () => {
	const [, twenty] = claims.find(({ id }) => id === 'W3')?.tests ?? [];
	assert.equal(twenty.published?.toFixed(4), '0.0239');
	assert.ok(Number(twenty.published) > twenty.threshold);
});
