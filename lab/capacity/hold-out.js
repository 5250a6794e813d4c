/**
 * The plan's own test: fitted without the largest number of nodes, does the interval hold what was measured with it?
 *
 * @typedef {import('../record/capacity-plan.js').HoldOut} HoldOut
 */

import { many, significant } from '../stats/figure-words.js';
import { rangeOf } from '../stats/numbers.js';
import { fitCapacity } from './fit.js';

/**
 * @param {import('../stats/bootstrap.js').Point[]} points  by n, at least two
 * @returns {HoldOut}
 */
export function holdOut(points) {
  const [others, last] = [points.slice(0, -1), points[points.length - 1]];
  const predicted = fitCapacity(others).at(last.n);
  const measured = rangeOf(last.values);
  const isWithin = (/** @type {number} */ value) => predicted.low <= value && value <= predicted.high;
  const inside = isWithin(Number(measured.median));
  const numbers = others.map(({ n }) => n);
  return {
    fitted_on: numbers,
    n: last.n,
    predicted,
    measured,
    runs: last.values.length,
    runs_inside: last.values.filter(isWithin).length,
    inside,
    sentence: `Fitted on ${numbers[0]} to ${numbers[numbers.length - 1]} nodes it predicts ${significant(predicted.estimate)} requests a second (${significant(predicted.low)} to ${significant(predicted.high)}) for ${last.n}; measured, the median of ${many(last.values.length, 'run')}: ${significant(Number(measured.median))}, ${inside ? 'inside' : 'outside'}.`,
  };
}
