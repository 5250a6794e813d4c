import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import http from 'node:http';
import net from 'node:net';
import os from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { connectTo, relayTo, wayTo } from '../../base/relays.ts';

/** Which the relay can reach as anybody can; the lab takes it for one that only the relay reaches. */
const HOST = '127.0.0.1';
const LASTS_S = 60;
const LOOK_MS = 20;
const LARGE_BYTES = 300_000;

let folder = '';
let relay: ChildProcess;
/** It says what it was told when it was told all. */
const echo = net.createServer({ allowHalfOpen: true }, (socket) => socket.pipe(socket));
const web = http.createServer((request, response) => response.end(`you asked ${request.headers.host}${request.url}`));

const portOf = (server: net.Server) => (server.address() as net.AddressInfo).port;

before(
	async () => {
		folder = await mkdtemp(join(os.tmpdir(), 'host-relay-'));
		const socket = join(folder, 'socket');
		relay = spawn(process.execPath, [fileURLToPath(new URL('host-relay.ts', import.meta.url)), socket, String(LASTS_S)], {
			stdio: 'inherit',
		});
		await Promise.all([echo, web].map((server) => once(server.listen(0, HOST), 'listening')));
		while (!existsSync(socket) && relay.exitCode === null) await wait(LOOK_MS);
		relayTo(socket, [HOST]);
	},
	{ timeout: 10_000 },
);
after(async () => {
	for (const server of [echo, web]) server.close();
	relay.kill('SIGTERM');
	if (relay.exitCode === null) await once(relay, 'exit');
	await rm(folder, { recursive: true });
});

test('what is sent goes through it whole, both ways, and so does the end of it', async () => {
	const socket = await connectTo(HOST, portOf(echo));
	const sent = 'x'.repeat(LARGE_BYTES);
	socket.end(sent);
	assert.equal(await text(socket), sent);
});

test('a request of HTTP is asked through it', async () => {
	const port = portOf(web);
	const request = http.get({ host: HOST, port, path: '/status', ...wayTo(HOST, port) });
	const [response] = await once(request, 'response');
	assert.equal(await text(response), `you asked ${HOST}:${port}/status`);
});

test('a port that nobody listens at is refused as the system says it, and a request fails of that', async () => {
	const gone = net.createServer();
	await once(gone.listen(0, HOST), 'listening');
	const port = portOf(gone);
	gone.close();
	await once(gone, 'close');
	await assert.rejects(connectTo(HOST, port), /^Error: connect ECONNREFUSED$/);
	const [error] = await once(http.get({ host: HOST, port, ...wayTo(HOST, port) }).on('response', assert.fail), 'error');
	assert.match(error.message, /ECONNREFUSED/);
});
