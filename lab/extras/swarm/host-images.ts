/** Brings images to the hosts that need them: no host has to reach a registry, and all run the very same. */

import { finished } from 'node:stream/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { RunFailedError } from '../../base/errors.ts';
import { docker } from '../../docker/docker.ts';
import type { Engine } from './engines.ts';

const COPY_LIMIT_MS = 300_000;

/**
 * @param image that this machine's engine has
 * @throws {RunFailedError} when it is not there in time
 */
export async function copyImage(
	{ name: host, connection }: Engine,
	{ id, name }: { id: string; name: string },
	{ say, signal }: { say: (text: string) => void; signal: AbortSignal },
) {
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

async function load(connection: import('dockerode'), sent: NodeJS.ReadableStream): Promise<void> {
	const answer = await connection.loadImage(sent);
	answer.resume();
	await finished(answer);
}

const hasImage = (connection: import('dockerode'), id: string) =>
	connection
		.getImage(id)
		.inspect()
		.then(
			() => true,
			() => false,
		);
