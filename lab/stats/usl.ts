/**
 * The Universal Scalability Law fitted to runs, and how certain that is. Apart from the words of figures: the libraries that fit are a fifth of
 * what a command loads that fits nothing.
 */

import type { Usl } from '../record/types.js';
import { bootstrap, expandedInterval, SAMPLES } from './bootstrap.ts';
import { count, percent, significant } from './figure-words.ts';
import { mean } from './numbers.ts';
import { leastSquares, peakOf, throughputOf } from './usl-fit.ts';

export type Point = {
	n: number;
	/** one per run */
	values: number[];
	/** the block of each value */
	blocks?: number[];
};

export type Law = { lambda: number; sigma: number; kappa: number };

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
