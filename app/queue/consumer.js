/**
 * A consumer: connects to MongoDB, takes writes out of a queue as often at once as it is told, and keeps the record of a node.
 */
import { readConfig, readNumber } from '../lib/config.js';
import { connectDatabase } from '../lib/database.js';
import { serve } from '../lib/service.js';
import { newCounts } from '../lib/telemetry.js';
import { QUEUE_VERSIONS } from './queue.js';

/** As published. */
const LOOPS = 50;

/**
 * @typedef {object} Worker
 * @property {import('../lib/config.js').Config} config
 * @property {import('../lib/telemetry.js').Counts} counts
 * @property {number} loops  writes that it does at once
 */

/**
 * @param {(worker: Worker) => () => Promise<unknown>} begin  gives what ends it: no write is taken any more, and those in hand are done
 * @param {Record<string, string>} [versions]  of what it uses beside the clients of Redis and MongoDB
 * @throws when MongoDB cannot be reached
 */
export async function serveConsumer(begin, versions = {}) {
	const config = readConfig(process.env);
	const counts = newCounts();
	const database = await connectDatabase(config);
	const finish = begin({ config, counts, loops: readNumber(process.env, 'CONSUMERS', 1, 1000) ?? LOOPS });
	serve({
		config,
		// Nobody asks it for anything; that it listens says that it is ready.
		listener: (_req, res) => res.end(),
		counts,
		start: {
			max_pool_size: config.maxPoolSize,
			versions: { node: process.versions.node, ...QUEUE_VERSIONS, ...versions, ...database.versions },
		},
		readPool: database.readPool,
		finish,
		close: database.close,
	});
}
