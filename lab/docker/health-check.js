/**
 * Asks a container by its own health check, as its engine does, but at once: an engine asks first when the check's interval is over, half a
 * minute unless the file says otherwise, and one time that it is well is enough for it, too.
 *
 * @typedef {object} Check
 * @property {string[]} command
 * @property {number} limitMs
 *
 * @typedef {object} Configured  as the engine tells it (https://docs.docker.com/reference/api/engine/, ContainerInspect)
 * @property {{ Test?: string[], Timeout?: number }} [Healthcheck]  Timeout: nanoseconds
 * @property {string[] | null} [Shell]
 */
import { executeToEnd } from './docker.js';

/** Of the engine, where the check names none. */
const STANDARD_LIMIT_MS = 30_000;
const STANDARD_SHELL = ['/bin/sh', '-c'];
const NANOSECONDS_PER_MS = 1e6;

/**
 * @param {Configured} configured
 * @returns {Check | null} null where there is none
 */
export function checkOf({ Healthcheck: check, Shell: shell }) {
  const [kind, ...words] = check?.Test ?? [];
  const limitMs = check?.Timeout ? check.Timeout / NANOSECONDS_PER_MS : STANDARD_LIMIT_MS;
  if (kind === 'CMD') return { command: words, limitMs };
  if (kind === 'CMD-SHELL') return { command: [...(shell?.length ? shell : STANDARD_SHELL), ...words], limitMs };
  return null;
}

/**
 * @param {string} id of a container
 * @param {Check} check
 * @returns {Promise<boolean>} false too where it cannot be asked
 */
export const passes = (id, { command, limitMs }) =>
  executeToEnd(id, command, { limitMs }).then(
    ({ exitCode }) => exitCode === 0,
    () => false,
  );
