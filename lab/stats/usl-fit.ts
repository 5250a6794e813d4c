/** The law by non-linear least squares. */

import { levenbergMarquardt } from 'ml-levenberg-marquardt';
import { sum } from './numbers.ts';
import type { Law } from './usl.ts';

/** throughput of n nodes, workers or threads */
type Run = { n: number; value: number };

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
export function peakOf({ sigma, kappa }: Law) {
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
