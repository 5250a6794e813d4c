import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import net from 'node:net';
import os from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { connectTo, isRelayed, relayTo } from './relays.ts';

/** Of nobody (RFC 5737). */
const FAR = '192.0.2.7';

/** A relay that is told where to, and says what it is given. */
async function withRelay(answer: string, use: (asked: string[]) => Promise<void>) {
	const folder = await mkdtemp(join(os.tmpdir(), 'relay-'));
	const asked: string[] = [];
	const server = net.createServer((socket) =>
		socket.once('data', (line) => {
			asked.push(String(line));
			socket.end(answer);
		}),
	);
	try {
		await once(server.listen(join(folder, 'socket')), 'listening');
		relayTo(join(folder, 'socket'), [FAR]);
		await use(asked);
	} finally {
		server.close();
		await rm(folder, { recursive: true, force: true });
	}
}

test('an address that a relay reaches is asked through it, and what comes after its line is the other side’s', () =>
	withRelay('connected\nhello', async (asked) => {
		assert.equal(isRelayed(FAR), true);
		const socket = await connectTo(FAR, 8080);
		const [said] = await once(socket, 'data');
		assert.deepEqual([asked, String(said)], [[`${FAR}:8080\n`], 'hello']);
	}));

test('what keeps the relay from it is told as the system tells it', () =>
	withRelay('connect ECONNREFUSED\n', () => assert.rejects(connectTo(FAR, 81), /^Error: connect ECONNREFUSED$/)));

test('any other address is connected to as it is', async () => {
	const server = net.createServer((socket) => socket.end('here'));
	await once(server.listen(0, '127.0.0.1'), 'listening');
	const { port } = server.address() as net.AddressInfo;
	const [said] = await once(await connectTo('127.0.0.1', port), 'data');
	server.close();
	assert.deepEqual([String(said), isRelayed('127.0.0.1')], ['here', false]);
	await assert.rejects(connectTo('127.0.0.1', port), /ECONNREFUSED/);
});
