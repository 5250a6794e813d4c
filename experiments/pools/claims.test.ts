import assert from 'node:assert/strict';
import { test } from 'node:test';
import { published } from '../../lab/catalog/published.ts';
import type { Figures } from '../../lab/diagnose/fixtures/published-claims.ts';
import { judge, testAsPublished } from '../../lab/diagnose/fixtures/published-claims.ts';
import { claims } from './claims.ts';

const AS_PUBLISHED: Figures = {
	...Object.fromEntries(Object.entries<any>(published.pools.runs).map(([variant, { throughput_rps: goodput }]) => [variant, { goodput }])),
	'sync-pooled-tuned-started': { goodput: 58 },
	'hash-unpooled': { goodput: 10 },
	'hash-pooled': { goodput: 60 },
};

testAsPublished('pools', AS_PUBLISHED);

test('no noticeable impact is refuted by a loss as well as by a gain', () => {
	for (const goodput of [10, 70]) assert.equal(judge('pools', { ...AS_PUBLISHED, 'sync-pooled-tuned': { goodput } }).P4.verdict, 'REFUTED');
});

test('what a pool can gain is counted in the cores of the machine that measures, up to its six threads', () => {
	const thresholds = [1, 2, 16].map((cores) => claims(cores).find(({ id }) => id === 'P5')?.tests[0].threshold);
	assert.deepEqual(thresholds, [0.75, 1.5, 4.5]);
});
