/**
 * Brings images to the hosts that need them: no host has to reach a registry, and all run the very same.
 */
import { finished } from 'node:stream/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { RunFailedError } from '../../base/errors.js';
import { docker } from '../../docker/docker.js';

const COPY_LIMIT_MS = 300_000;

/**
 * @param {import('./engines.js').Engine} engine
 * @param {{ id: string, name: string }} image  that this machine's engine has
 * @param {{ say: (text: string) => void, signal: AbortSignal }} options
 * @throws {RunFailedError} when it is not there in time
 */
export async function copyImage({ name: host, connection }, { id, name }, { say, signal }) {
  if (await hasImage(connection, id)) return;
  say(`copying ${name} to ${host}`);
  const sent = await docker.getImage(id).get();
  const inTime = new AbortController();
  const overdue = wait(COPY_LIMIT_MS, 'overdue', { signal: AbortSignal.any([signal, inTime.signal]) });
  try {
    await Promise.race([load(connection, sent), overdue]);
  } finally {
    overdue.catch(() => {});
    inTime.abort();
  }
  if (!(await hasImage(connection, id)))
    throw new RunFailedError(`Expected ${name} to be on ${host} within ${COPY_LIMIT_MS / 1000} s; it is not.`);
}

/** @type {(connection: import('dockerode'), sent: NodeJS.ReadableStream) => Promise<void>} */
async function load(connection, sent) {
  const answer = await connection.loadImage(sent);
  answer.resume();
  await finished(answer);
}

/** @param {import('dockerode')} connection @param {string} id */
const hasImage = (connection, id) =>
  connection
    .getImage(id)
    .inspect()
    .then(
      () => true,
      () => false,
    );
