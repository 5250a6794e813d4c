import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import net from 'node:net';
import os from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { keepStream } from './kept-stream.js';

/** Sends pieces one after the other, and leaves. @param {number} port @param {string[]} pieces */
async function send(port, pieces) {
  const socket = net.connect(port);
  for (const piece of pieces) await new Promise((resolve) => socket.write(piece, () => resolve(undefined)));
  // The other end closes when it has read all.
  socket.end();
  await once(socket, 'close');
}

test('what senders send one after the other is in the file, whole and in that order, when they have left', async () => {
  const folder = await mkdtemp(join(os.tmpdir(), 'kept-stream-'));
  try {
    const path = join(folder, 'requests.log');
    const { port, close } = await keepStream({ port: 0, path });
    const many = 'a line of a log\n'.repeat(20_000);
    await send(port, ['one\nt', 'wo\n', many]);
    await send(port, ['three\n']);
    await close();
    const kept = await readFile(path, 'utf8');
    assert.equal(kept.length, `one\ntwo\n${many}three\n`.length);
    assert.ok(kept.startsWith('one\ntwo\n') && kept.includes(many) && kept.includes('three\n'));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
