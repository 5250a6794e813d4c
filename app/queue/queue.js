/**
 * The way to the Redis that holds a queue.
 */
import { createRequire } from 'node:module';
import { Redis } from 'ioredis';
import { connectPatiently } from '../lib/connect-patiently.js';

const { version } = createRequire(import.meta.url)('ioredis/package.json');

/** After a connection that broke. */
const AGAIN_MS = 500;

export const QUEUE_VERSIONS = { ioredis: version };

/** HTTP: accepted, and not done yet (RFC 9110, 15.3.3). */
export const ACCEPTED = { status: 202 };

/** Whatever the client says of the queue, by one name, so that the lab knows whose error it is. */
export class QueueError extends Error {
	name = 'QueueError';
}

/**
 * @param {string} name  by which Redis knows the connection
 * @param {{ isPatient?: boolean }} [options]  isPatient: a command waits for a connection as long as it takes, which BullMQ's workers demand
 * @returns {Promise<Redis>} connected. A command that finds no connection is tried once more when there is one again, and then fails
 * @throws the last attempt's error
 */
export async function connectQueue(name, { isPatient = false } = {}) {
	const redis = new Redis(process.env.QUEUE_URL || 'redis://redis:6379', {
		connectionName: name,
		lazyConnect: true,
		maxRetriesPerRequest: isPatient ? null : 1,
		retryStrategy: () => AGAIN_MS,
	});
	// It is told by the command that fails, too; without a listener it would end the process.
	redis.on('error', () => {});
	await connectPatiently(async () => {
		try {
			await redis.connect();
		} catch (error) {
			// It would go on by itself.
			redis.disconnect();
			throw error;
		}
	});
	return redis;
}
