import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readConfig } from '../lib/config.js';
import { ask } from '../lib/fixtures/response.js';
import { newCounts } from '../lib/telemetry.js';
import { addHandler, writeOf } from './bull.js';

/** @param {() => Promise<void>} [answer] */
async function askOnce(answer = async () => {}, headers = /** @type {Record<string, string>} */ ({ 'x-request-id': '7-1' })) {
	/** @type {any[]} */
	const added = [];
	const queue = {
		add: (/** @type {string} */ _kind, /** @type {object} */ data, /** @type {object} */ job) => {
			added.push({ ...data, ...job });
			return answer();
		},
	};
	const response = await ask(addHandler(readConfig({ NODE_NAME: 'app-1' }), newCounts(), queue), { headers });
	return { response, added };
}

test('a write is accepted when the queue has it, as a job with the request’s id', async () => {
	const { response, added } = await askOnce();
	assert.equal(response.statusCode, 202);
	assert.deepEqual([added.length, added[0].jobId, typeof added[0].value], [1, '7-1', 'number']);
});

test('one of a request without an id has one of its own', async () => {
	const ids = await Promise.all([askOnce(undefined, {}), askOnce(undefined, {})]);
	const [one, other] = ids.map(({ added }) => added[0].jobId);
	assert.ok(one && other && one !== other);
});

test('a queue that does not take it is an error by its own name', async () => {
	const { response } = await askOnce(() => Promise.reject(new Error('gone')));
	assert.deepEqual([response.statusCode, response.body.error], [500, 'QueueError']);
});

test('a job says whether it is tried again when it fails', () => {
	const job = { id: '7-1', data: { value: 0.5 }, attemptsMade: 3, opts: { attempts: 5 } };
	assert.deepEqual(writeOf(job), { write: { id: '7-1', value: 0.5 }, isLast: false });
	assert.equal(writeOf({ ...job, attemptsMade: 4 }).isLast, true);
	assert.equal(writeOf({ ...job, attemptsMade: 0, opts: {} }).isLast, true);
});
