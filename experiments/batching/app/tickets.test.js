import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readConfig } from '../../../app/lib/config.js';
import { ask } from '../../../app/lib/fixtures/response.js';
import { newCounts } from '../../../app/lib/telemetry.js';
import { ticketHandler } from './tickets.js';

/** @param {Parameters<typeof ticketHandler>[2]} buy @param {Record<string, string>} [headers] */
const askFor = (buy, headers) => ask(ticketHandler(readConfig({ NODE_NAME: 'app-2' }), newCounts(), buy), { headers });

test('a sale is answered with the ticket’s number, the first one’s too', async () => {
	const response = await askFor(async () => 0);
	assert.deepEqual([response.statusCode, response.body.ticket, response.body.server], [200, 0, 'app-2']);
});

test('when none was left the answer is 409, and no tier is accused', async () => {
	const response = await askFor(async () => null);
	assert.deepEqual([response.statusCode, response.body.error], [409, 'sold out']);
	assert.equal(response.headers['X-Failed-Tier'], undefined);
});

test('a sale that fails is answered with 500 and the tier', async () => {
	const response = await askFor(async () => {
		throw Object.assign(new Error('no'), { name: 'MongoNetworkError' });
	});
	assert.deepEqual([response.statusCode, response.headers['X-Failed-Tier']], [500, 'database']);
});

test('the ticket is bought for the event that the header names, else for the load’s', async () => {
	/** @type {string[]} */
	const bought = [];
	const buy = async (/** @type {string} */ event) => {
		bought.push(event);
		return 1;
	};
	await askFor(buy);
	await askFor(buy, { 'x-event': 'warmup' });
	assert.deepEqual(bought, ['main', 'warmup']);
});
