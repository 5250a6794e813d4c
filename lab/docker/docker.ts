/** The connections to the Docker API, and what the lab asks a container. */

import { createRequire } from 'node:module';
import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { setTimeout as wait } from 'node:timers/promises';
import type { DockerOptions, Exec } from 'dockerode';
import { UnansweredError } from '../base/errors.ts';
import { demultiplex, Frames, LogLines } from './log-stream.ts';

type Bounds = {
	/** for a command to end, ANSWER_LIMIT_MS unless given; null: whoever waits for it has a limit */
	limitMs?: number | null;
};

/** Gives every call of the Docker API a limit: an engine that hangs would else hang the lab, without a word. Knows no connection. */
/** as docker-modem is given it */
type Call = {
	method: string;
	path: string;
	/** that the call is made with */
	options?: object;
	abortSignal?: AbortSignal;
};

/**
 * of a stream it is called when the engine begins to send, and then no
 *   more is waited for here
 */
type Callback = (error: Error | null, answer: unknown) => void;

type Dial = (call: Call, callback: Callback) => void;

/** What Compose gave the API, while it had a limit: its COMPOSE_HTTP_TIMEOUT. The engine of a busy machine takes seconds. */
export const ANSWER_LIMIT_MS = 60_000;

/** Answered when the container has ended: whoever waits for that has a limit of their own. */
const END_OF_CONTAINER = /^\/containers\/[^/]+\/wait\b/;
/** Of the engine's long ids the Docker command line shows as much. */
const LONG_ID = /\b([0-9a-f]{12})[0-9a-f]{52}\b/g;

/**
 * @param dial by which every call is made
 * @returns that gives up, with an UnansweredError, what is not answered in time
 */
