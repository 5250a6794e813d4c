/** What of a Swarm the Docker command line does and the API does not: it turns a stack's file into services. */

import { NotReadyError } from '../../base/errors.ts';
import { runBounded } from '../../docker/bounded.ts';

const LIMIT_MS = 60_000;

/**
 * @returns what it printed
 * @throws {NotReadyError} with its own words, when it fails or does not end in time
 */
export async function dockerCommand(args: string[], { signal, input }: { signal?: AbortSignal; input?: string } = {}): Promise<string> {
	const result = await runBounded('docker', args, {
		limitMs: LIMIT_MS,
		// What is called without a signal takes down, or gives a host back.
		...(signal === undefined ? { survives: true } : { signal }),
		...(input === undefined ? {} : { input }),
	});
	signal?.throwIfAborted();
	if (!result.failed) return result.all;
	const said = result.timedOut ? `it did not end in ${LIMIT_MS / 1000} s` : result.all.trim() || result.shortMessage;
	throw new NotReadyError(`"docker ${args.slice(0, 2).join(' ')}" failed: ${said}`, 'look at "docker node ls" and "docker service ls".');
}
