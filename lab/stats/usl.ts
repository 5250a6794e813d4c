/**
 * The Universal Scalability Law fitted to runs, and how certain that is. Apart from the words of figures: the libraries that fit are a fifth of
 * what a command loads that fits nothing.
 */

// @ts-expect-error: the library brings no types
import jstat from 'jstat';
import { levenbergMarquardt } from 'ml-levenberg-marquardt';
import type { Usl } from '../record/types.js';
import { count, percent, significant } from './figure-words.ts';
import { createRandom, mean, sum } from './numbers.ts';

/*
 * How much a figure would differ if the runs had been others: it is worked out again and again from runs drawn from those at hand
 * (Efron 1979). The seed is fixed, so the same runs give the same interval.
 */

const {
	quantiles,
	normal,
	studentt,
}: { quantiles: (values: number[], at: number[], alpha: number, beta: number) => number[]; normal: any; studentt: any } = jstat.jStat;

/** Leaves half a dozen samples beyond either end of the interval of 8 runs. */
export const SAMPLES = 1000;
const SEED = 1;
const TAIL = 0.025;

export type Point = {
	n: number;
	/** one per run */
	values: number[];
	/** the block of each value */
	blocks?: number[];
};

/**
 * Runs of one block share a moment of the machine, so blocks are drawn whole. Where the blocks are not given, values with the same
 * index are taken for a block if all points have as many; otherwise runs are drawn within each point.
 * @returns one figure of each sample
 */
export function bootstrap<T>(points: Point[], figureOf: (runs: { n: number; value: number }[]) => T): T[] {
	const random = createRandom(SEED);
	const strata = strataOf(points);
	const draw = () => strata.flatMap((groups) => groups.flatMap(() => groups[random.below(groups.length)]));
	return Array.from({ length: SAMPLES }, () => figureOf(draw()));
}

/** What is drawn together, within what it is drawn from. */
function strataOf(points: Point[]): { n: number; value: number }[][][] {
	const isAligned = points.every(({ blocks, values }) => blocks || values.length === points[0].values.length);
	const runs = points.map(({ n, values, blocks }) => values.map((value, index) => ({ n, value, block: blocks?.[index] ?? index })));
	if (!isAligned) return runs.map((own) => own.map((run) => [run]));
	const blocks = [...new Set(runs.flat().map(({ block }) => block))];
	return [blocks.map((block) => runs.flat().filter((run) => run.block === block))];
}

/**
 * The 95 % interval, as percentiles of the samples. Samples of few runs differ less than new runs would, by (n-1)/n of the
 * variance, and the plain percentiles take no account of what Student's t does; both are made good by going further out, to the
 * expanded percentiles of Hesterberg, What Teachers Should Know About the Bootstrap, 2015.
 * @param figures of the samples
 * @param runs that they were drawn from, at least 2
 */
export function expandedInterval(figures: number[], runs: number): { low: number; high: number } {
	const tail = expandedTail(runs);
	// The quantiles that R and NumPy give by default.
	const [low, high] = quantiles(figures, [tail, 1 - tail], 1, 1);
	return { low, high };
}

/** What is left out at either end. */
const expandedTail = (runs: number): number => normal.cdf(-Math.sqrt(runs / (runs - 1)) * studentt.inv(1 - TAIL, runs - 1), 0, 1);

/*
 * The law by non-linear least squares.
 */

/** throughput of n nodes, workers or threads */
type Run = { n: number; value: number };

export type Law = { lambda: number; sigma: number; kappa: number };

/**
 * The library stops before these only where nothing is left to gain. Of 5,000 random curves, 300 iterations got 6 closer than 30
 * did, and those by a hundredth of the values at most.
 */
const ITERATIONS = 30;
/** Progress that no figure shows: the values are at most 1 when they are fitted. */
const ERROR_TOLERANCE = 1e-16;

/** Gunther, A Simple Capacity Model of Massively Parallel Transaction Systems, 1993; in this form, Guerrilla Capacity Planning, 2007. */
export const throughputOf = ({ lambda, sigma, kappa }: Law, n: number) => (lambda * n) / (1 + sigma * (n - 1) + kappa * n * (n - 1));

