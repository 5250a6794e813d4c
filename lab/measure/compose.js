/**
 * The one place that calls `docker compose`. Every call is bounded.
 */
import { execa } from 'execa';
import { NotReadyError } from '../define/errors.js';
import { ROOT } from '../define/paths.js';

const CONFIG_LIMIT_MS = 20_000;
const DOWN_LIMIT_MS = 60_000;
/** Every profile, because Compose does not count services of inactive profiles as its own when it tears down. */
const ALL_PROFILES = ['--profile', '*'];

/**
 * @param {string[]} args
 * @param {{ env?: Record<string, string>, limitMs: number, signal?: AbortSignal, detached?: boolean }} options
 *   detached: the call survives a Ctrl-C that the terminal sends to the whole process group
 */
async function compose(args, { env = {}, limitMs, signal, detached = false }) {
  return execa('docker', ['compose', '--ansi', 'never', '--progress', 'plain', ...args], {
    cwd: ROOT,
    env,
    timeout: limitMs,
    cancelSignal: signal,
    detached,
    all: true,
    reject: false,
    stdin: 'ignore',
  });
}

/**
 * What Compose makes of the file with these profiles on.
 * @param {string[]} profiles
 * @param {Record<string, string>} env
 * @returns {Promise<{ services: Record<string, any> }>}
 * @throws {NotReadyError} when Compose refuses the file
 */
export async function readConfig(profiles, env) {
  const flags = profiles.flatMap((profile) => ['--profile', profile]);
  const result = await compose([...flags, 'config', '--format', 'json'], { env, limitMs: CONFIG_LIMIT_MS });
  if (result.failed) throw new NotReadyError(`docker compose config failed: ${result.all}`, 'correct compose/compose.yaml.');
  return JSON.parse(String(result.stdout));
}

/**
 * @param {string[]} profiles
 * @param {string[]} args        command and its arguments
 * @param {{ env: Record<string, string>, limitMs: number, signal?: AbortSignal }} options
 */
export async function composeWith(profiles, args, options) {
  return compose([...profiles.flatMap((profile) => ['--profile', profile]), ...args], options);
}

/**
 * Removes every container, network and volume of the project, whatever state it is in.
 * @param {Record<string, string>} env
 */
export async function down(env) {
  const args = [...ALL_PROFILES, 'down', '--volumes', '--remove-orphans', '--timeout', '5'];
  return compose(args, { env, limitMs: DOWN_LIMIT_MS, detached: true });
}
