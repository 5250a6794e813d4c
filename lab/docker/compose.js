/**
 * The one place that calls `docker compose`. Every call is bounded, with the plug-in that it is.
 */
import { NotReadyError } from '../base/errors.js';
import { runBounded } from './bounded.js';
import { doubtsIn, refusalOf } from './compose-refusal.js';
import { shell } from './shell.js';

const CONFIG_LIMIT_MS = 20_000;
const DOWN_LIMIT_MS = 60_000;
const LAST_LINES = 4;
/** Every profile, because Compose does not count services of inactive profiles as its own when it tears down. */
const ALL_PROFILES = ['--profile', '*'];

/** Variables by which a shell tells Compose what to read and how. */
const OF_COMPOSE = /^COMPOSE_/;

/** @typedef {import('./system.js').System} System */

/**
 * @param {System} system
 * @param {string[]} args        command and its arguments
 * @param {{ env?: Record<string, string> } & Pick<import('./bounded.js').Bounds, 'limitMs' | 'graceMs' | 'signal' | 'survives'>} options
 */
export async function composeWith({ cwd, flags, env: own = {}, isClosed = false }, args, { env = {}, ...bounds }) {
  return runBounded('docker', ['compose', '--ansi', 'never', '--progress', 'plain', ...flags, ...args], {
    cwd,
    env: { ...(isClosed ? withoutShell() : {}), ...own, ...env },
    ...bounds,
  });
}

/** Files, profiles and whatever else Compose would be told by the user's shell is about something of theirs. */
const withoutShell = () =>
  Object.fromEntries(
    Object.keys(shell)
      .filter((name) => OF_COMPOSE.test(name))
      .map((name) => [name, undefined]),
  );

/**
 * What Compose makes of the files.
 * @param {System} system
 * @param {Record<string, string>} env
 * @param {(doubt: string) => void} [onDoubt]  given a sentence for each thing that Compose warns of, such as a variable that is not set
 * @param {Partial<Pick<import('./bounded.js').Bounds, 'limitMs' | 'graceMs'>>} [bounds]
 * @returns {Promise<{ services: Record<string, any>, [part: string]: any }>}
 * @throws {NotReadyError} when Compose refuses them
 */
export async function readConfig(system, env, onDoubt = () => {}, bounds = {}) {
  const result = await composeWith(system, ['config', '--format', 'json'], { env, limitMs: CONFIG_LIMIT_MS, ...bounds });
  for (const doubt of doubtsIn(String(result.stderr ?? ''))) onDoubt(doubt);
  if (result.failed) {
    const { problem, remedy } = refusalOf(result);
    throw new NotReadyError(problem, remedy);
  }
  return JSON.parse(result.stdout);
}

/**
 * Removes every container, network and volume of the project, whatever state it is in.
 * @param {System} system
 * @param {Record<string, string>} env
 * @returns {Promise<string | null>} null when it went well, else what Compose says of it
 */
export async function down(system, env) {
  const args = [...ALL_PROFILES, 'down', '--volumes', '--remove-orphans', '--timeout', '5'];
  const { failed, all, shortMessage } = await composeWith(system, args, { env, limitMs: DOWN_LIMIT_MS, survives: true });
  return failed ? lastOf(all) || shortMessage : null;
}

/** @param {string} words */
const lastOf = (words) => words.trim().split('\n').slice(-LAST_LINES).join('\n');
