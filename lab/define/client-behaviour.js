/**
 * What users do when an answer is late or bad: the options TIMEOUT, RETRIES, BACKOFF, RETRY_BUDGET and RETRY_AFTER.
 *
 * @typedef {object} ClientBehaviour
 * @property {number | null} timeout_ms  that users wait for an answer; null: k6's own 60 s
 * @property {number} retries            of one request, at most
 * @property {number} backoff_ms         before the first, doubled for each further one, of which users wait a random part; 0: at once
 * @property {number | null} budget_percent  of its requests that a user may try again; null: no such limit
 * @property {boolean} retry_after       what an answer says in Retry-After is waited for instead
 */
import { readOption } from './accepted-options.js';
import { NotReadyError } from './errors.js';
import { OPTIONS } from './options.js';

/** Without retries these change nothing. */
const OF_RETRIES = Object.keys(OPTIONS).filter((name) => OPTIONS[name].scope.besides === 'RETRIES');

/**
 * @param {Record<string, string | undefined>} env
 * @returns {ClientBehaviour | null} null where users wait for 60 s and try nothing again
 * @throws {NotReadyError} naming the option, what it holds and what it may hold
 */
export function readClientBehaviour(env) {
  const client = {
    timeout_ms: readOption('TIMEOUT', env),
    retries: readOption('RETRIES', env),
    backoff_ms: readOption('BACKOFF', env),
    budget_percent: readOption('RETRY_BUDGET', env),
    retry_after: readOption('RETRY_AFTER', env),
  };
  const idle = OF_RETRIES.find((name) => env[name] && Number(env[name]) !== 0);
  if (client.retries === 0 && idle !== undefined)
    throw new NotReadyError(
      `${idle}: expected RETRIES with it; found none, so that nothing is tried again.`,
      'add RETRIES=1 or more, or leave it out.',
    );
  return client.timeout_ms === null && client.retries === 0 ? null : client;
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
