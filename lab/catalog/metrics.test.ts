import assert from 'node:assert/strict';
import { test } from 'node:test';
import { comparedMetrics, familyOf, metricOf, metrics } from './metrics.ts';
import { scenarios } from './scenarios.ts';

const own = Object.values(scenarios).flatMap(({ figures }) => figures);
/** On which no verdict rests: two more ways to tell failures, among others. */
const BESIDE = ['failures_per_user_minute', 'failed_user_time_share', 'came_back_share', 'writes_lost', 'writes_duplicated'];
const ids = metrics.map(({ id }) => id);

const resultWith = (figures?: Record<string, number | null>) => ({ figures }) as any;

test('every metric has a name of its own', () => {
	assert.equal(new Set(ids).size, ids.length);
});

test("the scenarios' figures join the metrics of every run at the end, in their order", () => {
	assert.deepEqual(
		ids.slice(-own.length),
		own.map(({ id }) => id),
	);
	assert.deepEqual(ids.slice(0, 2), ['goodput_rps', 'failure_rate']);
});

test("a scenario's figure has its label, unit and direction, is compared as a ratio and gates nothing", () => {
	const { label, unit, better, success_only, scale, gate } = metricOf('latency_ms_p95_create');
	assert.deepEqual(
		{ label, unit, better, success_only, scale, gate },
		{ label: 'p95 of creates', unit: 'ms', better: 'lower', success_only: true, scale: 'ratio', gate: false },
	);
	assert.equal(metricOf('journal_mb_per_s').unit, 'mb_per_s');
});

test("a scenario's figure is read from the result's own, and is not known of other scenarios' runs or of older results", () => {
	const { read } = metricOf('database_spread');
	assert.equal(read(resultWith({ database_spread: 0.034, journal_mb_per_s: 2 })), 0.034);
	assert.equal(read(resultWith({ database_spread: null })), null);
	assert.equal(read(resultWith({})), null);
	assert.equal(read(resultWith()), null);
});

test('runs are compared by every metric that has a better, and by no other', () => {
	assert.deepEqual(
		comparedMetrics.map(({ id }) => id),
		ids.filter((id) => metricOf(id).better !== null),
	);
	const left = ids.filter((id) => !comparedMetrics.some((metric) => metric.id === id));
	assert.deepEqual(left, [...BESIDE, ...own.filter(({ better }) => better === null).map(({ id }) => id)]);
	assert.ok(left.includes('batch_size_mean') && !left.includes('latency_ms_p95_read'));
});

test('the gates, the other metrics of every run and those of the scenarios are a family each', () => {
	const familiesOf = (some: string[]) => [...new Set(some.map((id) => familyOf(metricOf(id))))];
	assert.deepEqual(familiesOf(['goodput_rps', 'failure_rate']), ['gates']);
	assert.deepEqual(familiesOf(ids.slice(2, -own.length)), ['others']);
	assert.deepEqual(familiesOf(ids.slice(-own.length)), ['own']);
});

test('failures per user-minute and by user-time are read where they are known', () => {
	const ledger = { writes: { duplicated: null } };
	const known = { metrics: { failures_per_user_minute: 1.5, failed_user_time_share: 0 }, faults: [], ledger } as any;
	assert.deepEqual(
		BESIDE.map((id) => metricOf(id).read(known)),
		[1.5, 0, null, null, null],
	);
});

test('writes that are gone are counted where that is known; no count is none, not 0', () => {
	const { read, better } = metricOf('writes_lost');
	const found = (count: number | null) => read({ gone_writes: { count } } as any);
	assert.deepEqual([found(9), found(0), found(null), better], [9, 0, null, null]);
	const twice = (duplicated: number | null) => metricOf('writes_duplicated').read({ ledger: { writes: { duplicated } } } as any);
	assert.deepEqual([twice(3), twice(0), twice(null)], [3, 0, null]);
});

test('what came back after a fault is a share of what there was before it', () => {
	const { read } = metricOf('came_back_share');
	const faults = [{ before: { goodput_rps: 100 }, later_rps: 25 }];
	assert.equal(read({ faults } as any), 0.25);
	for (const without of [
		{ faults: [] },
		{ faults: [{ before: null, later_rps: 25 }] },
		{ faults: [{ before: { goodput_rps: 9 }, later_rps: null }] },
	])
		assert.equal(read(without as any), null);
});

test('of the three ways to tell failures one is a gate, and no more than six metrics are judged beside the gates', () => {
	const gates = metrics.filter(({ gate }) => gate).map(({ id }) => id);
	assert.deepEqual(gates, ['goodput_rps', 'failure_rate']);
	const LEAST_P_OF_8_PAIRS = 2 / 2 ** 8;
	const others = comparedMetrics.filter((metric) => familyOf(metric) === 'others');
	assert.ok(others.length * LEAST_P_OF_8_PAIRS < 0.05, `${others.length} metrics`);
});

test('a metric that there is not cannot be asked for', () => {
	assert.throws(() => metricOf('goodput'), /^RangeError: no metric goodput$/);
});
