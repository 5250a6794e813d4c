/**
 * Runs a k6 of which nothing is followed: from its start to its end.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { GRACEFUL_STOP_S, loadDuration, loadStart } from '../../k6/lib/shapes.js';
import { RunFailedError } from '../define/errors.js';
import { containerById, readLog } from './docker.js';
import { startGenerators } from './load.js';

/** k6 prepares its users before the load and writes its summary after it. */
const AROUND_LOAD_LIMIT_S = 180;
const LAST_LINES = 15;
/** Exit codes of k6; 99: a threshold was not met, which a script of the user's own may have. */
const ENDED_WELL = [0, 99];

/**
 * @param {object} options
 * @param {import('./system.js').System} options.system
 * @param {string} options.generator  Compose's name of its service
 * @param {Record<string, string>} options.env
 * @param {import('../../k6/lib/shapes.js').Shape} options.shape
 * @param {AbortSignal} options.signal
 * @throws {RunFailedError} when k6 fails, or does not end in time
 */
export async function runBareLoad({ system, generator, env, shape, signal }) {
  const [created] = await startGenerators({ system, generators: [generator], env, signal });
  const limitS = AROUND_LOAD_LIMIT_S + loadStart(shape) + loadDuration(shape) + GRACEFUL_STOP_S;
  const inTime = new AbortController();
  const overdue = wait(limitS * 1000, null, { signal: AbortSignal.any([signal, inTime.signal]) });
  try {
    const ended = await Promise.race([containerById(created.id).wait(), overdue]);
    if (ended !== null && ENDED_WELL.includes(ended.StatusCode)) return;
    const how = ended === null ? `did not end in ${limitS} s` : `ended with exit code ${ended.StatusCode}`;
    throw new RunFailedError(`k6 ${how}; the last lines of its log:\n${await readLog(created.id, LAST_LINES)}`);
  } finally {
    // What is not waited for any more must not keep the lab from ending, nor be an unhandled rejection.
    overdue.catch(() => {});
    inTime.abort();
  }
}
