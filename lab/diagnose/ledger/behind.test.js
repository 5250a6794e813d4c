import assert from 'node:assert/strict';
import { test } from 'node:test';
import { heldWithoutSuccess, noSuccessIntervals } from './behind.js';

const WINDOW = { from: 100, to: 110, warmupFrom: 95 };

/** @typedef {import('./hop-records.js').RequestRecord} RequestRecord */

/**
 * A request that a node had for a time.
 * @type {(from: number, to: number | null, asked?: { to?: string, status?: number | null, message?: import('../../adapters/contract.js').Message | null }) => RequestRecord}
 */
const visit = (from, to, { to: node = 'web', status = 200, message = null } = {}) => ({
  service: 'edge',
  id: `${node}-${from}`,
  received: WINDOW.from + from,
  ended: to === null ? null : WINDOW.from + to,
  outcome: 'answered',
  status,
  error: '',
  place: '',
  asked: [{ to: node, status, connected: true, message }],
  own: [],
});

/** Good answers, one right after the other. @param {number} from @param {number} to @param {number} [took] */
const served = (from, to, took = 0.1) =>
  Array.from({ length: Math.round((to - from) / took) }, (_, index) => visit(from + index * took, from + (index + 1) * took));

/** Intervals in seconds of the load. @param {RequestRecord[]} requestRecords @param {string} [node] */
const noSuccessIn = (requestRecords, node = 'web') =>
  noSuccessIntervals({ requestRecords }, requestRecords.length, WINDOW)
    .get(node)
    ?.map(({ from, to }) => [from, to].map((t) => Math.round((t - WINDOW.from) * 100) / 100));

test('a service that has requests and answers none well for a second is held, to its next good answer', () => {
  assert.deepEqual(noSuccessIn([...served(0, 3), visit(3, 7), ...served(7, 10)]), [[3, 7]]);
});

test('one that answers others meanwhile is not', () => {
  assert.deepEqual(noSuccessIn([...served(0, 10), visit(3, 7)]), []);
});

test('one that has no requests is not', () => {
  assert.deepEqual(noSuccessIn([...served(0, 3), ...served(7, 10)]), []);
});

test('a short time without a good answer does not count', () => {
  assert.deepEqual(noSuccessIn([...served(0, 3), visit(3, 3.9), ...served(3.9, 10)]), []);
});

test('errors of the service, time-outs and answers that broke off do not end an interval without success, what it refuses does', () => {
  const broken = { signal: /** @type {const} */ ('http_response_incomplete'), t: WINDOW.from + 5, text: '' };
  for (const bad of [{ status: 500 }, { status: null }, { status: 200, message: broken }])
    assert.deepEqual(noSuccessIn([...served(0, 3), visit(3, 5, bad), visit(3, 7), ...served(7, 10)]), [[3, 7]]);
  const refused = [...served(0, 3), visit(3, 5, { status: 409 }), visit(3, 7), ...served(7, 10)];
  assert.deepEqual(noSuccessIn(refused), [
    [3, 5],
    [5, 7],
  ]);
});

test('what its record leaves open lasts to the end of the load', () => {
  assert.deepEqual(noSuccessIn([...served(0, 3), visit(3, null)]), [[3, 10]]);
});

test('who was asked last had the request, and who was never held is named too', () => {
  const retried = { ...visit(3, 7), asked: [visit(3, 7, { status: null }).asked[0], visit(3, 7, { to: 'other' }).asked[0]] };
  const requestRecords = [...served(0, 10), retried];
  assert.deepEqual([noSuccessIn(requestRecords), noSuccessIn(requestRecords, 'other')], [[], [[3, 7]]]);
});

test('where more than a tenth of the requests is not on record, nobody can be said to be held', () => {
  const requestRecords = [...served(0, 3), visit(3, 7), ...served(7, 10)];
  const namesOf = (/** @type {number} */ finished) => [...noSuccessIntervals({ requestRecords }, finished, WINDOW).keys()];
  assert.deepEqual([namesOf(Math.floor(requestRecords.length / 0.9)), namesOf(requestRecords.length * 2)], [['web'], []]);
  assert.equal(noSuccessIntervals(null, 0, WINDOW).size, 0);
});

test('a request waited in such an interval when half of its wait lies in it', () => {
  const interval = { from: 3, to: 7 };
  const facts = { noSuccess: new Map([['web', [interval]]]) };
  const held = [
    { from: 1, to: 5 },
    { from: 1, to: 4.9 },
    { from: 6, to: 8.1 },
    { from: 5, to: 5 },
    { from: 8, to: 8 },
  ].map((span) => heldWithoutSuccess(facts, 'web', span));
  assert.deepEqual(held, [interval, undefined, undefined, interval, undefined]);
  assert.equal(heldWithoutSuccess(facts, 'other', { from: 4, to: 5 }), undefined);
});
