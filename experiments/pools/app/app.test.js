import assert from 'node:assert/strict';
import { once } from 'node:events';
import http from 'node:http';
import { test } from 'node:test';
import { readConfig } from '../../../app/lib/config.js';
import { newCounts } from '../../../app/lib/telemetry.js';
import { appOf } from './app.js';

/**
 * Asks over a real connection: Fastify's own stand-in for one does not say that an answer was written.
 * @param {() => Promise<object>} run
 * @param {string} [path]
 */
async function ask(run, path = '/') {
	const counts = newCounts();
	const app = appOf(readConfig({ NODE_NAME: 'app-7' }), counts, run);
	await app.ready();
	const server = http.createServer((request, response) => app.routing(request, response)).listen(0, '127.0.0.1');
	await once(server, 'listening');
	const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
	const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers: { connection: 'close' } });
	const body = await response.json();
	server.close();
	await once(server, 'close');
	return { status: response.status, headers: response.headers, body, counts };
}

test('a good answer is what the work says', async () => {
	const { status, headers, body, counts } = await ask(async () => ({ hello: 'world' }));
	assert.equal(status, 200);
	assert.deepEqual(body, { hello: 'world' });
	assert.equal(headers.get('x-failed-tier'), null);
	assert.deepEqual([counts.received, counts.in_flight, counts.answered, counts.ok_ms.count], [1, 0, { '2xx': 1 }, 1]);
	assert.deepEqual([counts.ok_ms.pool, counts.ok_ms.database], [0, 0]);
});

test('work that throws is answered with 500, accuses the app and names the error', async () => {
	const { status, headers, counts } = await ask(async () => {
		throw new RangeError('no');
	});
	assert.equal(status, 500);
	assert.equal(headers.get('x-failed-tier'), 'app');
	assert.equal(headers.get('x-error-name'), 'RangeError');
	assert.deepEqual([counts.answered, counts.errors, counts.ok_ms.count], [{ '5xx': 1 }, { RangeError: 1 }, 0]);
});

test('GET /healthz says that the node is ready, and counts as no request', async () => {
	const { body, counts } = await ask(async () => ({}), '/healthz');
	assert.deepEqual(body, { ready: true, server: 'app-7' });
	assert.equal(counts.received, 0);
});
