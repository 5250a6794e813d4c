import assert from 'node:assert/strict';
import { test } from 'node:test';
import { outcomesOf } from './outcomes.js';

/** @type {(metrics: object, queue?: object | null) => any} */
const resultOf = (metrics, queue = null) => ({ metrics: { requests: 1000, failures: 0, refused: 0, ...metrics }, queue, duration_s: 10 });

test('good answers, refusals and failures add up to all requests', () => {
  assert.deepEqual(outcomesOf(resultOf({ failures: 300, refused: 100 })), {
    done_rps: 70,
    accepted_rps: 0,
    refused_rps: 10,
    failed_rps: 20,
  });
});

test('what a queue accepted and did not do in the load is not done', () => {
  const outcomes = outcomesOf(resultOf({ failures: 100 }, { completed_in_load: 400 }));
  assert.deepEqual([outcomes?.done_rps, outcomes?.accepted_rps, outcomes?.failed_rps], [40, 50, 10]);
});

test('nothing is told of a run without requests, or from before refusals were counted', () => {
  assert.equal(outcomesOf(resultOf({ requests: 0 })), null);
  assert.equal(outcomesOf(resultOf({ refused: undefined })), null);
});
