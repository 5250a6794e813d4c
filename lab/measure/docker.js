/**
 * The one connection to the Docker API, and what the lab asks a container.
 */
import { setTimeout as wait } from 'node:timers/promises';
import Docker from 'dockerode';

export const docker = new Docker();

const MULTIPLEX_HEADER_BYTES = 8;

/** The engine tells the end of the output a moment before the exit code. */
const EXIT_CODE_TRIES = 5;
const EXIT_CODE_AGAIN_MS = 10;
/** Of a command whose end the engine does not tell. */
const NO_EXIT_CODE = -1;

/**
 * Runs a command in a container and gives what it printed.
 * @param {string} containerId
 * @param {string[]} command
 * @param {(text: string) => void} [onOutput]  given all that it has printed, whenever it prints more
 * @returns {Promise<string>} output and errors together
 */
export const execute = async (containerId, command, onOutput) => (await run(containerId, command, onOutput)).output;

/**
 * The same, with how the command ended.
 * @param {string} containerId
 * @param {string[]} command
 * @returns {Promise<{ exitCode: number, output: string }>}
 */
export async function executeToEnd(containerId, command) {
  const { exec, output } = await run(containerId, command);
  for (let tries = 0; tries < EXIT_CODE_TRIES; tries += 1) {
    const { Running: isRunning, ExitCode: exitCode } = await exec.inspect();
    if (!isRunning && exitCode !== null) return { exitCode, output };
    await wait(EXIT_CODE_AGAIN_MS);
  }
  return { exitCode: NO_EXIT_CODE, output };
}

/** @param {string} containerId @param {string[]} command @param {(text: string) => void} [onOutput] */
async function run(containerId, command, onOutput = () => {}) {
  const exec = await docker.getContainer(containerId).exec({ Cmd: command, AttachStdout: true, AttachStderr: true });
  const stream = await exec.start({});
  const chunks = [];
  for await (const chunk of stream) {
    chunks.push(chunk);
    onOutput(demultiplex(Buffer.concat(chunks)));
  }
  return { exec, output: demultiplex(Buffer.concat(chunks)) };
}

/**
 * The last lines that a container wrote.
 * @param {string} containerId
 * @param {number} lines
 */
export async function readLog(containerId, lines) {
  const log = await docker.getContainer(containerId).logs({ stdout: true, stderr: true, follow: false, tail: lines });
  return demultiplex(/** @type {Buffer} */ (/** @type {unknown} */ (log)));
}

/**
 * Docker frames each piece of output with a header of 8 bytes: stream, three zeros, length.
 * https://docs.docker.com/reference/api/engine/ ("Stream format")
 * @param {Buffer} buffer
 */
export function demultiplex(buffer) {
  const parts = [];
  for (let at = 0; at + MULTIPLEX_HEADER_BYTES <= buffer.length; ) {
    const end = at + MULTIPLEX_HEADER_BYTES + buffer.readUInt32BE(at + 4);
    parts.push(buffer.subarray(at + MULTIPLEX_HEADER_BYTES, end));
    at = end;
  }
  return Buffer.concat(parts).toString('utf8');
}
