import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readConfig } from '../lib/config.js';
import { ask } from '../lib/fixtures/response.js';
import { newCounts } from '../lib/telemetry.js';
import { KEY, pushHandler, writeIn } from './list.js';

/** @param {(key: string, text: string) => Promise<unknown>} lpush */
async function asked(lpush) {
	const counts = newCounts();
	const response = await ask(pushHandler(readConfig({ NODE_NAME: 'app-1' }), counts, { lpush }), { headers: { 'x-request-id': '7-1' } });
	return { response, counts };
}

test('a write that the queue has is accepted, under the id of its request', async () => {
	/** @type {string[][]} */
	const pushed = [];
	const { response } = await asked(async (...given) => pushed.push(given));
	assert.equal(response.statusCode, 202);
	const [[key, text]] = pushed;
	assert.equal(key, KEY);
	const { id, value } = writeIn(text);
	assert.ok(id === '7-1' && value >= 0 && value < 1);
});

test('one that it has not is an error of the queue’s', async () => {
	const { response, counts } = await asked(() => Promise.reject(new Error('Connection is closed.')));
	assert.deepEqual([response.statusCode, response.body.error, counts.errors], [500, 'QueueError', { QueueError: 1 }]);
});
