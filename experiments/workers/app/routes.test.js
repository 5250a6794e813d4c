import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readConfig } from '../../../app/lib/config.js';
import { ask } from '../../../app/lib/fixtures/response.js';
import { newCounts } from '../../../app/lib/telemetry.js';
import { newDocument } from './documents.js';
import { documentRoutes } from './routes.js';

/** A database in memory. @param {string[]} ids */
function newDocuments(ids) {
	const stored = new Set(ids);
	return /** @type {import('./documents.js').Documents} */ ({
		read: async (id) => (stored.has(id) ? newDocument(id) : null),
		create: async (id) => !stored.has(id) && Boolean(stored.add(id)),
		update: async (id) => stored.has(id),
		delete: async (id) => stored.delete(id),
		seed: async () => {},
	});
}

/** @param {string[]} ids of db1 */
function newBench(ids) {
	const counts = newCounts();
	const databases = new Map([['db1', newDocuments(ids)]]);
	const routes = documentRoutes(readConfig({}), counts, databases);
	/** @type {(name: string, id: string, database?: string) => ReturnType<typeof ask>} */
	const send = (name, id, database = 'db1') => {
		const route = routes.find(({ method }) => method === name);
		assert.ok(route, name);
		return ask(route.handler, { params: { database, id } });
	};
	return { send, counts };
}

test('a read answers the document', async () => {
	const { body, statusCode } = await newBench(['x']).send('get', 'x');
	assert.equal(statusCode, 200);
	assert.equal(body.document._id, 'x');
});

test('a document that was created can be updated, and after it was deleted it is gone', async () => {
	const { send } = newBench([]);
	const statuses = [];
	for (const method of ['put', 'get', 'patch', 'delete', 'get']) statuses.push((await send(method, 'new')).statusCode);
	assert.deepEqual(statuses, [201, 200, 200, 200, 404]);
});

test('a read, an update or a delete of what is not there is a miss, and no failure of a tier', async () => {
	const { send, counts } = newBench([]);
	for (const method of ['get', 'patch', 'delete']) {
		const response = await send(method, 'none');
		assert.deepEqual([response.statusCode, response.headers['X-Failed-Tier']], [404, undefined], method);
	}
	assert.deepEqual([counts.answered, counts.errors], [{ '4xx': 3 }, {}]);
});

test('an id that is taken is not created again', async () => {
	assert.equal((await newBench(['x']).send('put', 'x')).statusCode, 409);
});

test('a database that is not there is a miss', async () => {
	assert.equal((await newBench(['x']).send('get', 'x', 'db9')).statusCode, 404);
});