const withLimit =
	(dial: Dial): Dial =>
	(call, callback) => {
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

/** A container that is told to stop may take so many seconds for it. */
function limitOf({ options }: Call) {
	const { t: seconds } = (options ?? {}) as { t?: unknown };
	return ANSWER_LIMIT_MS + (typeof seconds === 'number' ? seconds * 1000 : 0);
}

const unanswered: (call: Call, limitMs: number) => UnansweredError = ({ method, path }, limitMs) =>
	new UnansweredError(
		`The Docker Engine did not answer ${method} ${path.split('?')[0].replaceAll(LONG_ID, '$1')} in ${limitMs / 1000} s; see whether "docker ps" answers.`,
	);

export type Docker = import('dockerode');

const require = createRequire(import.meta.url);

/** @param options where the engine is; as the Docker command line finds it unless given */
export function connect(options?: DockerOptions) {
	const Connection: typeof import('dockerode') = require('dockerode');
	const connection = new Connection(options);
	const { modem } = connection;
	modem.dial = withLimit(modem.dial.bind(modem));
	return connection;
}

let here: Docker | undefined;
const engineHere = () => {
	here ??= connect();
	return here;
};

/**
 * This machine's engine. It is connected to when it is first asked: to load its library takes a quarter of the time of a command that asks it
 * nothing, as a refusal does.
 */
export const docker = new Proxy(
	{},
	{ get: (own, name) => Reflect.get(name in own ? own : engineHere(), name), getPrototypeOf: engineHere },
) as Docker;

/** @returns path at which the engine listens on this machine; null where it is asked in another way */
export const engineSocket = async (): Promise<string | null> =>
	(await (docker.modem as unknown as { getSocketPath: () => Promise<string> | undefined }).getSocketPath()) ?? null;

/** Of containers that are on another host than this one. */
const elsewhere: Map<string, Docker> = new Map();

/** Says which engine has them: whatever is asked of one of them is asked there. */
export function placeContainers(connection: Docker, containerIds: string[]) {
	for (const id of containerIds) elsewhere.set(id, connection);
}

/** This machine's, unless another was named. */
export const engineOf = (containerId: string) => elsewhere.get(containerId) ?? docker;

export const containerById = (id: string) => engineOf(id).getContainer(id);

const NOT_FOUND = 404;

/** For what is to be removed, and may be gone already. */
export function ignoreGone(error: Error & { statusCode?: number }) {
	if (error.statusCode !== NOT_FOUND) throw error;
}

/** The engine tells the end of the output a moment before the exit code. */
const EXIT_CODE_TRIES = 5;
const EXIT_CODE_AGAIN_MS = 10;
/** Of a command whose end the engine does not tell. */
const NO_EXIT_CODE = -1;

/**
 * Runs a command in a container and gives what it printed.
 * @param options onOutput: given all that it has printed, whenever it prints more
 * @returns output and errors together
 * @throws {UnansweredError} when it does not end in time
 */
export const execute = async (
	containerId: string,
	command: string[],
	options?: Bounds & { onOutput?: (text: string) => void },
): Promise<string> => (await run(containerId, command, options)).output;

/**
 * The same, with how the command ended.
 * @throws {UnansweredError} when it does not end in time
 */
export async function executeToEnd(containerId: string, command: string[], bounds?: Bounds): Promise<{ exitCode: number; output: string }> {
	const { exec, output } = await run(containerId, command, bounds);
	return { exitCode: await exitCodeOf(exec), output };
}

/**
 * The same of one that may print much: nothing of it is kept here.
 * @returns the exit code says nothing where it was cut
 * @throws {UnansweredError} when it does not end in time
 */
export async function executeLines(
	containerId: string,
	command: string[],
	{
		limitMs,
		mostBytes,
		onLine,
	}: {
		limitMs: number;
		/** what comes after so many is not read */
		mostBytes: number;
		/** given each line of output and errors */
		onLine: (line: string) => void;
	},
): Promise<{ exitCode: number; isCut: boolean }> {
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

/** @param exec whose output has ended */
async function exitCodeOf(exec: Exec) {
	for (let tries = 0; tries < EXIT_CODE_TRIES; tries += 1) {
		const { Running: isRunning, ExitCode: exitCode } = await exec.inspect();
		if (!isRunning && exitCode !== null) return exitCode;
		await wait(EXIT_CODE_AGAIN_MS);
	}
	return NO_EXIT_CODE;
}

/** What is asked of a container has some KB. */
const OUTPUT_MOST_CHARACTERS = 32_000_000;

/** What comes after the most is taken and dropped: a command that is not read any more does not end. */
async function run(
	containerId: string,
	command: string[],
	{ limitMs = ANSWER_LIMIT_MS, onOutput = () => {} }: Bounds & { onOutput?: (text: string) => void } = {},
) {
	const { exec, pieces } = await begin(containerId, command, limitMs);
	const [frames, decoder] = [new Frames(), new StringDecoder('utf8')];
	let output = '';
	for await (const piece of pieces) {
		for (const { bytes } of frames.feed(piece)) if (output.length <= OUTPUT_MOST_CHARACTERS) output += decoder.write(bytes);
		onOutput(output);
	}
	if (output.length > OUTPUT_MOST_CHARACTERS)
		throw new UnansweredError(`${command[0]} printed more than ${OUTPUT_MOST_CHARACTERS / 1e6} MB in its container.`);
	return { exec, output: output + decoder.end() };
}

async function begin(containerId: string, command: string[], limitMs: number | null) {
	const exec = await containerById(containerId).exec({ Cmd: command, AttachStdout: true, AttachStderr: true });
	const stream = await exec.start({});
	return { exec, pieces: endingInTime(stream, limitMs, `${command[0]} did not end in its container`) };
}

/**
 * What a stream gives, until its end.
 * @param what did not happen, in the beginning of a sentence
 * @throws {UnansweredError} when the end does not come in time
 */
export async function* endingInTime(stream: Readable, limitMs: number | null, what: string): AsyncGenerator<Buffer> {
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
 * @param isFramed false for a container with a terminal, whose output comes as it is
 */
export async function readLog(containerId: string, lines: number, isFramed: boolean = true) {
	const log = await containerById(containerId).logs({ stdout: true, stderr: true, follow: false, tail: lines });
	const buffer = log as unknown as Buffer;
	return isFramed ? demultiplex(buffer) : buffer.toString('utf8');
}
