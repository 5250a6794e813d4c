/**
 * What of a Swarm the Docker command line does and the API does not: it turns a stack's file into services.
 */
import { execa } from 'execa';
import { NotReadyError } from '../define/errors.js';

const LIMIT_MS = 60_000;

/**
 * @param {string[]} args
 * @param {{ signal?: AbortSignal, input?: string }} [options]
 * @returns {Promise<string>} what it printed
 * @throws {NotReadyError} with its own words, when it fails or does not end in time
 */
export async function dockerCommand(args, { signal, input } = {}) {
  const result = await execa('docker', args, {
    timeout: LIMIT_MS,
    cancelSignal: signal,
    all: true,
    reject: false,
    ...(input === undefined ? { stdin: 'ignore' } : { input }),
  });
  signal?.throwIfAborted();
  if (!result.failed) return String(result.all);
  const said = result.timedOut ? `it did not end in ${LIMIT_MS / 1000} s` : String(result.all ?? '').trim();
  throw new NotReadyError(`"docker ${args.slice(0, 2).join(' ')}" failed: ${said}`, 'look at "docker node ls" and "docker service ls".');
}
