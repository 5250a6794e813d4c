import assert from 'node:assert/strict';
import { test } from 'node:test';
import { comparePaired, walshAverages } from './paired.js';

/** @param {import('./paired.js').Compared} found @param {Record<string, number | null>} wanted @param {number} [within] */
function assertClose(found, wanted, within = 1e-9) {
  for (const [name, figure] of Object.entries(wanted)) {
    const value = found[/** @type {keyof import('./paired.js').Compared} */ (name)];
    if (figure === null || value === null) assert.equal(value, figure, name);
    else assert.ok(Math.abs(value - figure) < within, `${name}: ${value}, not ${figure}`);
  }
}

// Depression scale of nine patients before and after, Hollander and Wolfe 1973, page 29: the example of R's ?wilcox.test.
const before = [1.83, 0.5, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.3];
const after = [0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29];

const base = [412.1, 398.4, 405.0, 420.7, 399.9, 401.2, 415.5, 408.8];
const other = [455.0, 431.2, 450.1, 447.7, 436.0, 399.1, 460.3, 452.9];

test('a difference is the one of the textbook', () => {
  // R 4.2.2: wilcox.test(before, after, paired = TRUE, exact = TRUE, conf.int = TRUE): V = 40; (40 - 5) / 45 is Kerby's r.
  assertClose(comparePaired(after, before, 'difference'), {
    n: 9,
    estimate: 0.46,
    low: 0.01,
    high: 0.786,
    p: 0.0390625,
    effect: 35 / 45,
  });
});

test('a ratio is the difference of the logarithms', () => {
  // R 4.2.2: wilcox.test(log(before), log(after), paired = TRUE, exact = TRUE, conf.int = TRUE): V = 39; exp() of the figures.
  assertClose(comparePaired(after, before, 'ratio'), {
    n: 9,
    estimate: Math.exp(0.32547182615888),
    low: Math.exp(-0.00904291893098),
    high: Math.exp(0.68661011637204),
    p: 0.0546875,
    effect: 33 / 45,
  });
  // R 4.2.2: w <- wilcox.test(log(other), log(base), paired = TRUE, exact = TRUE, conf.int = TRUE); exp(c(w$estimate, w$conf.int)).
  assertClose(comparePaired(base, other, 'ratio'), {
    n: 8,
    estimate: 1.0917157949,
    low: 1.04142486891,
    high: 1.10787671233,
    p: 0.015625,
    effect: 34 / 36,
  });
});

test('zeros and ties are counted exactly', () => {
  // SciPy 1.17.1: permutation_test((other - base,), lambda d: sum(rankdata(abs(d)) * (d > 0)), permutation_type='samples',
  // n_resamples=inf), differences rounded to 13 digits: 23.5 of 36, p = 0.3125. The interval: all 36 Walsh averages listed, the
  // fourth from either end, qsignrank(0.025, 8) being 4 in R 4.2.2.
  const failing = [0, 0, 0.02, 0, 0.01, 0, 0.03, 0.01];
  const failingToo = [0, 0.01, 0.02, 0.01, 0.03, 0, 0.01, 0.04];
  assertClose(comparePaired(failing, failingToo, 'difference'), {
    n: 8,
    estimate: 0.005,
    low: -0.01,
    high: 0.02,
    p: 0.3125,
    effect: 17 / 36,
  });
  // The same call gives p = 0.64453125 for the paired example of Wikipedia's "Wilcoxon signed-rank test", which holds a zero; without
  // it the rank sums are 27 and 18, and (27 - 18) / 45 = 0.2.
  const first = [110, 122, 125, 120, 140, 124, 123, 137, 135, 145];
  const second = [125, 115, 130, 140, 140, 115, 140, 125, 140, 135];
  assertClose(comparePaired(first, second, 'difference'), { n: 10, effect: 10 / 55, p: 0.64453125 });
  assertClose(comparePaired(first.toSpliced(4, 1), second.toSpliced(4, 1), 'difference'), { n: 9, effect: 0.2 });
});

test('six blocks that differ and two that do not are a finding, and p and interval agree on it', () => {
  const found = comparePaired([0, 0, 0, 0, 0, 0, 0, 0], [0.1, 0.2, 0, 0.3, 0.4, 0, 0.5, 0.6], 'difference');
  // The eight signs of the six differences that have one: 2 / 2^6.
  assertClose(found, { n: 8, estimate: 0.25, low: 0.05, high: 0.5, p: 2 / 64, effect: 33 / 36 });
});

test('the same figure in every block is no difference, and certainly none', () => {
  const zeros = [0, 0, 0, 0, 0, 0, 0, 0];
  assert.deepEqual(comparePaired(zeros, zeros, 'difference'), { n: 8, estimate: 0, low: 0, high: 0, p: 1, effect: 0 });
  assert.deepEqual(comparePaired(base, base, 'ratio'), { n: 8, estimate: 1, low: 1, high: 1, p: 1, effect: 0 });
});

test('with fewer than six pairs there is no interval, and with none nothing', () => {
  assertClose(comparePaired(base.slice(0, 5), other.slice(0, 5), 'ratio'), {
    n: 5,
    estimate: 1.0902725681420773,
    low: null,
    high: null,
    p: 2 / 32,
    effect: 1,
  });
  const six = comparePaired(base.slice(0, 6), other.slice(0, 6), 'ratio');
  // The range of all 21 Walsh averages: qsignrank(0.025, 6) is 1 in R 4.2.2.
  assertClose(six, { n: 6, low: 399.1 / 401.2, high: 450.1 / 405, p: 0.0625 });
  assert.deepEqual(comparePaired([], [], 'ratio'), { n: 0, estimate: null, low: null, high: null, p: null, effect: null });
  assert.equal(comparePaired([1], [2], 'ratio').p, 1);
});

test('a pair without a figure, or a ratio of nothing, does not count', () => {
  const found = comparePaired([0, null, 5, ...base], [3, 4, Number.NaN, ...other], 'ratio');
  assert.deepEqual(found, comparePaired(base, other, 'ratio'));
  assert.equal(comparePaired([0, null, 5], [3, 4, -1], 'difference').n, 2);
  assert.throws(() => comparePaired([1, 2], [1], 'ratio'), RangeError);
});

test('who is called base turns the finding round, and a unit changes nothing of a ratio', () => {
  const there = comparePaired(base, other, 'ratio');
  const back = comparePaired(other, base, 'ratio');
  assertClose(back, {
    estimate: 1 / Number(there.estimate),
    low: 1 / Number(there.high),
    high: 1 / Number(there.low),
    p: there.p,
    effect: -Number(there.effect),
  });
  const perMinute = (/** @type {number} */ value) => value * 60;
  assertClose(comparePaired(base.map(perMinute), other.map(perMinute), 'ratio'), { ...there });
});

test('differences that only rounding tells apart are tied', () => {
  // 0.3 - 0.1 is 0.19999999999999998, and 0.2 - 0 is 0.2: with other ranks p would be another one.
  const found = comparePaired([0.1, 0.2, 0], [0.3, 0, 0.2], 'difference');
  assertClose(found, { effect: 2 / 6, p: 1 });
});

test('every two differences are averaged once, and each with itself', () => {
  assert.deepEqual(walshAverages([4, 0, 2]), [0, 1, 2, 2, 3, 4]);
});
