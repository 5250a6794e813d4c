import assert from 'node:assert/strict';
import { test } from 'node:test';
import { errorSignal } from './driver-errors.js';

test('each error of the driver has one meaning, older names without "Mongo" among them', () => {
  for (const [error, signal] of [
    ['MongoWaitQueueTimeoutError', 'pool-timeout'],
    ['WaitQueueTimeoutError', 'pool-timeout'],
    ['MongoPoolClearedOnNetworkError', 'pool-cleared'],
    ['PoolClearedError', 'pool-cleared'],
    ['MongoServerError', 'store-error'],
    ['MongoNetworkError', 'connection-broken'],
    ['MongoServerSelectionError', 'connect-failed'],
    ['MongooseServerSelectionError', 'connect-failed'],
    ['MongoNetworkTimeoutError', 'store-timeout'],
    ['MongoOperationTimeoutError', 'store-timeout'],
  ])
    assert.equal(errorSignal(error), signal, error);
});

test('an error of the driver that is none of these is of the database all the same, and one of the app is not', () => {
  assert.equal(errorSignal('MongoRuntimeError'), 'store-failed');
  for (const error of ['', 'TypeError', 'Error']) assert.equal(errorSignal(error), null, error);
});

test('what the driver says of the program that calls it is of the app, for no server was asked', () => {
  for (const error of ['MongoInvalidArgumentError', 'MongoClientClosedError', 'MongoTransactionError', 'MongoPoolClosedError'])
    assert.equal(errorSignal(error), null, error);
});
