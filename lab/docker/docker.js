/**
 * The connections to the Docker API, and what the lab asks a container.
 *
 * @typedef {object} Bounds
 * @property {number | null} [limitMs]  for a command to end, ANSWER_LIMIT_MS unless given; null: whoever waits for it has a limit
 */

import { createRequire } from 'node:module';
import { setTimeout as wait } from 'node:timers/promises';
import { UnansweredError, UnreadyMachineError } from '../base/errors.js';
import { secrets } from '../base/secrets.js';
import { MaskedLines } from './masked-lines.js';

/*
 * Makes lines of what the engine sends of a container's output, piece by piece, so that a long log is never in memory as a whole.
 *
 * The engine frames each piece of output with a header of 8 bytes: stream, three zeros, length
 * (https://docs.docker.com/reference/api/engine/, "Stream format"). docker-modem's demuxStream reads such frames too: it calls itself for each,
 * and has no stack left at 5,000 in one piece of 0.3 MB; it holds nothing back where the reader is slow.
 */

const HEADER_BYTES = 8;
const NEWLINE = 0x0a;
/** Of a container with a terminal the engine sends the bytes as they are: one stream, no headers. */
const TERMINAL = 0;
/** Before each line, and the blank after it: the engine's time. */
const STAMP = /^\S+ /;
/** The engine cuts a line at 16 KB, and has the time before each part of it. */
const STAMP_WITHIN = /^\d{4}-\d\d-\d\dT[\d:.]+Z /;
const STAMP_MOST_BYTES = 40;

/** @param {Buffer} buffer @returns {{ frames: { stream: number, bytes: Buffer }[], rest: Buffer }} rest: of a frame that has not ended */
function framesIn(buffer) {
  const frames = [];
  let at = 0;
  while (at + HEADER_BYTES <= buffer.length) {
    const end = at + HEADER_BYTES + buffer.readUInt32BE(at + 4);
    if (end > buffer.length) break;
    frames.push({ stream: buffer[at], bytes: buffer.subarray(at + HEADER_BYTES, end) });
    at = end;
  }
  return { frames, rest: buffer.subarray(at) };
}

/**
 * @param {Buffer} buffer  framed; its last frame may be cut off
 * @returns {string} output and errors together, in their order
 */
export function demultiplex(buffer) {
  const { frames, rest } = framesIn(buffer);
  return Buffer.concat([...frames.map(({ bytes }) => bytes), rest.subarray(HEADER_BYTES)]).toString('utf8');
}

/** Whole lines of framed output. Frames of standard output and of standard error come in turns, and each of the two has lines of its own. */
class LogLines {
  #isFramed;
  /** @type {Buffer} */
  #rest = Buffer.alloc(0);
  /** The beginnings of lines whose end is still to come. @type {Map<number, Buffer>} */
  #begun = new Map();

  /** @param {{ isFramed: boolean }} options  not framed: of a container with a terminal */
  constructor({ isFramed }) {
    this.#isFramed = isFramed;
  }

  /** @param {Buffer} piece @returns {{ stream: number, text: string }[]} the lines that it completes */
  feed(piece) {
    if (!this.#isFramed) return this.#split(TERMINAL, piece);
    const { frames, rest } = framesIn(Buffer.concat([this.#rest, piece]));
    this.#rest = rest;
    return frames.flatMap(({ stream, bytes }) => this.#split(stream, this.#begun.get(stream)?.length ? withoutStamp(bytes) : bytes));
  }

  /** @returns {{ stream: number, text: string }[]} the last lines, which have no end */
  end() {
    return [...this.#begun].filter(([, line]) => line.length > 0).map(([stream, line]) => ({ stream, text: asText(line) }));
  }

  /** @param {number} stream @param {Buffer} bytes @returns {{ stream: number, text: string }[]} */
  #split(stream, bytes) {
    const buffer = Buffer.concat([this.#begun.get(stream) ?? Buffer.alloc(0), bytes]);
    const lines = [];
    let at = 0;
    for (let end = buffer.indexOf(NEWLINE); end >= 0; end = buffer.indexOf(NEWLINE, at)) {
      lines.push({ stream, text: asText(buffer.subarray(at, end)) });
      at = end + 1;
    }
    this.#begun.set(stream, buffer.subarray(at));
    return lines;
  }
}

/** Of a part of a line. @param {Buffer} bytes */
const withoutStamp = (bytes) => bytes.subarray(STAMP_WITHIN.exec(bytes.toString('latin1', 0, STAMP_MOST_BYTES))?.[0].length ?? 0);

/** A terminal ends its lines with two characters. @param {Buffer} line */
const asText = (line) => line.toString('utf8').replace(/\r$/, '');

/**
 * The log as the record keeps it.
 * @param {AsyncIterable<Buffer>} pieces  that the engine sends, with its time before each line
 * @param {object} options
 * @param {boolean} options.isFramed
 * @param {(line: string) => string} options.redact  given each line without what is known to be secret
 * @param {number} options.mostBytes
 * @param {() => void} options.onCut      called when what comes after that many bytes is left out
 * @returns {AsyncGenerator<string>}
 */
export async function* keptLog(pieces, { isFramed, redact, mostBytes, onCut }) {
  const reader = new LogLines({ isFramed });
  const masked = new MaskedLines((text) => secrets.without(text));
  const stamped = (/** @type {{ stream: number, text: string }} */ { stream, text }) => {
    const stamp = STAMP.exec(text)?.[0] ?? '';
    return { stream, stamp, text: text.slice(stamp.length) };
  };
  let bytes = 0;
  /** As far as there is room. @param {import('./masked-lines.js').Line[]} lines */
  const kept = (lines) => {
    const texts = [];
    for (const { stamp, text } of lines) {
      const line = `${stamp}${redact(text)}\n`;
      bytes += Buffer.byteLength(line);
      if (bytes > mostBytes) break;
      texts.push(line);
    }
    return texts.join('');
  };
  const parts = endingWhole(pieces, {
    each: (piece) => masked.feed(reader.feed(piece).map(stamped)),
    rest: () => [...masked.feed(reader.end().map(stamped)), ...masked.end()],
  });
  for await (const lines of parts) {
    const text = kept(lines);
    if (text !== '') yield text;
    if (bytes > mostBytes) {
      onCut();
      // A line of its own, without a time: it is not the container's.
      yield `(The log is longer than ${mostBytes.toLocaleString('en-US')} bytes; the rest of it is not on record.)\n`;
      return;
    }
  }
}

/**
 * What is made of each piece, and of what is left at the end, whether or not that was reached.
 * @template T
 * @param {AsyncIterable<Buffer>} pieces
 * @param {{ each: (piece: Buffer) => T, rest: () => T }} made
 * @returns {AsyncGenerator<T>}
 */
async function* endingWhole(pieces, { each, rest }) {
  try {
    for await (const piece of pieces) yield each(piece);
  } catch (error) {
    yield rest();
    throw error;
  }
  yield rest();
}

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
  const chunks = [];
  for await (const chunk of pieces) {
    chunks.push(chunk);
    onOutput(demultiplex(Buffer.concat(chunks)));
  }
  return { exec, output: demultiplex(Buffer.concat(chunks)) };
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
      'start Docker, and where its socket is another one ("docker context ls" names it), set DOCKER_HOST to that; on Debian as root the lab installs the engine by itself.',
    );
  }
}
