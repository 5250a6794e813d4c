import assert from 'node:assert/strict';
import { test } from 'node:test';
import { failedTier } from './failed-tier.js';

/** @param {string} name */
const errorNamed = (name) => Object.assign(new Error(name), { name });

test('a request that waited too long for a connection accuses the pool', () => {
	for (const name of ['MongoWaitQueueTimeoutError', 'WaitQueueTimeoutError']) assert.equal(failedTier(errorNamed(name)), 'pool');
});

test('a pool that was cleared or closed accuses the pool', () => {
	for (const name of ['MongoPoolClearedError', 'PoolClearedOnNetworkError', 'MongoPoolClosedError']) {
		assert.equal(failedTier(errorNamed(name)), 'pool');
	}
});

test('every other error of the driver accuses the database', () => {
	for (const name of ['MongoServerSelectionError', 'MongoNetworkTimeoutError', 'MongoServerError']) {
		assert.equal(failedTier(errorNamed(name)), 'database');
	}
});

test('what the driver did not throw accuses the app', () => {
	for (const thrown of [new TypeError('x'), errorNamed('ValidationError'), 'MongoServerError', null, undefined]) {
		assert.equal(failedTier(thrown), 'app');
	}
});
