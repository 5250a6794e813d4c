import assert from 'node:assert/strict';
import { test } from 'node:test';
import { leastSquares, peakOf, throughputOf } from './usl-fit.js';

/** @param {number[]} each @param {number[]} values */
const runsOf = (each, values) => each.map((n, index) => ({ n, value: values[index] }));

/** @param {import('./usl-fit.js').Law} found @param {import('./usl-fit.js').Law} wanted */
function assertClose(found, wanted) {
  for (const name of /** @type {const} */ (['lambda', 'sigma', 'kappa'])) {
    const allowed = 1e-6 * Math.max(Math.abs(wanted[name]), 1e-3);
    assert.ok(Math.abs(found[name] - wanted[name]) <= allowed, `${name}: ${found[name]}, not ${wanted[name]}`);
  }
}

// The references are R 4.2.2: nls(x ~ l * n / (1 + s * (n - 1) + k * n * (n - 1)), start = list(l = , s = , k = ),
// algorithm = "port", lower = c(0, 0, 0)); SciPy 1.17.1's curve_fit with the same bounds agrees with each.

test('the SPEC SDM91 benchmark of Gunther 2007 gives the published coefficients and peak', () => {
  const law = leastSquares(runsOf([1, 18, 36, 72, 108, 144, 216], [64.9, 995.9, 1652.4, 1853.2, 1828.9, 1775.0, 1702.2]));
  assertClose(law, { lambda: 89.9952324, sigma: 0.02772847517, kappa: 0.0001043654841 });
  assert.ok(Math.abs(peakOf(law) - 96.51956087) < 1e-4, `${peakOf(law)}`);
  // R package usl 3.0: alpha 0.0277285, beta 0.0001044, gamma 89.9952.
  assert.deepEqual([law.sigma.toFixed(7), law.kappa.toFixed(7), law.lambda.toFixed(3)], ['0.0277285', '0.0001044', '89.995']);
});

test('the ray tracer of Gunther 2007 lies on the bound: contention alone, and no peak', () => {
  const law = leastSquares(runsOf([1, 4, 8, 12, 16, 20, 24, 28, 32, 48, 64], [20, 78, 130, 170, 190, 200, 210, 230, 260, 280, 310]));
  assertClose(law, { lambda: 21.84884277155, sigma: 0.05777078033, kappa: 0 });
  assert.equal(law.kappa, 0);
  assert.equal(peakOf(law), Number.POSITIVE_INFINITY);
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
  const error = (/** @type {import('./usl-fit.js').Law} */ law) =>
    twice.reduce((sum, { n, value }) => sum + (throughputOf(law, n) - value) ** 2, 0);
  assert.ok(error(weighed) < error(leastSquares([...once.slice(0, 3), { n: 8, value: 400 }])));
});

test('a system that contention alone stops has its peak at nothing', () => {
  assert.equal(peakOf({ lambda: 1, sigma: 1, kappa: 0.1 }), 0);
  assert.equal(peakOf({ lambda: 1, sigma: 0.19, kappa: 0.01 }), 9);
});
