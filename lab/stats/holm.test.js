import assert from 'node:assert/strict';
import { test } from 'node:test';
import { adjustHolm } from './holm.js';

/** @param {(number | null)[]} values */
const rounded = (values) => values.map((value) => value && Number(value.toFixed(6)));

test('the adjusted figures are those of R, in the order in which they came', () => {
  // R 4.2.2: p.adjust(c(0.01, 0.04, 0.03, 0.005), "holm")
  assert.deepEqual(rounded(adjustHolm([0.01, 0.04, 0.03, 0.005])), [0.03, 0.06, 0.06, 0.02]);
  // R 4.2.2: p.adjust(c(0.01, 0.02, 0.03, 0.04, 0.05), "holm")
  assert.deepEqual(rounded(adjustHolm([0.01, 0.02, 0.03, 0.04, 0.05])), [0.05, 0.08, 0.09, 0.09, 0.09]);
});

test('the example of ?p.adjust comes out as it does there', () => {
  // R 4.2.2: set.seed(123); x <- rnorm(50, mean = c(rep(0, 25), rep(3, 25))); p <- 2 * pnorm(sort(-abs(x))); the first and some later
  // ones of round(p, 6) and of round(p.adjust(p, "holm"), 6). All that are left out are above the last one.
  const p = [
    0, 0.000021, 0.000026, 0.000098, 0.000105, 0.000124, 0.000133, 0.000157, 0.000225, 0.00038, 0.000611, 0.001614, 0.003302, 0.003538,
    0.005237, 0.006832, 0.007059, 0.008805, 0.009401, 0.011298, 0.02115, 0.049227,
  ];
  const adjusted = [
    0.000012, 0.00103, 0.001237, 0.004613, 0.004842, 0.005587, 0.005834, 0.006745, 0.009469, 0.015561, 0.02446, 0.062944, 0.125492,
    0.130919, 0.188532, 0.239117, 0.240014, 0.290569, 0.300833, 0.350237, 0.634505, 1,
  ];
  const found = adjustHolm([...p, ...new Array(28).fill(0.5)]);
  // p is known to six digits only, and is multiplied by up to 50.
  adjusted.forEach((value, index) => {
    assert.ok(Math.abs(Number(found[index]) - value) < 50 * 5e-7, `${found[index]}, not ${value}`);
  });
});

test('a question that could not be asked does not count and stays unanswered', () => {
  assert.deepEqual(adjustHolm([null, 0.02, null, 0.5]), [null, 0.04, null, 0.5]);
  assert.deepEqual(adjustHolm([null]), [null]);
  assert.deepEqual(adjustHolm([]), []);
});

test('nothing is adjusted above 1, and equal figures stay equal', () => {
  assert.deepEqual(adjustHolm([0.9, 0.9, 0.6]), [1, 1, 1]);
  assert.deepEqual(adjustHolm([0.02, 0.02, 0.02]), [0.06, 0.06, 0.06]);
});
