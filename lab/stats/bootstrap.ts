/**
 * How much a figure would differ if the runs had been others: it is worked out again and again from runs drawn from those at hand
 * (Efron 1979). The seed is fixed, so the same runs give the same interval.
 */

// @ts-expect-error: the library brings no types
import jstat from 'jstat';
import { createRandom } from './random.ts';
import type { Point } from './usl.ts';

const {
	quantiles,
	normal,
	studentt,
}: { quantiles: (values: number[], at: number[], alpha: number, beta: number) => number[]; normal: any; studentt: any } = jstat.jStat;

/** Leaves half a dozen samples beyond either end of the interval of 8 runs. */
export const SAMPLES = 1000;
const SEED = 1;
const TAIL = 0.025;

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
