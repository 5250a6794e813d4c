import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { Socket } from 'node:net';
import os from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, mock, test } from 'node:test';
import { LabError, UnansweredError } from '../base/errors.ts';
import type { Docker } from './docker.ts';
import { ANSWER_LIMIT_MS, connect } from './docker.ts';

const ID = `0123456789ab${'c'.repeat(52)}`;

beforeEach(() => mock.timers.enable({ apis: ['setTimeout'] }));
afterEach(() => mock.timers.reset());

/**
 * An engine that answers nothing until it is told to, and what is asked of it.
 * @param then given: what comes of it; isOver: whether it has come
 */
async function whileAsked<T>(
	ask: (engine: Docker) => Promise<T>,
	then: (asked: { response: ServerResponse; socket: Socket; given: Promise<T>; isOver: () => boolean }) => Promise<void>,
) {
	const folder = await mkdtemp(join(os.tmpdir(), 'doubletake-engine-'));
	const socketPath = join(folder, 'engine.sock');
	const server = createServer(() => {}).listen(socketPath);
	try {
		await once(server, 'listening');
		const asked = once(server, 'request');
		const given = ask(connect({ socketPath }));
		let isOver = false;
		const over = () => {
			isOver = true;
		};
		given.then(over, over);
		const [{ socket }, response] = await asked;
		await then({ response, socket, given, isOver: () => isOver });
	} finally {
		server.closeAllConnections();
		server.close();
		await rm(folder, { recursive: true, force: true });
	}
}

/** Until all that was to come of a tick has come: what is told goes through a socket. */
async function settled() {
	for (let turns = 0; turns < 20; turns += 1) await new Promise((resolve) => setImmediate(resolve));
}

const reply = (response: ServerResponse, status: number, answer: unknown) =>
	response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(answer));

test('a call that is answered in time is left alone, and so is its answer afterwards', () =>
	whileAsked(
		(engine) => engine.getContainer(ID).logs({ follow: true, stdout: true }),
		async ({ response, given }) => {
			mock.timers.tick(ANSWER_LIMIT_MS - 1);
			response.writeHead(200).write('an ');
			const answer = await given;
			mock.timers.tick(ANSWER_LIMIT_MS);
			await settled();
			response.end('answer');
			assert.equal(await text(answer), 'an answer');
		},
	));

test('an error of the engine’s own is reported as it is', () =>
	whileAsked(
		(engine) => engine.version(),
		async ({ response, given }) => {
			reply(response, 404, { message: 'no such container' });
			await assert.rejects(given, /no such container/);
		},
	));

test('a container that is told to stop has the time that it was given, and the engine its own', () =>
	whileAsked(
		(engine) => engine.getContainer(ID).stop({ t: 10 }),
		async ({ given, isOver }) => {
			mock.timers.tick(ANSWER_LIMIT_MS + 9999);
			await settled();
			assert.equal(isOver(), false);
			mock.timers.tick(1);
			await assert.rejects(given, {
				message: 'The Docker Engine did not answer POST /containers/0123456789ab/stop in 70 s; see whether "docker ps" answers.',
			});
		},
	));

test('the end of a container is waited for as long as its caller does', () =>
	whileAsked(
		(engine) => engine.getContainer(ID).wait(),
		async ({ response, given, isOver }) => {
			mock.timers.tick(100 * ANSWER_LIMIT_MS);
			await settled();
			assert.equal(isOver(), false);
			reply(response, 200, { StatusCode: 3 });
			assert.deepEqual(await given, { StatusCode: 3 });
		},
	));

test('an engine that takes a call and says nothing is a sentence on the command line, and not a hang', () =>
	whileAsked(
		(engine) => engine.version(),
		async ({ socket, given }) => {
			const closed = once(socket, 'close');
			mock.timers.tick(ANSWER_LIMIT_MS);
			await assert.rejects(given, (error) => {
				assert.ok(error instanceof UnansweredError && error instanceof LabError);
				assert.match(error.message, /^The Docker Engine did not answer GET \/version in 60 s;/);
				return true;
			});
			await closed;
		},
	));
