import assert from 'node:assert/strict';
import { afterEach, mock, test } from 'node:test';
import { readConfig } from '../lib/config.js';
import { ask } from '../lib/fixtures/response.js';
import { currentRequest } from '../lib/pool-monitor.js';
import { newCounts } from '../lib/telemetry.js';
import { createOnce, Document, documentHandler } from './documents.js';

afterEach(() => {
	mock.restoreAll();
	mock.timers.reset();
});

/** @param {{ create?: () => unknown, env?: Record<string, string>, id?: string }} [options] */
async function askOnce({ create = () => ({}), env = {}, id = 'r-1' } = {}) {
	const created = mock.method(Document, 'create', async () => create());
	const found = mock.method(Document, 'findOne', () => ({ lean: async () => ({}) }));
	const counts = newCounts();
	const handler = documentHandler(readConfig({ NODE_NAME: 'app-7', ...env }), counts);
	const response = await ask(handler, { headers: { 'x-request-id': id } });
	return { response, counts, created, found };
}

test('a good answer holds the published fields alone', async () => {
	const { response } = await askOnce();
	assert.equal(response.statusCode, 200);
	assert.deepEqual(Object.keys(response.body), ['latency', 'server']);
	assert.equal(response.body.server, 'app-7');
});

test('one document is written for a request, and one is read', async () => {
	const { created, found } = await askOnce();
	assert.deepEqual([created.mock.callCount(), found.mock.callCount()], [1, 1]);
});

test('a read costs the database as much more as it is told, and as published nothing', async () => {
	const readWith = async (/** @type {Record<string, string>} */ env) =>
		/** @type {any} */ ((await askOnce({ env })).found.mock.calls[0].arguments);
	assert.deepEqual(await readWith({}), []);
	const [filter, { sum }] = await readWith({ READ_COST: '500' });
	assert.deepEqual([filter, sum.$reduce.input, sum.$reduce.initialValue], [{}, { $range: [0, 500] }, '$value']);
});

test('the document has its request’s id where it is asked for, unless that is of the warm-up', async () => {
	const stored = async (/** @type {Parameters<typeof askOnce>[0]} */ options) =>
		/** @type {any} */ ((await askOnce(options)).created.mock.calls[0].arguments)[0].request;
	assert.equal(await stored({}), undefined);
	assert.equal(await stored({ env: { INTEGRITY: '1' } }), 'r-1');
	assert.equal(await stored({ env: { INTEGRITY: '1' }, id: 'w3-1' }), undefined);
});

test('a database call that throws is answered with 500, the tier and the error’s name', async () => {
	const { response, counts } = await askOnce({
		create: () => {
			throw Object.assign(new Error('no'), { name: 'MongoWaitQueueTimeoutError' });
		},
	});
	assert.equal(response.statusCode, 500);
	assert.equal(response.headers['X-Failed-Tier'], 'pool');
	assert.deepEqual(counts.errors, { MongoWaitQueueTimeoutError: 1 });
});

test('a failure on purpose writes nothing', async () => {
	const { response, created } = await askOnce({ env: { ERROR_SHARE: '1' } });
	assert.equal(response.statusCode, 500);
	assert.equal(created.mock.callCount(), 0);
});

test('with a breaker, a database that does not answer in time is answered 500, with the tier and an error as of the driver', async () => {
	mock.timers.enable({ apis: ['setTimeout', 'setInterval'] });
	const create = () => {
		Object.assign(currentRequest.getStore() ?? {}, { place: 'database' });
		return new Promise(() => {});
	};
	const asked = askOnce({ create, env: { BREAKER_TIMEOUT_MS: '1000' } });
	mock.timers.tick(1000);
	const { response, counts } = await asked;
	assert.deepEqual([response.statusCode, response.headers['X-Failed-Tier']], [500, 'database']);
	assert.deepEqual(counts.errors, { MongoOperationTimeoutError: 1 });
});

test('a create that can be repeated is in the journal when it is answered, and what is there already is told and not stored twice', async () => {
	let there = 0;
	const create = createOnce(() => {
		there += 1;
	});
	const inserted = mock.method(Document.collection, 'insertOne', async () => ({}));
	await create({ value: 1, request: '1-1' }, '1-1');
	assert.deepEqual(/** @type {any} */ (inserted.mock.calls[0].arguments), [
		{ _id: '1-1', value: 1, request: '1-1' },
		{ writeConcern: { w: 1, j: true } },
	]);
	const failWith = (/** @type {number} */ code) =>
		inserted.mock.mockImplementation(async () => {
			throw Object.assign(new Error('no'), { code });
		});
	failWith(11000);
	await create({ value: 1 }, '1-1');
	assert.equal(there, 1);
	failWith(91);
	await assert.rejects(create({ value: 1 }, '1-1'), { code: 91 });
});
