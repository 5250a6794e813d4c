import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bootstrap, expandedInterval, SAMPLES } from './bootstrap.ts';
import { createRandom } from './random.ts';
import type { Law } from './usl.ts';
import { fitUsl } from './usl.ts';
import { leastSquares, throughputOf } from './usl-fit.ts';

type Runs = { n: number; value: number }[];

const points = [
	{ n: 1, values: [10, 11, 12, 13] },
	{ n: 2, values: [20, 22, 24, 26] },
];
const ofOne = (runs: Runs) => runs.filter(({ n }) => n === 1).map(({ value }) => value);
const ofTwo = (runs: Runs) => runs.filter(({ n }) => n === 2).map(({ value }) => value);
const isAligned = (runs: Runs) => ofOne(runs).every((value, index) => ofTwo(runs)[index] === 2 * value);

test('blocks are drawn whole', () => {
	const samples = bootstrap(points, (runs) => runs);
	assert.equal(samples.length, SAMPLES);
	assert.ok(samples.every(isAligned));
	assert.ok(samples.every((runs) => runs.length === 8));
	assert.ok(new Set(samples.map((runs) => ofOne(runs).join())).size > 100);
});

test('where points have different numbers of runs, runs are drawn within each', () => {
	const uneven = [points[0], { n: 2, values: [20, 22, 24] }];
	const samples = bootstrap(uneven, (runs) => runs);
	assert.ok(samples.every((runs) => ofOne(runs).length === 4 && ofTwo(runs).length === 3));
	assert.ok(!samples.every(isAligned));
});

test('where blocks are named, a run that is missing does not shift the others', () => {
	const named = [
		{ n: 1, values: [10, 12, 13], blocks: [1, 3, 4] },
		{ n: 2, values: [20, 22, 24], blocks: [1, 2, 3] },
	];
	const samples = bootstrap(named, (runs) => runs);
	// Block 2 has no run of one and block 4 none of two: 12 comes with 24, never with 22.
	const together = samples.every(
		(runs) => ofOne(runs).filter((value) => value === 12).length === ofTwo(runs).filter((value) => value === 24).length,
	);
	assert.ok(together);
});

test('the same runs give the same samples', () => {
	const sums = (runs: Runs) => runs.reduce((sum, { value }) => sum + value, 0);
	assert.deepEqual(bootstrap(points, sums), bootstrap(points, sums));
});

/** What is left out at either end: of figures that lie evenly from 0 to 1, where the interval begins. */
function tailOf(runs: number) {
	const { low, high } = expandedInterval([0, 0.5, 1], runs);
	assert.ok(Math.abs(1 - high - low) < 1e-12);
	return low;
}

test('the percentiles are farther out for few runs', () => {
	// R 4.2.2: pnorm(-sqrt((3:13) / (2:12)) * qt(0.975, 2:12))
	const tails = [
		6.834137312e-8, 1.190307392e-4, 9.541005519e-4, 2.431803175e-3, 4.109153816e-3, 5.73752052e-3, 7.224819183e-3, 8.550639024e-3,
		9.7224069e-3, 1.075661492e-2, 1.167130055e-2,
	];
	tails.forEach((tail, index) => {
		const found = tailOf(index + 3);
		assert.ok(Math.abs(found / tail - 1) < 1e-6, `${index + 3} runs: ${found}, not ${tail}`);
	});
	assert.ok(Math.abs(tailOf(100_000) - 0.025) < 1e-5);
});

test('an interval is between percentiles of the samples', () => {
	const figures = Array.from({ length: 1001 }, (_, index) => 1000 - index);
	const { low, high } = expandedInterval(figures, 8);
	assert.ok(Math.abs(low - 5.7375) < 1e-3 && Math.abs(high - 994.2625) < 1e-3, `${low} to ${high}`);
});

const runsOf = (each: number[], values: number[]) => each.map((n, index) => ({ n, value: values[index] }));

function assertClose(found: Law, wanted: Law) {
	for (const name of ['lambda', 'sigma', 'kappa'] as const) {
		const allowed = 1e-6 * Math.max(Math.abs(wanted[name]), 1e-3);
		assert.ok(Math.abs(found[name] - wanted[name]) <= allowed, `${name}: ${found[name]}, not ${wanted[name]}`);
	}
}

const BLOCKS = 8;

// The references are R 4.2.2: nls(x ~ l * n / (1 + s * (n - 1) + k * n * (n - 1)), start = list(l = , s = , k = ),
// algorithm = "port", lower = c(0, 0, 0)); SciPy 1.17.1's curve_fit with the same bounds agrees with each.

