import assert from 'node:assert/strict';
import { test } from 'node:test';
import { leftInQueue } from './queue-doubts.js';

const FROM = 1000;
const ACCEPTED_IN_LOAD = 2000;

/** @param {number} left  writes of the warm-up that are done in the load */
function doubtsOf(left) {
  const put = new Map();
  const taken = new Map();
  for (let index = 0; index < ACCEPTED_IN_LOAD; index += 1) put.set(`r${index}`, [{ received: FROM + 1, ended: FROM + 1, status: 202 }]);
  for (let index = 0; index < left; index += 1) {
    put.set(`w${index}`, [{ received: FROM - 5, ended: FROM - 5, status: 202 }]);
    taken.set(`w${index}`, [{ received: FROM, ended: FROM + 0.5, status: 200 }]);
  }
  return leftInQueue(/** @type {any} */ ({ facts: { raw: { queued: { put, taken } }, window: { from: FROM } } }));
}

test('an empty queue is no doubt, nor a system without one', () => {
  assert.deepEqual(doubtsOf(0), []);
  assert.deepEqual(doubtsOf(2), []);
  assert.deepEqual(leftInQueue(/** @type {any} */ ({ facts: { raw: { queued: null } } })), []);
});

test('what the warm-up left is one, by what the load put in', () => {
  const [doubt] = doubtsOf(100);
  assert.equal(doubt.grade, 'SUSPECT');
  assert.match(
    doubt.reason,
    /^100 writes of the warm-up were not done when the load began, 5 % of what the load put into the queue; the limit is 0\.1 %$/,
  );
  assert.equal(doubtsOf(201)[0].grade, 'INVALID');
});
