import assert from 'node:assert/strict';
import { once } from 'node:events';
import http from 'node:http';
import net from 'node:net';
import { afterEach, mock, test } from 'node:test';
import { readConfig } from './config.js';
import { addCost, breakConnections, corruptResponse, harmsDatabase, hasRequestFaults, injectDatabaseFault } from './faults.js';

afterEach(() => mock.restoreAll());

/** @param {Record<string, string>} env */
const faultsOf = (env) => readConfig(env).faults;

/**
 * A server that corrupts what it is told to, and the text that a client gets from it.
 * @param {Record<string, string>} env
 * @param {(ask: () => Promise<string>, server: http.Server) => Promise<void>} check
 */
async function withServer(env, check) {
	const faults = faultsOf(env);
	const server = http.createServer((_, res) => {
		if (!corruptResponse(faults, '7-1', res)) res.end('whole');
	});
	breakConnections(server, faults);
	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
	const { port } = /** @type {net.AddressInfo} */ (server.address());
	/** @type {net.Socket[]} */
	const sockets = [];
	const ask = () =>
		new Promise((/** @type {(text: string) => void} */ resolve) => {
			let text = '';
			const socket = net.connect(port, '127.0.0.1', () => socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n'));
			sockets.push(socket);
			socket.on('data', (chunk) => {
				text += chunk;
			});
			socket.on('error', () => {});
			socket.on('close', () => resolve(text));
		});
	try {
		await check(ask, server);
	} finally {
		for (const socket of sockets) socket.destroy();
		server.closeAllConnections();
		server.close();
	}
}

test('without a variable there is no fault', () => {
	const { keepAliveTimeoutMs, ...others } = faultsOf({});
	assert.equal(keepAliveTimeoutMs, null);
	assert.deepEqual([...new Set(Object.values(others))], [0]);
});

test('a node is told once whether any fault is of its requests, or of its database', () => {
	const harms = (/** @type {Record<string, string>} */ env) => [hasRequestFaults(faultsOf(env)), harmsDatabase(faultsOf(env))];
	for (const name of ['DESTROY_SHARE', 'INVALID_SHARE', 'CUT_ANSWER_SHARE', 'LEAK_MB', 'BUSY_MS']) {
		assert.deepEqual(harms({ [name]: '1' }), [true, false], name);
	}
	for (const name of ['WRONG_COMMAND_SHARE', 'SLOW_QUERY_SHARE']) assert.deepEqual(harms({ [name]: '1' }), [false, true], name);
	assert.deepEqual(harms({ SLOW_QUERY_MS: '100', DESTROY_CONNECTIONS_SHARE: '1' }), [false, false]);
});

test('a share that is none stops the node', () => {
	for (const name of ['DESTROY_SHARE', 'DESTROY_CONNECTIONS_SHARE', 'WRONG_COMMAND_SHARE'])
		assert.throws(() => faultsOf({ [name]: '1.5' }), /from 0 to 1/);
});

test('a request whose socket is destroyed gets nothing, and the truth is in the output', async () => {
	const said = mock.method(console, 'log', () => {});
	await withServer({ DESTROY_SHARE: '1' }, async (ask) => assert.equal(await ask(), ''));
	assert.deepEqual(said.mock.calls[0].arguments, ['fault 7-1 destroyShare']);
});

test('an answer that is not HTTP has a header with a zero in it', async () => {
	mock.method(console, 'log', () => {});
	await withServer({ INVALID_SHARE: '1' }, async (ask) => assert.match(await ask(), /^HTTP\/1.1 200 OK\r\n\0/));
});

test('an answer that is cut says that it is longer than what comes', async () => {
	mock.method(console, 'log', () => {});
	await withServer({ CUT_ANSWER_SHARE: '1' }, async (ask) => {
		const [head, body] = (await ask()).split('\r\n\r\n');
		assert.equal(Number(/content-length: (\d+)/i.exec(head)?.[1]), body.length + 1);
	});
});

test('a connection that is destroyed as it comes gets nothing, and its request is never read', async () => {
	await withServer({ DESTROY_CONNECTIONS_SHARE: '1' }, async (ask, server) => {
		const requests = mock.fn();
		server.on('request', requests);
		assert.equal(await ask(), '');
		assert.equal(requests.mock.callCount(), 0);
	});
});

test('a connection that is ignored stays open, and its request is never read', async () => {
	await withServer({ IGNORE_CONNECTIONS_SHARE: '1' }, async (ask, server) => {
		const requests = mock.fn();
		server.on('request', requests);
		const accepted = once(server, 'connection');
		const answer = ask();
		const [socket] = await accepted;
		await new Promise((resolve) => setImmediate(resolve));
		assert.equal(requests.mock.callCount(), 0);
		assert.equal(socket.destroyed, false);
		socket.destroy();
		await answer;
	});
});

test('an idle connection is closed after the time that is given, with no more added by Node', async () => {
	await withServer({ KEEP_ALIVE_TIMEOUT_MS: '5' }, async (ask, server) => {
		assert.deepEqual([server.keepAliveTimeout, server.keepAliveTimeoutBuffer], [5, 0]);
		assert.match(await ask(), /whole/);
	});
});

test('each request of the load keeps memory, and one of the warm-up none', () => {
	const before = process.memoryUsage().arrayBuffers;
	addCost(faultsOf({ LEAK_MB: '2' }), 'w3-1');
	assert.ok(process.memoryUsage().arrayBuffers - before < 2 ** 21);
	addCost(faultsOf({ LEAK_MB: '2' }), '3-1');
	assert.ok(process.memoryUsage().arrayBuffers - before >= 2 ** 21);
});

test('a request of the load blocks the event loop for the time that is given', () => {
	const moments = [1000, 1010, 1030, 1040];
	const now = mock.method(Date, 'now', () => moments.shift());
	addCost(faultsOf({ BUSY_MS: '40' }), '3-1');
	assert.equal(now.mock.callCount(), 4);
	addCost(faultsOf({ BUSY_MS: '40' }), 'w3-1');
	assert.equal(now.mock.callCount(), 4);
});

test('MongoDB is sent a command that it does not know, or made to sleep, only where that is asked for', async () => {
	const command = mock.fn(async () => {});
	const findOne = mock.fn(() => ({ lean: async () => ({}) }));
	const model = /** @type {any} */ ({ db: { db: { command } }, findOne });
	await injectDatabaseFault(faultsOf({}), model);
	assert.equal(command.mock.callCount() + findOne.mock.callCount(), 0);
	await injectDatabaseFault(faultsOf({ WRONG_COMMAND_SHARE: '1', SLOW_QUERY_SHARE: '1', SLOW_QUERY_MS: '70' }), model);
	assert.deepEqual(/** @type {any} */ (command.mock.calls[0].arguments), [{ noSuchCommand: 1 }]);
	assert.deepEqual(/** @type {any} */ (findOne.mock.calls[0].arguments), [{ $where: 'sleep(70) || true' }]);
});
