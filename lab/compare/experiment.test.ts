import assert from 'node:assert/strict';
import { test } from 'node:test';
import { published } from '../catalog/published.ts';
import { planOf, runsOf } from '../diagnose/fixtures/experiment-runs.ts';
import type { Breakdown, ExperimentResult } from '../record/types.js';
import type { Run } from './comparison/runs.ts';
import { experimentOf } from './experiment.ts';
import type { Plan } from './plan.ts';

const breakdowns: (...values: (number | null)[]) => Breakdown[] = (...values) => [
	{
		title: 'By operation',
		caption: 'what to see',
		rows_label: 'operation',
		columns: [{ id: 'p95', label: 'p95', unit: 'ms' }],
		rows: values.map((value, index) => ({ name: `row ${index}`, values: [value] })),
	},
];

const found: (plan: Plan, runs: Run[]) => ExperimentResult = (plan, runs) =>
	experimentOf({ plan, runs, pairs: [], hrefOf: () => null, index: null });

/**
 * Of an arm whose runs have these.
 * @param tables one run's after the other
 */
function breakdownsOf(tables: Breakdown[][]) {
	const plan = planOf({ arms: [{ id: 'a', architecture: 'a' }], pairs: [], repeats: tables.length });
	const runs = runsOf(plan, {}).map((run, index) => ({ ...run, result: { ...run.result, breakdowns: tables[index] } }));
	return found(plan, runs as any).arms[0].breakdowns;
}

test('each figure is the median over the runs that have it', () => {
	const [table] = breakdownsOf([breakdowns(10, 1), breakdowns(30, null), breakdowns(20, 3)]) ?? [];
	assert.deepEqual(
		table.rows.map(({ name, values }) => [name, ...values]),
		[
			['row 0', 20],
			['row 1', 2],
		],
	);
	assert.equal(table.title, 'By operation');
});

test('runs without tables, or no runs at all, have none', () => {
	assert.deepEqual(breakdownsOf([[], []]), []);
	assert.deepEqual(found(planOf({ arms: [{ id: 'a', architecture: 'a' }], pairs: [] }), []).arms[0].breakdowns, []);
});

const arms = ['async-unpooled', 'async-pooled', 'hash-pooled'].map((id) => ({ id, architecture: 'pools', variables: { VARIANT: id } }));
const FIGURES = {
	section: 'pools',
	runs: { 'async-unpooled': 'async-unpooled', 'async-pooled': 'async-pooled' },
	figures: { goodput_rps: 'throughput_rps', latency_ms_p50_ok: 'latency_ms.p50', latency_ms_p99_ok: 'latency_ms.nothing' },
	within: 0.05,
	reasons: { 'async-pooled': 'threads start slowly here', 'async-unpooled': 'never said, because it is near' },
};
/** @param given load: that the experiment is about */
function tableOf({ published: figures = FIGURES, load = 'smoke' }: { published?: typeof FIGURES; load?: string }) {
	const definition = { load, budget: 'fair', arms, pairs: [], published: figures } as any;
	const plan = planOf({ experiment: 'pools', arms, load: 'smoke', definition });
	const runs = runsOf(plan, { 'async-unpooled': { goodput: 97 }, 'async-pooled': { goodput: 40 }, 'hash-pooled': {} });
	return found(plan, runs).published;
}

test('an experiment whose source gives no figures by arm has no table', () => {
	const plan = planOf({ arms });
	assert.equal(found(plan, runsOf(plan, {})).published, null);
});

test('arms and figures that the source has stand beside what was measured, and others are left out', () => {
	const table = tableOf({});
	assert.equal(table?.source, published.pools.source);
	assert.deepEqual(
		table?.arms.map(({ arm, figures }) => [arm, figures.map(({ metric }) => metric)]),
		[
			['async-unpooled', ['goodput_rps', 'latency_ms_p50_ok']],
			['async-pooled', ['goodput_rps', 'latency_ms_p50_ok']],
		],
	);
	const [{ published: figure, measured, ratio }] = table?.arms[0].figures ?? [];
	assert.equal(figure, 97.8);
	assert.ok(measured.median !== null && Math.abs(measured.median - 97) < 2);
	assert.ok(ratio !== null && Math.abs(ratio - 97 / 97.8) < 0.02);
});

test('a rate is expected to be near, and one that is not says why; of latencies nothing is expected', () => {
	const marks = tableOf({})?.arms.map(({ figures }) => figures.map(({ near, reason }) => [near, reason]));
	assert.deepEqual(marks, [
		[
			[true, null],
			[null, null],
		],
		[
			[false, 'threads start slowly here'],
			[null, null],
		],
	]);
});

test('of another load or budget nothing is expected', () => {
	const table = tableOf({ load: 'ramp' });
	assert.equal(table?.within, null);
	assert.ok(table?.arms.every(({ figures }) => figures.every(({ near }) => near === null)));
});
