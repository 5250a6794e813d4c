import assert from 'node:assert/strict';
import { test } from 'node:test';
import { throughputOf } from '../stats/usl-fit.js';
import { LAW, scalePlan, scaleRuns } from './fixtures/scale-runs.js';
import { holdOut } from './hold-out.js';
import { readingsOf } from './readings.js';

/** @param {number} [atFour]  what the runs with four nodes gave of what the law says */
function checked(atFour = 1) {
  const plan = scalePlan();
  const runs = scaleRuns(plan, (n) => throughputOf(LAW, n) * (n === 4 ? atFour : 1));
  return holdOut(
    readingsOf(plan, runs).map(({ n, readings }) => ({
      n,
      values: readings.map(({ rps }) => rps),
      blocks: readings.map(({ block }) => block),
    })),
  );
}

test('fitted on one to three nodes, the interval holds what was measured with four', () => {
  const { fitted_on: on, n, inside, predicted, measured, sentence } = checked();
  assert.deepEqual([on, n, inside], [[1, 2, 3], 4, true]);
  assert.ok(predicted.low <= Number(measured.median) && Number(measured.median) <= predicted.high);
  assert.match(
    sentence,
    /^Fitted on 1 to 3 nodes it predicts \d+ requests a second \(\d+ to \d+\) for 4; measured, .*8 runs: \d+, inside\.$/,
  );
});

test('what goes another way with the fourth is outside, and said to be', () => {
  const { inside, runs_inside: runs, sentence } = checked(0.6);
  assert.deepEqual([inside, runs], [false, 0]);
  assert.match(sentence, /, outside\.$/);
});

test('what was measured with the held out number changes nothing of what is predicted for it', () => {
  assert.deepEqual(checked(0.6).predicted, checked().predicted);
});