/** What is fitted to so many runs that gave the same. */
const fitOf = (each: number[], values: number[]) => fitUsl(each.map((n, index) => ({ n, values: new Array(BLOCKS).fill(values[index]) })));

test('the SPEC SDM91 benchmark of Gunther 2007 gives the published coefficients and peak', () => {
	const each = [1, 18, 36, 72, 108, 144, 216];
	const values = [64.9, 995.9, 1652.4, 1853.2, 1828.9, 1775.0, 1702.2];
	const law = leastSquares(runsOf(each, values));
	const { usl } = fitOf(each, values);
	assert.ok(Math.abs(Number(usl?.peak?.n) - 96.51956087) < 1e-4, `${usl?.peak?.n}`);
	assertClose(law, { lambda: 89.9952324, sigma: 0.02772847517, kappa: 0.0001043654841 });
	// R package usl 3.0: alpha 0.0277285, beta 0.0001044, gamma 89.9952.
	assert.deepEqual([law.sigma.toFixed(7), law.kappa.toFixed(7), law.lambda.toFixed(3)], ['0.0277285', '0.0001044', '89.995']);
});

test('the ray tracer of Gunther 2007 lies on the bound: contention alone, and no peak', () => {
	const each = [1, 4, 8, 12, 16, 20, 24, 28, 32, 48, 64];
	const values = [20, 78, 130, 170, 190, 200, 210, 230, 260, 280, 310];
	const law = leastSquares(runsOf(each, values));
	const { usl, refused } = fitOf(each, values);
	assert.equal(usl?.peak, null);
	assert.match(String(refused), /so it never turns down\.$/);
	assertClose(law, { lambda: 21.84884277155, sigma: 0.05777078033, kappa: 0 });
	assert.equal(law.kappa, 0);
});

test('data made by the law give it back', () => {
	// The test data of R package usl, made with 0.02 and 0.02 and rounded to four decimals.
	assertClose(leastSquares(runsOf([1, 2, 4, 6, 8, 10], [1, 1.8868, 3.0769, 3.5294, 3.5398, 3.3557])), {
		lambda: 1.00000512174,
		sigma: 0.02000576133,
		kappa: 0.01999966528,
	});
	const law = { lambda: 412, sigma: 0.08, kappa: 0.004 };
	assertClose(leastSquares([1, 2, 3, 4].map((n) => ({ n, value: throughputOf(law, n) }))), law);
});

test('neither cost is found below 0, whichever data ask for it', () => {
	assertClose(leastSquares(runsOf([1, 2, 4, 8], [100, 198, 380, 500])), { lambda: 106.2750414313, sigma: 0, kappa: 0.01238172617 });
	// More than in proportion: a line through the origin, whose least squares are sum(n * x) / sum(n^2).
	assertClose(leastSquares(runsOf([1, 2, 4, 8], [100, 210, 440, 900])), { lambda: 9480 / 85, sigma: 0, kappa: 0 });
});

test('a cost of nothing is exactly 0, and not a peak at a million', () => {
	const amdahl = [1, 2, 4, 8].map((n) => ({ n, value: throughputOf({ lambda: 100, sigma: 1 / 9, kappa: 0 }, n) }));
	assert.equal(leastSquares(amdahl).kappa, 0);
});

test('a point counts as often as it was measured', () => {
	const once = runsOf([1, 2, 4, 8], [100, 180, 300, 380]);
	const twice = [...once, { n: 8, value: 420 }];
	const weighed = leastSquares(twice);
	// Moving the error to where it was measured twice: the two runs of 8 pull more than one of 400 would.
	const error = (law: Law) => twice.reduce((sum, { n, value }) => sum + (throughputOf(law, n) - value) ** 2, 0);
	assert.ok(error(weighed) < error(leastSquares([...once.slice(0, 3), { n: 8, value: 400 }])));
});

test('a system that contention alone stops has its peak at nothing', () => {
	const each = [1, 2, 3, 4, 6, 8, 12];
	const peakOf = (law: Law) =>
		fitOf(
			each,
			each.map((n) => throughputOf(law, n)),
		);
	assert.match(String(peakOf({ lambda: 1, sigma: 1, kappa: 0.1 }).refused), /falls from the first point, 1, on\.$/);
	assert.ok(Math.abs(Number(peakOf({ lambda: 1, sigma: 0.19, kappa: 0.01 }).usl?.peak?.n) - 9) < 1e-4);
});

const NOISE = 0.02;

/** Runs of a known law, with an even noise of some per cent. */
function measured(law: Law, each: number[] = [1, 2, 3, 4]) {
	const random = createRandom(5);
	const noise = () => 1 + NOISE * ((2 * random.below(1_000_001)) / 1_000_000 - 1);
	return each.map((n) => ({ n, values: Array.from({ length: BLOCKS }, () => throughputOf(law, n) * noise()) }));
}

