/**
 * What users do when an answer is late or bad: the variables TIMEOUT, RETRIES, BACKOFF, RETRY_BUDGET and RETRY_AFTER.
 *
 * @typedef {object} ClientBehaviour
 * @property {number | null} timeout_ms  that users wait for an answer; null: k6's own 60 s
 * @property {number} retries            of one request, at most
 * @property {number} backoff_ms         before the first, doubled for each further one, of which users wait a random part; 0: at once
 * @property {number | null} budget_percent  of its requests that a user may try again; null: no such limit
 * @property {boolean} retry_after       what an answer says in Retry-After is waited for instead
 */
import { NotReadyError } from './errors.js';
import { whole } from './whole-number.js';

export const CLIENT_VARIABLES = ['TIMEOUT', 'RETRIES', 'BACKOFF', 'RETRY_BUDGET', 'RETRY_AFTER'];
/** Without retries these change nothing. */
const OF_RETRIES = ['BACKOFF', 'RETRY_BUDGET', 'RETRY_AFTER'];
const TIMEOUT_MOST_MS = 60_000;
const RETRIES_MOST = 100;
const BACKOFF_MOST_MS = 10_000;

/**
 * @param {Record<string, string | undefined>} env
 * @returns {ClientBehaviour | null} null where users wait for 60 s and try nothing again
 * @throws {NotReadyError} naming the variable, what it holds and what it may hold
 */
export function readClientBehaviour(env) {
  const timeout = whole('TIMEOUT', env.TIMEOUT, 1, TIMEOUT_MOST_MS);
  const retries = whole('RETRIES', env.RETRIES, 0, RETRIES_MOST) ?? 0;
  const read = {
    timeout_ms: timeout,
    retries,
    backoff_ms: whole('BACKOFF', env.BACKOFF, 0, BACKOFF_MOST_MS) ?? 0,
    budget_percent: whole('RETRY_BUDGET', env.RETRY_BUDGET, 1, 100),
    retry_after: whole('RETRY_AFTER', env.RETRY_AFTER, 0, 1) === 1,
  };
  const idle = OF_RETRIES.find((name) => env[name] && Number(env[name]) !== 0);
  if (retries === 0 && idle !== undefined)
    throw new NotReadyError(
      `${idle}: expected RETRIES with it; found none, so that nothing is tried again.`,
      'add RETRIES=1 or more, or leave it out.',
    );
  return timeout === null && retries === 0 ? null : read;
}

/**
 * As k6's scenario takes them; each is there, and empty where it is not set, so that none of the shell's comes in.
 * @param {ClientBehaviour | null} client
 * @returns {Record<string, string>}
 */
export function clientEnvironment(client) {
  const text = (/** @type {number | null | undefined} */ value) => (value ? String(value) : '');
  return {
    TIMEOUT: text(client?.timeout_ms),
    RETRIES: text(client?.retries),
    BACKOFF: text(client?.backoff_ms),
    RETRY_BUDGET: text(client?.budget_percent),
    RETRY_AFTER: client?.retry_after ? '1' : '',
  };
}

/** As the front door takes them. @param {ClientBehaviour | null} client @returns {string[]} */
export const spellClient = (client) =>
  Object.entries(clientEnvironment(client))
    .filter(([, value]) => value !== '')
    .map(([name, value]) => `${name}=${value}`);
