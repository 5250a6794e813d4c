import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { takeLines } from '../lib/request-log.js';
import { newCounts } from '../lib/telemetry.js';
import { newConsumption } from './consume.js';

beforeEach(() => void takeLines());

/** What the log says, without its times. */
const logged = () =>
	takeLines()
		.trim()
		.split('\n')
		.map((line) => line.replace(/ \d+/, ''));

test('a write that was done is counted and logged by its request’s id', async () => {
	const counts = newCounts();
	/** @type {unknown[]} */
	const done = [];
	await newConsumption(counts, async (write) => void done.push(write))({ id: '7-1', value: 0.5 });
	assert.deepEqual(done, [{ id: '7-1', value: 0.5 }]);
	assert.deepEqual([counts.received, counts.in_flight, counts.answered, counts.ok_ms.count], [1, 0, { '2xx': 1 }, 1]);
	assert.deepEqual(logged(), ['+7-1', '-7-1 200']);
});

const isGone = { name: 'MongoNetworkError', message: 'gone' };
const fail = () => Promise.reject(Object.assign(new Error(isGone.message), isGone));

test('one that failed is counted by its error, and told', async () => {
	const counts = newCounts();
	await assert.rejects(newConsumption(counts, fail)({ id: '7-1', value: 0.5 }), isGone);
	assert.deepEqual([counts.in_flight, counts.answered, counts.errors], [0, { '5xx': 1 }, { MongoNetworkError: 1 }]);
	assert.deepEqual(logged(), ['+7-1', '-7-1 500 MongoNetworkError']);
});

test('one that is tried again has not ended: it is given back', async () => {
	const counts = newCounts();
	await assert.rejects(newConsumption(counts, fail)({ id: '7-1', value: 0.5 }, false), isGone);
	assert.deepEqual([counts.in_flight, counts.aborted, counts.answered, counts.errors], [0, 1, {}, { MongoNetworkError: 1 }]);
	assert.deepEqual(logged(), ['+7-1', 'x7-1 app']);
});
