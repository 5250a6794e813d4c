/**
 * The connections to the Docker API, and what the lab asks a container.
 *
 * @typedef {object} Bounds
 * @property {number | null} [limitMs]  for a command to end, ANSWER_LIMIT_MS unless given; null: whoever waits for it has a limit
 */

import { createRequire } from 'node:module';
import { StringDecoder } from 'node:string_decoder';
import { setTimeout as wait } from 'node:timers/promises';
import { UnansweredError, UnreadyMachineError } from '../base/errors.ts';
import { demultiplex, Frames, LogLines } from './log-stream.ts';

/**
 * Gives every call of the Docker API a limit: an engine that hangs would else hang the lab, without a word. Knows no connection.
 *
 * @typedef {object} Call  as docker-modem is given it
 * @property {string} method
 * @property {string} path
 * @property {object} [options]  that the call is made with
 * @property {AbortSignal} [abortSignal]
 *
 * @typedef {(error: Error | null, answer: unknown) => void} Callback  of a stream it is called when the engine begins to send, and then no
 *   more is waited for here
 * @typedef {(call: Call, callback: Callback) => void} Dial
 */

/** What Compose gave the API, while it had a limit: its COMPOSE_HTTP_TIMEOUT. The engine of a busy machine takes seconds. */
export const ANSWER_LIMIT_MS = 60_000;

/** Answered when the container has ended: whoever waits for that has a limit of their own. */
const END_OF_CONTAINER = /^\/containers\/[^/]+\/wait\b/;
/** Of the engine's long ids the Docker command line shows as much. */
const LONG_ID = /\b([0-9a-f]{12})[0-9a-f]{52}\b/g;

/**
 * @param {Dial} dial  by which every call is made
 * @returns {Dial} that gives up, with an UnansweredError, what is not answered in time
 */
const withLimit = (dial) => (call, callback) => {
	if (END_OF_CONTAINER.test(call.path)) {
		dial(call, callback);
		return;
	}
	const limitMs = limitOf(call);
	const given = new AbortController();
	const limit = setTimeout(() => given.abort(), limitMs);
	dial({ ...call, abortSignal: given.signal }, (error, answer) => {
		clearTimeout(limit);
		callback(given.signal.aborted ? unanswered(call, limitMs) : error, answer);
	});
};

/** A container that is told to stop may take so many seconds for it. @param {Call} call */
function limitOf({ options }) {
	const { t: seconds } = /** @type {{ t?: unknown }} */ (options ?? {});
	return ANSWER_LIMIT_MS + (typeof seconds === 'number' ? seconds * 1000 : 0);
}

/** @type {(call: Call, limitMs: number) => UnansweredError} */
const unanswered = ({ method, path }, limitMs) =>
	new UnansweredError(
		`The Docker Engine did not answer ${method} ${path.split('?')[0].replaceAll(LONG_ID, '$1')} in ${limitMs / 1000} s; see whether "docker ps" answers.`,
	);

/** @typedef {import('dockerode')} Docker */

const require = createRequire(import.meta.url);

/** @param {import('dockerode').DockerOptions} [options]  where the engine is; as the Docker command line finds it unless given */
export function connect(options) {
	/** @type {typeof import('dockerode')} */
	const Connection = require('dockerode');
	const connection = new Connection(options);
	const { modem } = connection;
	modem.dial = withLimit(modem.dial.bind(modem));
	return connection;
}

/** @type {Docker | undefined} */
let here;
const engineHere = () => {
	here ??= connect();
	return here;
};

/**
 * This machine's engine. It is connected to when it is first asked: to load its library takes a quarter of the time of a command that asks it
 * nothing, as a refusal does.
 */
export const docker = /** @type {Docker} */ (
	new Proxy({}, { get: (own, name) => Reflect.get(name in own ? own : engineHere(), name), getPrototypeOf: engineHere })
);

/** @returns {Promise<string | null>} path at which the engine listens on this machine; null where it is asked in another way */
export const engineSocket = async () =>
	(await /** @type {{ getSocketPath: () => Promise<string> | undefined }} */ (/** @type {unknown} */ (docker.modem)).getSocketPath()) ??
	null;

/** Of containers that are on another host than this one. @type {Map<string, Docker>} */
const elsewhere = new Map();

/**
 * Says which engine has them: whatever is asked of one of them is asked there.
 * @param {Docker} connection
 * @param {string[]} containerIds
 */
export function placeContainers(connection, containerIds) {
	for (const id of containerIds) elsewhere.set(id, connection);
}

/** This machine's, unless another was named. @param {string} containerId */
export const engineOf = (containerId) => elsewhere.get(containerId) ?? docker;

/** @param {string} id */
export const containerById = (id) => engineOf(id).getContainer(id);

const NOT_FOUND = 404;

/** For what is to be removed, and may be gone already. @param {Error & { statusCode?: number }} error */
export function ignoreGone(error) {
	if (error.statusCode !== NOT_FOUND) throw error;
}

/** The engine tells the end of the output a moment before the exit code. */
const EXIT_CODE_TRIES = 5;
const EXIT_CODE_AGAIN_MS = 10;
/** Of a command whose end the engine does not tell. */
const NO_EXIT_CODE = -1;