const holds = ({ estimate, low, high }: { estimate: number; low: number; high: number }, truth: number) =>
	low <= truth && truth <= high && low <= estimate && estimate <= high;

test('a law is found again, with intervals and a peak that hold the truth', () => {
	const law = { lambda: 400, sigma: 0.1, kappa: 0.03 };
	const { usl, refused } = fitUsl(measured(law));
	assert.equal(refused, null);
	assert.ok(usl?.peak);
	assert.ok(holds(usl.lambda, 400) && holds(usl.sigma, 0.1) && holds(usl.kappa, 0.03), JSON.stringify({ ...usl, line: null }));
	// sqrt(0.9 / 0.03), and the throughput there.
	assert.ok(holds({ estimate: usl.peak.n, low: Number(usl.peak.low), high: Number(usl.peak.high) }, 5.477), JSON.stringify(usl.peak));
	assert.ok(Math.abs(usl.peak.value / throughputOf(law, 5.477) - 1) < 0.03, `${usl.peak.value}`);
	assert.match(usl.method, /^Least squares over 32 runs; .* 1,000 bootstrap samples, .* 8 runs a point/);

	// Nothing of it is left to chance, nor to the order of the points.
	assert.deepEqual(fitUsl(measured(law).toReversed()).usl, usl);

	// The line ends at the peak, which is beyond the data here, and is inside its band.
	assert.equal(usl.line[0].x, 1);
	assert.equal(usl.line.at(-1)?.x, usl.peak.n);
	assert.ok(usl.line.every(({ value, low, high }) => low <= value && value <= high));
});

test('three points, or three numbers, are no fit', () => {
	const points = measured({ lambda: 400, sigma: 0.1, kappa: 0.03 });
	for (const few of [points.slice(0, 3), [...points.slice(0, 3), points[0]], [...points.slice(0, 3), { n: 4, values: [] }]]) {
		const { usl, refused } = fitUsl(few);
		assert.equal(usl, null);
		assert.match(String(refused), /needs a fourth point to be checked against; here are 3\.$/);
	}
	assert.match(String(fitUsl([]).refused), /here are 0\.$/);
});

test('too few runs are no fit, for there would be no interval', () => {
	const points = measured({ lambda: 400, sigma: 0.1, kappa: 0.03 });
	const { usl, refused } = fitUsl([...points.slice(0, 3), { ...points[3], values: points[3].values.slice(0, 5) }]);
	assert.equal(usl, null);
	assert.match(String(refused), /at least 6 runs at every point, and one has 5\.$/);
});

test('nothing at all is no fit', () => {
	const points = [1, 2, 3, 4].map((n) => ({ n, values: new Array(BLOCKS).fill(0) }));
	assert.match(String(fitUsl(points).refused), /nothing came through/);
});

test('a peak that is not within reach of the data is not named', () => {
	// sqrt(0.98 / 0.009) is 10.4.
	const beyond = fitUsl(measured({ lambda: 400, sigma: 0.02, kappa: 0.009 }, [1, 2, 3, 4, 5]));
	assert.equal(beyond.usl?.peak, null);
	assert.match(
		String(beyond.refused),
		/^No peak is named: the fit puts it at 1\d(\.\d)?, more than twice the largest number measured, 5\.$/,
	);
	assert.equal(beyond.usl?.line.at(-1)?.x, 5);

	const never = fitUsl(measured({ lambda: 400, sigma: 0.4, kappa: 0 }, [1, 2, 4, 8]));
	assert.equal(never.usl?.peak, null);
	assert.match(String(never.refused), /never turns down|no upper end|more than twice/);

	const falling = fitUsl(measured({ lambda: 400, sigma: 0.9, kappa: 0.6 }));
	assert.equal(falling.usl?.peak, null);
	assert.match(String(falling.refused), /falls from the first point, 1, on\.$/);
});

test('a peak whose interval has no end is not named', () => {
	// The blocks do not agree whether there is one: some grow in proportion, others stop at two.
	const growing = (n: number) => 100 * n;
	const stopping = (n: number) => throughputOf({ lambda: 100, sigma: 0, kappa: 0.25 }, n);
	const points = [1, 2, 3, 4].map((n) => ({
		n,
		values: [stopping, stopping, stopping, stopping, growing, growing].map((curve) => curve(n)),
	}));
	const { usl, refused } = fitUsl(points);
	assert.equal(usl?.peak, null);
	assert.match(String(refused), /^No peak is named: the fit puts it at \d(\.\d+)?, but its 95 % interval has no upper end\.$/);
});
