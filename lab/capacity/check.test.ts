import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fitExperiment } from './capacity-plan.ts';
import { busiestOf, demandAt, demandRows, NODES, p95OverMean } from './check.ts';
import { OTHERS, scalePlan, scaleRuns } from './fixtures/scale-runs.ts';

const plan = scalePlan();
const { points } = fitExperiment(plan, scaleRuns(plan));

test('demand is CPU over good requests, tier by tier and number by number, without the generator', () => {
	const rows = demandRows(points);
	assert.deepEqual([...new Set(rows.map(({ tier }) => tier))].toSorted(), ['app', 'database', 'load-balancer']);
	const database = rows.filter(({ tier }) => tier === 'database');
	assert.deepEqual(
		database.map(({ n, number, cores, demand_ms: { median } }) => [n, number, cores, Number(median?.toFixed(6))]),
		[1, 2, 3, 4].map((n) => [n, 1, OTHERS.database.cores, OTHERS.database.demandS * 1000]),
	);
	assert.ok(Math.abs(busiestOf(database) - 0.7) < 0.02);
	assert.ok(rows.filter(({ tier }) => tier === NODES).every(({ n, number, cores }) => number === n && Math.abs(cores - 0.2 * n) < 1e-9));
});

/** @param given n and median */
const rowsOf = (given: [number, number][]) =>
	given.map(([n, median]) => ({
		tier: 'database',
		n,
		number: 1,
		cores: 1,
		demand_ms: { median, low: median, high: median },
		busy: { median: 0.5, low: 0.5, high: 0.5 },
	}));

test('a demand that grows goes on growing beyond the data, and one that falls stays', () => {
	const growing = rowsOf([
		[1, 1],
		[2, 1.1],
		[4, 1.3],
	]);
	assert.deepEqual(demandAt(growing, 2), { ms: 1.1, basis: 'measured' });
	const between = demandAt(growing, 3);
	assert.deepEqual([between.basis, Number(between.ms.toFixed(6))], ['fitted', 1.2]);
	const beyond = demandAt(growing, 8);
	assert.deepEqual([beyond.basis, Number(beyond.ms.toFixed(6))], ['extrapolated', 1.7]);
	const falling = rowsOf([
		[1, 1.3],
		[2, 1.2],
		[4, 1],
	]);
	assert.deepEqual(demandAt(falling, 8), { ms: 1, basis: 'extrapolated' });
});

test('p95 over mean is read of every run that has both', () => {
	const { median, low, high } = p95OverMean(points);
	assert.ok([median, low, high].every((value) => Math.abs(Number(value) - 1.25) < 1e-9));
	const without = points.map((point) => ({ ...point, readings: point.readings.map((reading) => ({ ...reading, meanMs: null })) }));
	assert.equal(p95OverMean(without).median, null);
});
