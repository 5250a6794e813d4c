import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRandom } from './random.js';
import { fitUsl } from './usl.js';
import { throughputOf } from './usl-fit.js';

const BLOCKS = 8;
const NOISE = 0.02;

/**
 * Runs of a known law, with an even noise of some per cent.
 * @param {import('./usl-fit.js').Law} law
 * @param {number[]} [each]
 */
function measured(law, each = [1, 2, 3, 4]) {
  const random = createRandom(5);
  const noise = () => 1 + NOISE * ((2 * random.below(1_000_001)) / 1_000_000 - 1);
  return each.map((n) => ({ n, values: Array.from({ length: BLOCKS }, () => throughputOf(law, n) * noise()) }));
}

/** @param {{ estimate: number, low: number, high: number }} interval @param {number} truth */
const holds = ({ estimate, low, high }, truth) => low <= truth && truth <= high && low <= estimate && estimate <= high;

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
  const growing = (/** @type {number} */ n) => 100 * n;
  const stopping = (/** @type {number} */ n) => throughputOf({ lambda: 100, sigma: 0, kappa: 0.25 }, n);
  const points = [1, 2, 3, 4].map((n) => ({
    n,
    values: [stopping, stopping, stopping, stopping, growing, growing].map((curve) => curve(n)),
  }));
  const { usl, refused } = fitUsl(points);
  assert.equal(usl?.peak, null);
  assert.match(String(refused), /^No peak is named: the fit puts it at \d(\.\d+)?, but its 95 % interval has no upper end\.$/);
});
