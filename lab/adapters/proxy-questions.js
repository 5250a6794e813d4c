/**
 * Asks a running proxy for its counters from outside its container: at the container's address, so that no program has to be in its
 * image. Every answer comes within a limit, or is none.
 */
import { createConnection } from 'node:net';

/** An adapter must answer within a second; the rest is for what the lab does with the answer. */
export const ANSWER_LIMIT_MS = 800;

/**
 * A table of all counters of a large configuration has some hundred kilobytes. What is longer is no answer to this question.
 */
const LONGEST_ANSWER_BYTES = 8 * 1024 * 1024;

/**
 * Writes a text to a socket and reads to its end.
 * @param {string} host
 * @param {number} port
 * @param {string} question
 * @returns {Promise<string | null>} null when there was no whole answer in time
 */
export function askSocket(host, port, question) {
  return new Promise((resolve) => {
    const socket = createConnection({ host, port });
    /** @type {Buffer[]} */
    const chunks = [];
    let length = 0;
    const finish = (/** @type {string | null} */ answer) => {
      clearTimeout(limit);
      socket.destroy();
      resolve(answer);
    };
    const limit = setTimeout(() => finish(null), ANSWER_LIMIT_MS);
    socket.on('error', () => finish(null));
    socket.on('connect', () => socket.write(question));
    socket.on('data', (chunk) => {
      length += chunk.length;
      if (length > LONGEST_ANSWER_BYTES) finish(null);
      else chunks.push(chunk);
    });
    socket.on('end', () => finish(Buffer.concat(chunks).toString('utf8')));
  });
}

/**
 * @param {string} url
 * @returns {Promise<string | null>} the body of a good answer; null when there was none in time
 */
export async function askHttp(url) {
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(ANSWER_LIMIT_MS) });
    return answer.ok ? await answer.text() : null;
  } catch {
    // The proxy is not up yet, is gone, or is full: the sample is missing, which the reader says.
    return null;
  }
}
