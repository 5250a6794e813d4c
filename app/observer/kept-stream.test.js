import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import net from 'node:net';
import os from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { keepStream } from './kept-stream.js';

/** Sends pieces one after the other, and leaves. @param {string} path @param {string[]} pieces */
async function send(path, pieces) {
	const socket = net.connect(path);
	for (const piece of pieces) await new Promise((resolve) => socket.write(piece, () => resolve(undefined)));
	// The other end closes when it has read all.
	socket.end();
	await once(socket, 'close');
}

test('what senders send one after the other is in the file, whole and in that order, when they have left', async () => {
	const folder = await mkdtemp(join(os.tmpdir(), 'kept-stream-'));
	try {
		const [socket, path] = [join(folder, 'requests.sock'), join(folder, 'requests.log')];
		const { close } = await keepStream({ socket, path, every_ms: 10 });
		const many = 'a line of a log\n'.repeat(50_000);
		await send(socket, ['one\nt', 'wo\n', many]);
		await send(socket, ['three\n']);
		await close();
		assert.ok((await readFile(path, 'utf8')) === `one\ntwo\n${many}three\n`);
		assert.deepEqual(await readdir(folder), ['requests.log']);
	} finally {
		await rm(folder, { recursive: true, force: true });
	}
});
