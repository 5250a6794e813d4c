import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readConfig } from './config.js';
import { ask, FakeResponse } from './fixtures/response.js';
import { currentRequest } from './pool-monitor.js';
import { Refusal } from './refusal.js';
import { requestHandler } from './request-handler.js';
import { takeLines } from './request-log.js';
import { newCounts } from './telemetry.js';

/** @typedef {Parameters<typeof requestHandler>[2]} Work */

/** @param {Work} work @param {Record<string, string>} [env] @param {Record<string, string>} [headers] */
async function askFor(work, env = {}, headers = {}) {
	const counts = newCounts();
	const response = await ask(requestHandler(readConfig({ NODE_NAME: 'app-7', ...env }), counts, work), { headers });
	return { response, counts };
}

/** @type {(name: string) => Work} */
const throwNamed = (name) => async () => {
	throw Object.assign(new Error('no'), { name });
};

test('a good answer names its node', async () => {
	const { response, counts } = await askFor(async () => {});
	assert.equal(response.statusCode, 200);
	assert.equal(response.body.server, 'app-7');
	assert.equal(response.headers['X-Failed-Tier'], undefined);
	assert.deepEqual(counts.answered, { '2xx': 1 });
	assert.deepEqual([counts.received, counts.in_flight, counts.ok_ms.count], [1, 0, 1]);
});

test('what the request waited for in pool and database is in the sums', async () => {
	const { counts } = await askFor(async () => {
		Object.assign(/** @type {object} */ (currentRequest.getStore()), { poolMs: 2, databaseMs: 6.125 });
	});
	assert.deepEqual([counts.ok_ms.pool, counts.ok_ms.database], [2, 6.125]);
});

test('what the work says is sent before latency and name', async () => {
	const { response } = await askFor(async () => ({ status: 201, body: { ticket: 5 } }));
	assert.equal(response.statusCode, 201);
	assert.deepEqual(Object.keys(response.body), ['ticket', 'latency', 'server']);
});

test('an answer that is not good has no failed tier, and its time is in no sum', async () => {
	const { response, counts } = await askFor(async () => ({ status: 409, body: { error: 'sold out' } }));
	assert.deepEqual([response.statusCode, response.body.error], [409, 'sold out']);
	assert.equal(response.headers['X-Failed-Tier'], undefined);
	assert.deepEqual([counts.answered, counts.errors, counts.ok_ms.count], [{ '4xx': 1 }, {}, 0]);
});

test('work that throws is answered with 500, the tier and the error’s name', async () => {
	const { response, counts } = await askFor(throwNamed('MongoWaitQueueTimeoutError'));
	assert.equal(response.statusCode, 500);
	assert.equal(response.headers['X-Failed-Tier'], 'pool');
	assert.equal(response.headers['X-Error-Name'], 'MongoWaitQueueTimeoutError');
	assert.deepEqual(counts.answered, { '5xx': 1 });
	assert.deepEqual(counts.errors, { MongoWaitQueueTimeoutError: 1 });
	assert.equal(counts.ok_ms.count, 0);
});

test('a failure on purpose accuses the app, and the work is not begun', async () => {
	let begun = 0;
	const { response } = await askFor(
		async () => {
			begun += 1;
		},
		{ ERROR_SHARE: '1' },
	);
	assert.equal(response.headers['X-Failed-Tier'], 'app');
	assert.equal(begun, 0);
});

test('a caller that hangs up before the answer is out counts as aborted, not as answered', async () => {
	const counts = newCounts();
	const response = new FakeResponse();
	response.json = () => {};
	const handler = requestHandler(readConfig({}), counts, async () => {
		response.close();
	});
	await ask(handler, {}, response);
	assert.deepEqual([counts.aborted, counts.in_flight, counts.answered, counts.ok_ms.count], [1, 0, {}, 0]);
});

test('a request with an id is logged as it comes and as it goes, with the error that it is answered', async () => {
	takeLines();
	await askFor(async () => {}, {}, { 'x-request-id': '7-1' });
	await askFor(throwNamed('MongoServerError'), {}, { 'x-request-id': '7-2' });
	await askFor(async () => {});
	assert.deepEqual(
		takeLines()
			.trimEnd()
			.split('\n')
			.map((line) => line.replace(/ \d+/, '')),
		['+7-1', '-7-1 200', '+7-2', '-7-2 500 MongoServerError'],
	);
});

test('a node that has too much to do refuses without doing the work, and says when to come again', async () => {
	const counts = newCounts();
	const handler = requestHandler(
		readConfig({}),
		counts,
		() => assert.fail('the work was done'),
		() => true,
	);
	const response = await ask(handler, { headers: { 'x-request-id': '1-9' } });
	assert.deepEqual([response.statusCode, response.headers['Retry-After'], response.body.error], [503, '1', 'Overloaded']);
	assert.deepEqual(counts.errors, { Overloaded: 1 });
	assert.match(takeLines(), /^-1-9 \d+ 503 Overloaded$/m);
});

test('work that refuses is answered so too, with its own name and time to come again', async () => {
	takeLines();
	const refuse = () => Promise.reject(new Refusal('BreakerOpenError', 3, '1-4'));
	const { response, counts } = await askFor(refuse, {}, { 'x-request-id': '1-9' });
	assert.deepEqual([response.statusCode, response.headers['Retry-After'], response.body.error], [503, '3', 'BreakerOpenError']);
	assert.equal(response.headers['X-Failed-Tier'], 'app');
	assert.deepEqual([counts.errors, counts.answered, counts.ok_ms.count], [{ BreakerOpenError: 1 }, { '5xx': 1 }, 0]);
	assert.match(takeLines(), /^-1-9 \d+ 503 BreakerOpenError 1-4$/m);
});

test('a node that works on as much as it may refuses the next request, and takes one again when it is done', async () => {
	/** @type {() => void} */
	let finish = () => {};
	const work = () =>
		new Promise((/** @type {(value: void) => void} */ resolve) => {
			finish = resolve;
		});
	const handler = requestHandler(readConfig({ NODE_NAME: 'app-7', WORK_MOST: '1' }), newCounts(), work);
	const first = ask(handler);
	assert.equal((await ask(handler)).statusCode, 503);
	finish();
	assert.equal((await first).statusCode, 200);
	const third = ask(handler);
	finish();
	assert.equal((await third).statusCode, 200);
});
