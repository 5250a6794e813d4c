import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compareUnpaired } from './unpaired.js';

/** @param {import('./paired.js').Compared} found @param {Record<string, number | null>} wanted */
function assertClose(found, wanted) {
  for (const [name, figure] of Object.entries(wanted)) {
    const value = found[/** @type {keyof import('./paired.js').Compared} */ (name)];
    if (figure === null || value === null) assert.equal(value, figure, name);
    else assert.ok(Math.abs(value - figure) < 1e-9, `${name}: ${value}, not ${figure}`);
  }
}

// Permeability of a membrane at term and before, Hollander and Wolfe 1973, page 69: the other example of R's ?wilcox.test.
const atTerm = [0.8, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46];
const earlier = [1.15, 0.88, 0.9, 0.74, 1.21];

const base = [412.1, 398.4, 405.0, 420.7, 399.9, 401.2, 415.5, 408.8];
const other = [455.0, 431.2, 450.1, 447.7, 436.0, 399.1];

test('a shift is the one of the textbook', () => {
  // R 4.2.2: wilcox.test(atTerm, earlier, exact = TRUE, conf.int = TRUE): W = 35 of 50 pairs, of which Cliff's delta is 2 * 35 / 50 - 1.
  assertClose(compareUnpaired(earlier, atTerm, 'difference'), {
    n: 5,
    estimate: 0.305,
    low: -0.15,
    high: 0.76,
    p: 0.2544122544122544,
    effect: 0.4,
  });
});

test('a ratio is the shift of the logarithms', () => {
  // R 4.2.2: w <- wilcox.test(log(other), log(base), exact = TRUE, conf.int = TRUE); exp(c(w$estimate, w$conf.int)): W = 41.
  assertClose(compareUnpaired(base, other, 'ratio'), {
    n: 6,
    estimate: 1.081929975978,
    low: 1.024958402662,
    high: 1.11952988247,
    p: 0.029304029304029304,
    effect: 34 / 48,
  });
});

test('ties are counted exactly', () => {
  // SciPy 1.17.1: permutation_test((other, base), lambda a, b: rankdata(concatenate([a, b]))[:len(a)].sum(),
  // permutation_type='independent', n_resamples=inf): 49, p = 0.7385947385947386. The interval: all 48 differences listed, the ninth
  // from either end, qwilcox(0.025, 8, 6) being 9 in R 4.2.2.
  const failing = [0, 0, 0.02, 0, 0.01, 0, 0.03, 0.01];
  const failingToo = [0, 0.01, 0.02, 0.01, 0.03, 0];
  assertClose(compareUnpaired(failing, failingToo, 'difference'), {
    n: 6,
    estimate: 0,
    low: -0.01,
    high: 0.02,
    p: 0.7385947385947386,
    effect: 8 / 48,
  });
});

test('the same figures everywhere are no difference', () => {
  assert.deepEqual(compareUnpaired([0, 0, 0, 0], [0, 0, 0, 0, 0], 'difference'), { n: 4, estimate: 0, low: 0, high: 0, p: 1, effect: 0 });
});

test('few figures give no interval, and none nothing', () => {
  assertClose(compareUnpaired([1, 2, 3], [11, 12, 13], 'difference'), { n: 3, estimate: 10, low: null, high: null, p: 0.1, effect: 1 });
  // With four of each, 1 of the 70 choices lies at either end: 1 - 2/70 is 97 %.
  assertClose(compareUnpaired([1, 2, 3, 4], [11, 12, 13, 14], 'difference'), { low: 7, high: 13, p: 2 / 70 });
  assert.deepEqual(compareUnpaired([], [1], 'ratio'), { n: 0, estimate: null, low: null, high: null, p: null, effect: null });
});

test('what is missing, or has no ratio, does not count', () => {
  assert.deepEqual(compareUnpaired([0, null, ...base], [...other, -1], 'ratio'), compareUnpaired(base, other, 'ratio'));
});
