import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isAnswered, isBroken, isOfDatabase, isPoolCleared, isPoolWait } from './driver-errors.js';

test('each error of the driver has one meaning, older names without "Mongo" among them', () => {
  const meanings = [isPoolWait, isPoolCleared, isAnswered, isBroken];
  for (const [error, meaning] of /** @type {const} */ ([
    ['MongoWaitQueueTimeoutError', isPoolWait],
    ['WaitQueueTimeoutError', isPoolWait],
    ['MongoPoolClearedOnNetworkError', isPoolCleared],
    ['PoolClearedError', isPoolCleared],
    ['MongoServerError', isAnswered],
    ['MongoNetworkError', isBroken],
  ])) {
    assert.deepEqual(
      meanings.filter((is) => is(error)),
      [meaning],
      error,
    );
    assert.ok(isOfDatabase(error), error);
  }
});

test('an error of the driver that is none of these is of the database all the same, and one of the app is not', () => {
  for (const is of [isPoolWait, isPoolCleared, isAnswered, isBroken]) assert.ok(!is('MongoServerSelectionError'));
  assert.ok(isOfDatabase('MongoServerSelectionError'));
  for (const error of ['', 'TypeError', 'Error']) assert.ok(!isOfDatabase(error), error);
});
