import assert from 'node:assert/strict';
import { test } from 'node:test';
import { metricOf } from '../catalog/metrics.ts';
import type { MeasuredPoint } from './curve.ts';
import { curveOf } from './curve.ts';
import { fitUsl } from './usl.ts';
import { throughputOf } from './usl-fit.ts';

const goodput = metricOf('goodput_rps');

const looked = (x: number, values: number[], failed: number = 0): MeasuredPoint => ({
	x,
	arm: `${x}a`,
	values,
	failureRates: values.map(() => failed),
});

/** The values as often as a finding needs. */
const point: typeof looked = (x, values, failed) =>
	looked(
		x,
		values.length === 0
			? []
			: Array(Math.ceil(8 / values.length))
					.fill(values)
					.flat(),
		failed,
	);

/** Eight runs around a figure. */
const around = (value: number) => [-0.02, -0.015, -0.01, -0.005, 0.005, 0.01, 0.015, 0.02].map((off) => value * (1 + off));

test('efficiency is the share of growth in proportion to the first point', () => {
	const { points, knee, sentence } = curveOf({
		xLabel: 'nodes',
		metric: goodput,
		points: [point(4, [1100, 1200, 1000], 0.1), point(2, [700, 760, 800]), point(1, [390, 400, 410])],
	});
	assert.deepEqual(
		points.map(({ x, value, efficiency }) => [x, value.median, efficiency]),
		[
			[1, 400, 1],
			[2, 760, 0.95],
			[4, 1100, 0.6875],
		],
	);
	assert.deepEqual(points[2].value, { median: 1100, low: 1000, high: 1200 });
	assert.deepEqual(points[2].failure_rate, { median: 0.1, low: 0.1, high: 0.1 });
	// From two to four, 170 a node: less than half of 400.
	assert.equal(knee, 2);
	assert.equal(
		sentence,
		'Goodput goes from 400 requests a second with 1 node to 1,100 requests a second with 4 nodes, 68.8 % of growth in proportion. After 2 nodes, another one adds less than half of its share.',
	);
});

test('the first point need not be one', () => {
	const { points, knee } = curveOf({ xLabel: 'workers', metric: goodput, points: [point(2, [200]), point(4, [380]), point(6, [450])] });
	assert.deepEqual(
		points.map(({ efficiency }) => efficiency),
		[1, 0.95, 0.75],
	);
	assert.equal(knee, 4);
});

test('exactly half of its share is no knee', () => {
	const { knee, sentence } = curveOf({ xLabel: 'nodes', metric: goodput, points: [point(1, [100]), point(2, [150]), point(3, [200])] });
	assert.equal(knee, null);
	assert.match(sentence, /Each further one adds at least half of its share\.$/);
});

test('a few runs give a first look, and no knee', () => {
	const {
		knee,
		knee_refused: refused,
		sentence,
	} = curveOf({
		xLabel: 'nodes',
		metric: goodput,
		points: [looked(1, [100]), looked(2, [110]), looked(3, [115, 116])],
	});
	assert.equal(knee, null);
	assert.equal(refused, 'A knee needs 8 runs at every point, and one has 1.');
	assert.match(sentence, /A first look: 1 run at a point at least, and a finding needs 8\.$/);
});

test('the law is in the sentence with its figures when it could be fitted', () => {
	const law = { lambda: 400, sigma: 0.1, kappa: 0.03 };
	// The blocks of the odd points come the other way round.
	const blocks = [1, 2, 3, 4, 5, 6, 7, 8];
	const points = [1, 2, 3, 4].map((n) => ({
		...point(n, around(throughputOf(law, n))),
		blocks: n % 2 === 0 ? blocks : blocks.toReversed(),
	}));
	const { usl, usl_refused, sentence, knee } = curveOf({ xLabel: 'nodes', metric: goodput, points });
	assert.ok(usl?.peak);
	assert.deepEqual(usl, fitUsl(points.map(({ x, ...rest }) => ({ n: x, values: rest.values, blocks: rest.blocks }))).usl);
	assert.equal(usl_refused, null);
	assert.equal(knee, 2);
	assert.match(
		sentence,
		/The Universal Scalability Law gives a contention of 0\.1 \([\d.]+ to [\d.]+\) and a coherence of 0\.03 \([\d.]+ to [\d.]+\), with the peak at 5\.48 \([\d.]+ to [\d.]+\) nodes\.$/,
	);
});

test('what could not be fitted says why, and the sentence leaves it out', () => {
	const { usl, usl_refused, sentence } = curveOf({ xLabel: 'nodes', metric: goodput, points: [point(1, [100]), point(2, [190])] });
	assert.equal(usl, null);
	assert.match(String(usl_refused), /fourth point/);
	assert.doesNotMatch(sentence, /Law/);
});

test('a latency has no growth in proportion, and no law', () => {
	const curve = curveOf({
		xLabel: 'nodes',
		metric: metricOf('latency_ms_p95_ok'),
		points: [point(1, [500]), point(2, [260]), point(3, [180]), point(4, [150])],
	});
	assert.deepEqual([curve.usl, curve.knee, ...curve.points.map(({ efficiency }) => efficiency)], [null, null, null, null, null, null]);
	assert.match(String(curve.usl_refused), /speaks of throughput, not of p95 of successes\.$/);
	assert.equal(curve.sentence, 'P95 of successes goes from 500 ms with 1 node to 150 ms with 4 nodes.');
});

test('an arm without runs that count is left out of everything but the table', () => {
	const curve = curveOf({ xLabel: 'nodes', metric: goodput, points: [point(1, []), point(2, [100]), point(4, [150])] });
	assert.deepEqual(curve.points[0].value, { median: null, low: null, high: null });
	assert.deepEqual([curve.points[0].efficiency, curve.points[2].efficiency], [null, 0.75]);
	assert.match(curve.sentence, /^Goodput goes from 100 requests a second with 2 nodes/);
	assert.equal(curveOf({ xLabel: 'nodes', metric: goodput, points: [point(1, [])] }).sentence, 'Nothing was measured of goodput.');
	assert.match(curveOf({ xLabel: 'nodes', metric: goodput, points: [point(1, [5])] }).sentence, /nothing else was measured\.$/);
});

test('of a setting nobody knows that more adds anything: its values have intervals, and no law', () => {
	const points = [2, 5, 10].map((x) => ({
		x,
		arm: `POOL=${x}`,
		values: [1, 2, 3, 4, 5, 6, 7, 8].map((run) => x * 10 + run / 10),
		failureRates: [],
	}));
	const curve = curveOf({ xLabel: 'POOL', metric: metricOf('goodput_rps'), points, isSetting: true });
	assert.deepEqual([curve.usl, curve.knee, curve.points[0].efficiency], [null, null, null]);
	const { median, low, high } = curve.points[0].interval as any;
	// Of 8 values the fourth of 36 ordered averages from either end (Hollander, Wolfe and Chicken 2014, table A.4).
	assert.deepEqual(
		[median, low, high].map((value) => Number(value.toFixed(2))),
		[20.45, 20.2, 20.7],
	);
	assert.equal(curve.sentence, 'Goodput goes from 20.5 requests a second with POOL=2 to 100 requests a second with POOL=10.');
});