/**
 * Runs a command in a container and gives what it printed.
 * @param {string} containerId
 * @param {string[]} command
 * @param {Bounds & { onOutput?: (text: string) => void }} [options]  onOutput: given all that it has printed, whenever it prints more
 * @returns {Promise<string>} output and errors together
 * @throws {UnansweredError} when it does not end in time
 */
export const execute = async (containerId, command, options) => (await run(containerId, command, options)).output;

/**
 * The same, with how the command ended.
 * @param {string} containerId
 * @param {string[]} command
 * @param {Bounds} [bounds]
 * @returns {Promise<{ exitCode: number, output: string }>}
 * @throws {UnansweredError} when it does not end in time
 */
export async function executeToEnd(containerId, command, bounds) {
	const { exec, output } = await run(containerId, command, bounds);
	return { exitCode: await exitCodeOf(exec), output };
}

/**
 * The same of one that may print much: nothing of it is kept here.
 * @param {string} containerId
 * @param {string[]} command
 * @param {object} options
 * @param {number} options.limitMs
 * @param {number} options.mostBytes  what comes after so many is not read
 * @param {(line: string) => void} options.onLine  given each line of output and errors
 * @returns {Promise<{ exitCode: number, isCut: boolean }>} the exit code says nothing where it was cut
 * @throws {UnansweredError} when it does not end in time
 */
export async function executeLines(containerId, command, { limitMs, mostBytes, onLine }) {
	const { exec, pieces } = await begin(containerId, command, limitMs);
	const reader = new LogLines({ isFramed: true });
	let bytes = 0;
	for await (const piece of pieces) {
		bytes += piece.length;
		if (bytes > mostBytes) return { exitCode: NO_EXIT_CODE, isCut: true };
		for (const { text } of reader.feed(piece)) onLine(text);
	}
	for (const { text } of reader.end()) onLine(text);
	return { exitCode: await exitCodeOf(exec), isCut: false };
}

/** @param {import('dockerode').Exec} exec  whose output has ended */
async function exitCodeOf(exec) {
	for (let tries = 0; tries < EXIT_CODE_TRIES; tries += 1) {
		const { Running: isRunning, ExitCode: exitCode } = await exec.inspect();
		if (!isRunning && exitCode !== null) return exitCode;
		await wait(EXIT_CODE_AGAIN_MS);
	}
	return NO_EXIT_CODE;
}

/** @param {string} containerId @param {string[]} command @param {Bounds & { onOutput?: (text: string) => void }} [options] */
async function run(containerId, command, { limitMs = ANSWER_LIMIT_MS, onOutput = () => {} } = {}) {
	const { exec, pieces } = await begin(containerId, command, limitMs);
	const [frames, decoder] = [new Frames(), new StringDecoder('utf8')];
	let output = '';
	for await (const piece of pieces) {
		for (const { bytes } of frames.feed(piece)) output += decoder.write(bytes);
		onOutput(output);
	}
	return { exec, output: output + decoder.end() };
}

/** @param {string} containerId @param {string[]} command @param {number | null} limitMs */
async function begin(containerId, command, limitMs) {
	const exec = await containerById(containerId).exec({ Cmd: command, AttachStdout: true, AttachStderr: true });
	const stream = await exec.start({});
	return { exec, pieces: endingInTime(stream, limitMs, `${command[0]} did not end in its container`) };
}

/**
 * What a stream gives, until its end.
 * @param {import('node:stream').Readable} stream
 * @param {number | null} limitMs
 * @param {string} what  did not happen, in the beginning of a sentence
 * @returns {AsyncGenerator<Buffer>}
 * @throws {UnansweredError} when the end does not come in time
 */
export async function* endingInTime(stream, limitMs, what) {
	const giveUp = () => stream.destroy(new UnansweredError(`${what} in ${Number(limitMs) / 1000} s.`));
	const limit = limitMs === null ? undefined : setTimeout(giveUp, limitMs);
	try {
		yield* stream;
	} finally {
		clearTimeout(limit);
	}
}

/**
 * The last lines that a container wrote.
 * @param {string} containerId
 * @param {number} lines
 * @param {boolean} [isFramed]  false for a container with a terminal, whose output comes as it is
 */
export async function readLog(containerId, lines, isFramed = true) {
	const log = await containerById(containerId).logs({ stdout: true, stderr: true, follow: false, tail: lines });
	const buffer = /** @type {Buffer} */ (/** @type {unknown} */ (log));
	return isFramed ? demultiplex(buffer) : buffer.toString('utf8');
}

/*
 * Whether there is an engine that answers.
 */

/** @returns {Promise<string>} the engine and its version @throws {UnreadyMachineError} */
export async function checkEngine() {
	try {
		const { Version, Platform } = await docker.version();
		return `${Platform?.Name || 'Docker Engine'} ${Version}`;
	} catch (error) {
		throw new UnreadyMachineError(
			`Expected a Docker Engine that answers; found: ${error instanceof Error ? error.message : error}.`,
			'start Docker, and where its socket is another one ("docker context ls" names it), set DOCKER_HOST to that; on Debian as root Doubletake installs the engine by itself.',
		);
	}
}
