/**
 * Capacity against the number of nodes: the Universal Scalability Law, and in which interval a new measurement would lie.
 *
 * Two things make a new median differ from the law: the law was fitted to few runs, and the new runs vary too. The first is the bootstrap
 * over blocks; for the second each of its samples is multiplied by the median of as many residuals as a number of nodes has runs, drawn
 * from all of them (Davison & Hinkley, Bootstrap Methods and their Application, 1997, section 6.3.3). The residuals are those from the
 * law, so that a law that misses its points has the wider interval.
 *
 * @typedef {import('../record/capacity-plan.js').Interval} Interval
 * @typedef {import('../stats/bootstrap.js').Point} Point
 */

import { bootstrap, expandedInterval, SAMPLES } from '../stats/bootstrap.js';
import { count } from '../stats/figure-words.js';
import { median } from '../stats/numbers.js';
import { createRandom } from '../stats/random.js';
import { leastSquares, throughputOf } from '../stats/usl-fit.js';

const SEED = 2;

/**
 * @typedef {object} Fit
 * @property {import('../stats/usl-fit.js').Law} law
 * @property {(n: number) => Interval} at  the rate of n nodes, and the 95 % prediction interval of the median of as many runs
 * @property {string} method
 */

/**
 * @param {Point[]} points  of at least two runs each, not all of them 0
 * @returns {Fit}
 */
export function fitCapacity(points) {
  const runs = points.flatMap(({ n, values }) => values.map((value) => ({ n, value })));
  const fewest = Math.min(...points.map(({ values }) => values.length));
  const law = leastSquares(runs);
  const residuals = runs.map(({ n, value }) => value / throughputOf(law, n));
  const random = createRandom(SEED);
  const samples = bootstrap(points, leastSquares).map((sample) => ({
    law: sample,
    noise: Number(median(Array.from({ length: fewest }, () => residuals[random.below(residuals.length)]))),
  }));
  return {
    law,
    at: (n) => ({
      estimate: throughputOf(law, n),
      ...expandedInterval(
        samples.map((sample) => throughputOf(sample.law, n) * sample.noise),
        fewest,
      ),
    }),
    method: `Universal Scalability Law, least squares over ${runs.length} runs. 95 % prediction intervals of the median of ${fewest} runs: ${count(SAMPLES)} bootstrap samples of blocks and residuals, percentiles expanded for ${fewest} runs (Hesterberg 2015).`,
  };
}
