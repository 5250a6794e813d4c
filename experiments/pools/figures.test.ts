import assert from 'node:assert/strict';
import { test } from 'node:test';
import { scenarios } from '../../lab/catalog/scenarios.ts';
import { figuresOf } from './figures.ts';

const VALUES = { count: 978, avg: 101.2, min: 100, med: 101, 'p(2.5)': 100.1, 'p(97.5)': 104, 'p(99)': 125, max: 130.7 };
const figuresFrom = (summary: object | null) => figuresOf({ raw: { summary } as any });
const summaryOf = (values: object) => ({ metrics: { lab_latency_ok: { values } } });

test('every figure of the scenario’s table is read from the latency of successes', () => {
	const { figures, checks } = figuresFrom(summaryOf(VALUES));
	assert.deepEqual(figures, { latency_ms_p2_5_ok: 100.1, latency_ms_p97_5_ok: 104, latency_ms_mean_ok: 101.2 });
	assert.deepEqual(
		Object.keys(figures),
		scenarios.pools.figures.map(({ id }) => id),
	);
	assert.deepEqual(checks, []);
});

test('the table has autocannon’s percentiles in its order', () => {
	const [{ columns, rows }, ...others] = figuresFrom(summaryOf(VALUES)).breakdowns;
	assert.deepEqual(others, []);
	assert.equal(columns.length, 1);
	assert.deepEqual(
		rows.map(({ name, values }) => [name, ...values]),
		[
			['p2.5', 100.1],
			['p50', 101],
			['p97.5', 104],
			['p99', 125],
			['mean', 101.2],
			['max', 130.7],
		],
	);
});

test('what k6 left no figure of is null, and the table keeps its rows', () => {
	for (const summary of [null, { metrics: {} }]) {
		const { figures, breakdowns } = figuresFrom(summary);
		assert.ok(Object.values(figures).every((value) => value === null));
		assert.ok(breakdowns[0].rows.length === 6 && breakdowns[0].rows.every(({ values }) => values[0] === null));
	}
});
