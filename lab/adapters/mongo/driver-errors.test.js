import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isAnswered, isBroken, isOfDatabase, isPoolCleared, isPoolWait, isTimedOut, isUnmade } from './driver-errors.js';

test('each error of the driver has one meaning, older names without "Mongo" among them', () => {
  const meanings = [isPoolWait, isPoolCleared, isAnswered, isBroken, isTimedOut];
  for (const [error, meaning] of /** @type {const} */ ([
    ['MongoWaitQueueTimeoutError', isPoolWait],
    ['WaitQueueTimeoutError', isPoolWait],
    ['MongoPoolClearedOnNetworkError', isPoolCleared],
    ['PoolClearedError', isPoolCleared],
    ['MongoServerError', isAnswered],
    ['MongoNetworkError', isBroken],
    ['MongoNetworkTimeoutError', isTimedOut],
    ['MongoOperationTimeoutError', isTimedOut],
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

test('a connection was not made where it broke or where no server was found, and was where an answer was late', () => {
  for (const error of ['MongoNetworkError', 'MongoServerSelectionError', 'MongooseServerSelectionError']) assert.ok(isUnmade(error), error);
  for (const error of ['MongoNetworkTimeoutError', 'MongoServerError', 'TypeError']) assert.ok(!isUnmade(error), error);
});

test('what the driver says of the program that calls it is of the app, for no server was asked', () => {
  for (const error of ['MongoInvalidArgumentError', 'MongoClientClosedError', 'MongoTransactionError', 'MongoPoolClosedError'])
    assert.ok(!isOfDatabase(error), error);
});