/** Where one more begins to take away. Without coherence that is nowhere; with nothing but contention, at once. */
function peakOf({ sigma, kappa }: Law) {
	if (sigma >= 1) return 0;
	return kappa === 0 ? Number.POSITIVE_INFINITY : Math.sqrt((1 - sigma) / kappa);
}

/**
 * The law with sigma and kappa not below 0 that is nearest to the runs. A least that lies on a bound is only found reliably when
 * the bounded figure is not moved at all, so each choice of bounds is fitted.
 * @param runs not all of them 0
 */
export function leastSquares(runs: Run[]): Law {
	const points = meansOf(runs);
	const top = points.reduce((most, point) => (point.value > most.value ? point : most));
	// Where the throughput ends to grow, both costs are of the order of 1. In these units so are the three figures, which is what the
	// damping of the library is made for.
	const units = [Math.max(...points.map(({ n, value }) => value / n)), 1 / top.n, 1 / top.n ** 2];
	const fits = [[0], [0, 1], [0, 2], [0, 1, 2]].map((moved) => fit(points, units, moved));
	const nearest = Math.min(...fits.map(({ error }) => error));
	// Of fits that are as near, the one without the cost: otherwise a cost of 0 is found as one of 1e-12, and a peak with it.
	return (fits.find(({ error }) => error <= nearest + ERROR_TOLERANCE) ?? fits[fits.length - 1]).law;
}

/**
 * @param units of lambda, sigma and kappa
 * @param moved which of them; the others are 0
 */
function fit(points: { n: number; value: number; weight: number }[], units: number[], moved: number[]) {
	const most = Math.max(...points.map(({ value }) => value));
	const lawOf = (figures: number[]) => {
		const all = [0, 0, 0];
		for (let at = 0; at < moved.length; at += 1) all[moved[at]] = figures[at] * units[moved[at]];
		const [lambda, sigma, kappa] = all;
		return { lambda, sigma, kappa };
	};
	// The library asks for the point by its x; the index lets a point count as often as it was measured.
	const { parameterValues, parameterError } = levenbergMarquardt(
		{ x: points.map((_, index) => index), y: points.map(({ value, weight }) => (weight * value) / most) },
		(figures) => {
			const law = lawOf(figures);
			return (index) => (points[index].weight * throughputOf(law, points[index].n)) / most;
		},
		{
			initialValues: [1, 0.5, 0.5].slice(0, moved.length),
			minValues: moved.map(() => 0),
			maxIterations: ITERATIONS,
			errorTolerance: ERROR_TOLERANCE,
			jacobianFunction: (figures) => {
				const law = lawOf(figures);
				return (index) => {
					const all = gradient(law, points[index].n);
					return moved.map((which) => (points[index].weight * all[which] * units[which]) / most);
				};
			},
		},
	);
	return { law: lawOf(parameterValues), error: parameterError };
}

/** by lambda, sigma and kappa */
function gradient({ lambda, sigma, kappa }: Law, n: number): number[] {
	const below = 1 + sigma * (n - 1) + kappa * n * (n - 1);
	const slope = (-lambda * n * (n - 1)) / below ** 2;
	return [n / below, slope, slope * n];
}

/** The mean of each n, which stands for its runs when it weighs the square root of their number: the least squares are the same. */
function meansOf(runs: Run[]) {
	const each = [...new Set(runs.map(({ n }) => n))].sort((one, other) => one - other);
	return each.map((n) => {
		const own = runs.filter((run) => run.n === n).map(({ value }) => value);
		return { n, value: sum(own) / own.length, weight: Math.sqrt(own.length) };
	});
}

/**
 * The Universal Scalability Law of a measured curve, with intervals, and with what the data cannot carry refused: a fit that
 * nothing checks, an interval from too few runs, a peak far outside what was measured.
 *
 */

/** Three parameters go through any three points; only a fourth can contradict them. */
const LEAST_POINTS = 4;
/** As with pairs, fewer leave no room for an interval of 95 %: of six runs, all are on one side of the truth in 2/2^6 of the cases. */
export const LEAST_RUNS = 6;
/** Times the largest number measured. Farther out, the fit speaks of what nothing was measured of. */
export const PEAK_REACH = 2;
const LINE_POINTS = 61;

