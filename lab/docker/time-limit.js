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
import { UnansweredError } from '../base/errors.js';

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
export const withLimit = (dial) => (call, callback) => {
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
