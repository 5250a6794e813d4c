/**
 * The one place that calls `docker compose`. Every call is bounded.
 */
import { execa } from 'execa';
import { NotReadyError } from '../define/errors.js';
import { doubtsIn, refusalOf } from './compose-refusal.js';

const CONFIG_LIMIT_MS = 20_000;
const DOWN_LIMIT_MS = 60_000;
/** Every profile, because Compose does not count services of inactive profiles as its own when it tears down. */
const ALL_PROFILES = ['--profile', '*'];

/** @typedef {import('./system.js').System} System */

/**
 * @param {System} system
 * @param {string[]} args        command and its arguments
 * @param {{ env?: Record<string, string>, limitMs: number, signal?: AbortSignal, detached?: boolean }} options
 *   detached: the call survives a Ctrl-C that the terminal sends to the whole process group
 */
export async function composeWith({ cwd, flags, env: own = {} }, args, { env = {}, limitMs, signal, detached = false }) {
  return execa('docker', ['compose', '--ansi', 'never', '--progress', 'plain', ...flags, ...args], {
    cwd,
    env: { ...own, ...env },
    timeout: limitMs,
    cancelSignal: signal,
    detached,
    all: true,
    reject: false,
    stdin: 'ignore',
  });
}

/**
 * What Compose makes of the files.
 * @param {System} system
 * @param {Record<string, string>} env
 * @param {(doubt: string) => void} [onDoubt]  given a sentence for each thing that Compose warns of, such as a variable that is not set
 * @returns {Promise<{ services: Record<string, any>, [part: string]: any }>}
 * @throws {NotReadyError} when Compose refuses them
 */
export async function readConfig(system, env, onDoubt = () => {}) {
  const result = await composeWith(system, ['config', '--format', 'json'], { env, limitMs: CONFIG_LIMIT_MS });
  if (result.failed) {
    const { problem, remedy } = refusalOf(result);
    throw new NotReadyError(problem, remedy);
  }
  for (const doubt of doubtsIn(String(result.stderr))) onDoubt(doubt);
  return JSON.parse(String(result.stdout));
}

/**
 * Removes every container, network and volume of the project, whatever state it is in.
 * @param {System} system
 * @param {Record<string, string>} env
 */
export async function down(system, env) {
  const args = [...ALL_PROFILES, 'down', '--volumes', '--remove-orphans', '--timeout', '5'];
  return composeWith(system, args, { env, limitMs: DOWN_LIMIT_MS, detached: true });
}