/**
 * @param points throughput by n
 * @returns refused: why there is no fit or, beside a fit, why it names no peak
 */
export function fitUsl(points: Point[]): { usl: Usl | null; refused: string | null } {
	const measured = points.filter(({ values }) => values.length > 0).sort((one, other) => one.n - other.n);
	const refused = whyNoFit(measured);
	if (refused) return { usl: null, refused };

	const fewest = fewestRuns(measured);
	const runs = measured.flatMap(({ n, values }) => values.map((value) => ({ n, value })));
	const law = leastSquares(runs);
	const laws = bootstrap(measured, leastSquares);
	const intervalOf = (figure: (law: Law) => number) => expandedInterval(laws.map(figure), fewest);
	const estimateOf = (name: keyof Law) => ({ estimate: law[name], ...intervalOf((sample) => sample[name]) });

	const [first, last] = [measured[0].n, measured[measured.length - 1].n];
	const found = findPeak({ law, first, last, interval: intervalOf(peakOf) });
	const reach = Math.max(last, found.peak?.n ?? 0);
	return {
		usl: {
			lambda: estimateOf('lambda'),
			sigma: estimateOf('sigma'),
			kappa: estimateOf('kappa'),
			peak: found.peak,
			line: Array.from({ length: LINE_POINTS }, (_, index) => {
				const x = first + ((reach - first) * index) / (LINE_POINTS - 1);
				return { x, value: throughputOf(law, x), ...intervalOf((sample) => throughputOf(sample, x)) };
			}),
			method: methodOf(measured, law, fewest),
		},
		refused: found.refused,
	};
}

const fewestRuns = (points: Point[]) => Math.min(...points.map(({ values }) => values.length));

function whyNoFit(points: Point[]): string | null {
	const different = new Set(points.map(({ n }) => n)).size;
	if (different < LEAST_POINTS) {
		return `The Universal Scalability Law has three parameters and needs a fourth point to be checked against; here ${different === 1 ? 'is 1' : `are ${different}`}.`;
	}
	const fewest = fewestRuns(points);
	if (fewest < LEAST_RUNS) {
		return `The Universal Scalability Law was not fitted: a 95 % interval needs at least ${LEAST_RUNS} runs at every point, and one has ${fewest}.`;
	}
	if (points.every(({ values }) => values.every((value) => value === 0))) {
		return 'The Universal Scalability Law was not fitted: nothing came through at any point.';
	}
	return null;
}

/** The peak, where the data allow to name one. Its value is the throughput there; low and high are those of n. */
function findPeak({
	law,
	first,
	last,
	interval: { low, high },
}: {
	law: Law;
	first: number;
	last: number;
	interval: { low: number; high: number };
}): { peak: Usl['peak']; refused: string | null } {
	const n = peakOf(law);
	const refuse = (why: string) => ({ peak: null, refused: `No peak is named: ${why}.` });
	if (n === Number.POSITIVE_INFINITY) return refuse('the fit has no cost of keeping in step, so it never turns down');
	if (n < first) return refuse(`the fit falls from the first point, ${significant(first)}, on`);
	if (n > PEAK_REACH * last)
		return refuse(`the fit puts it at ${significant(n)}, more than twice the largest number measured, ${significant(last)}`);
	// Neither is finite when samples that never turn down reach into the interval.
	if (!Number.isFinite(high)) return refuse(`the fit puts it at ${significant(n)}, but its 95 % interval has no upper end`);
	return { peak: { n, value: throughputOf(law, n), low, high }, refused: null };
}

function methodOf(points: Point[], law: Law, fewest: number): string {
	const total = points.reduce((sum, { values }) => sum + values.length, 0);
	const misses = points.map(({ n, values }) => {
		const found = Number(mean(values));
		return found === 0 ? 1 : Math.abs(throughputOf(law, n) / found - 1);
	});
	return `Least squares over ${total} runs; it misses the mean of a point by at most ${percent(Math.max(...misses))}. 95 % intervals: ${count(SAMPLES)} bootstrap samples, their percentiles expanded for ${fewest} runs a point (Hesterberg 2015).`;
}
