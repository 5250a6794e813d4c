import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import os from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, mock, test } from 'node:test';
import { LabError, UnansweredError } from '../base/errors.js';
import { ANSWER_LIMIT_MS, connect, withLimit } from './docker.js';

const ID = `0123456789ab${'c'.repeat(52)}`;

beforeEach(() => mock.timers.enable({ apis: ['setTimeout'] }));
afterEach(() => mock.timers.reset());

/**
 * A call by a connection that answers nothing until it is given up.
 * @param {Omit<import('./docker.js').Call, 'method'>} call
 */
function ask(call) {
  /** @type {{ signal?: AbortSignal, answer: (error: Error | null, answer?: unknown) => void }} */
  const under = { answer: () => {} };
  const found = /** @type {{ error: Error | null, answer: unknown }[]} */ ([]);
  withLimit(({ abortSignal }, callback) => {
    under.signal = abortSignal;
    under.answer = (error, answer) => callback(error, answer);
    abortSignal?.addEventListener('abort', () => callback(new Error('The operation was aborted'), null));
  })({ method: 'POST', ...call }, (error, answer) => found.push({ error, answer }));
  return { under, found };
}

test('a call that is answered in time is left alone, and so is its answer afterwards', () => {
  const { under, found } = ask({ path: `/containers/${ID}/json?` });
  mock.timers.tick(ANSWER_LIMIT_MS - 1);
  under.answer(null, 'an answer');
  mock.timers.tick(ANSWER_LIMIT_MS);
  assert.deepEqual(found, [{ error: null, answer: 'an answer' }]);
  assert.equal(under.signal?.aborted, false);
});

test('an error of the engine’s own is reported as it is', () => {
  const { under, found } = ask({ path: '/version' });
  under.answer(new Error('no such container'), null);
  assert.equal(found[0].error?.message, 'no such container');
});

test('a container that is told to stop has the time that it was given, and the engine its own', () => {
  const { found } = ask({ path: `/containers/${ID}/stop?`, options: { t: 10 } });
  mock.timers.tick(ANSWER_LIMIT_MS + 9999);
  assert.equal(found.length, 0);
  mock.timers.tick(1);
  assert.equal(
    found[0].error?.message,
    'The Docker Engine did not answer POST /containers/0123456789ab/stop in 70 s; see whether "docker ps" answers.',
  );
});

test('the end of a container is waited for as long as its caller does', () => {
  const { under, found } = ask({ path: `/containers/${ID}/wait?` });
  mock.timers.tick(100 * ANSWER_LIMIT_MS);
  assert.deepEqual([under.signal, found], [undefined, []]);
});

test('an engine that takes a call and says nothing is a sentence on the command line, and not a hang', async () => {
  const folder = await mkdtemp(join(os.tmpdir(), 'doubletake-engine-'));
  const socketPath = join(folder, 'engine.sock');
  const server = createServer(() => {}).listen(socketPath);
  try {
    await once(server, 'listening');
    const asked = once(server, 'request');
    const given = assert.rejects(connect({ socketPath }).version(), (error) => {
      assert.ok(error instanceof UnansweredError && error instanceof LabError);
      assert.match(error.message, /^The Docker Engine did not answer GET \/version in 60 s;/);
      return true;
    });
    const [request] = await asked;
    const closed = once(request.socket, 'close');
    mock.timers.tick(ANSWER_LIMIT_MS);
    await given;
    await closed;
  } finally {
    server.closeAllConnections();
    server.close();
    await rm(folder, { recursive: true, force: true });
  }
});
