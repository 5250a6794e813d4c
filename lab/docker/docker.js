/**
 * The connections to the Docker API, and what the lab asks a container.
 *
 * @typedef {object} Bounds
 * @property {number | null} [limitMs]  for a command to end, ANSWER_LIMIT_MS unless given; null: whoever waits for it has a limit
 */
import { setTimeout as wait } from 'node:timers/promises';
import Docker from 'dockerode';
import { UnansweredError } from '../base/errors.js';
import { demultiplex } from './log-stream.js';
import { ANSWER_LIMIT_MS, withLimit } from './time-limit.js';

export const docker = connect();

/** @param {import('dockerode').DockerOptions} [options]  where the engine is; as the Docker command line finds it unless given */
export function connect(options) {
  const connection = new Docker(options);
  const { modem } = connection;
  modem.dial = withLimit(modem.dial.bind(modem));
  return connection;
}

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
  for (let tries = 0; tries < EXIT_CODE_TRIES; tries += 1) {
    const { Running: isRunning, ExitCode: exitCode } = await exec.inspect();
    if (!isRunning && exitCode !== null) return { exitCode, output };
    await wait(EXIT_CODE_AGAIN_MS);
  }
  return { exitCode: NO_EXIT_CODE, output };
}

/** @param {string} containerId @param {string[]} command @param {Bounds & { onOutput?: (text: string) => void }} [options] */
async function run(containerId, command, { limitMs = ANSWER_LIMIT_MS, onOutput = () => {} } = {}) {
  const exec = await containerById(containerId).exec({ Cmd: command, AttachStdout: true, AttachStderr: true });
  const stream = await exec.start({});
  const chunks = [];
  for await (const chunk of endingInTime(stream, limitMs, `${command[0]} did not end in its container`)) {
    chunks.push(chunk);
    onOutput(demultiplex(Buffer.concat(chunks)));
  }
  return { exec, output: demultiplex(Buffer.concat(chunks)) };
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
