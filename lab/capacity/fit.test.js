import assert from 'node:assert/strict';
import { test } from 'node:test';
import { throughputOf } from '../stats/usl-fit.js';
import { fitCapacity } from './fit.js';
import { LAW, scalePlan, scaleRuns } from './fixtures/scale-runs.js';
import { readingsOf } from './readings.js';

/** @param {(n: number) => number} [rpsOf] */
const measured = (rpsOf) => {
  const plan = scalePlan();
  return readingsOf(plan, scaleRuns(plan, rpsOf)).map(({ n, readings }) => ({
    n,
    values: readings.map(({ rps }) => rps),
    blocks: readings.map(({ block }) => block),
  }));
};

test('the interval holds the law that made the runs, within the data and beyond it, and widens as it leaves them', () => {
  const { at } = fitCapacity(measured());
  for (const n of [1, 2, 3, 4, 5, 6]) {
    const { estimate, low, high } = at(n);
    assert.ok(low <= throughputOf(LAW, n) && throughputOf(LAW, n) <= high, `${n}: ${low} to ${high}`);
    assert.ok(low <= estimate && estimate <= high);
  }
  const width = (/** @type {number} */ n) => (at(n).high - at(n).low) / at(n).estimate;
  assert.ok(width(8) > width(6) && width(6) > width(4));
});

test('the same runs give the same interval, in whatever order it is asked for', () => {
  const [one, other] = [fitCapacity(measured()), fitCapacity(measured())];
  other.at(8);
  assert.deepEqual(one.at(5), other.at(5));
  assert.match(one.method, /over 32 runs\. .* median of 8 runs: 1,000 bootstrap samples/);
});

test('a law that misses its points has the wider interval', () => {
  const bent = measured((n) => throughputOf(LAW, n) * (n === 3 ? 0.85 : 1));
  const width = (/** @type {ReturnType<typeof fitCapacity>} */ { at }) => at(4).high - at(4).low;
  assert.ok(width(fitCapacity(bent)) > 1.5 * width(fitCapacity(measured())));
});
