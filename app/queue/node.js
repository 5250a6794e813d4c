/**
 * A node that puts writes into a queue: connects to Redis, answers GET / and GET /healthz, and serves.
 */
import { createRequire } from 'node:module';
import express from 'express';
import { readConfig } from '../lib/config.js';
import { serve } from '../lib/service.js';
import { newCounts } from '../lib/telemetry.js';
import { connectQueue, QUEUE_VERSIONS } from './queue.js';

const expressPackage = createRequire(import.meta.url)('express/package.json');

/**
 * @param {(config: import('../lib/config.js').Config, counts: import('../lib/telemetry.js').Counts, redis: import('ioredis').Redis) => import('express').RequestHandler} makeHandler
 * @param {Record<string, string>} [versions]  of what it uses beside the client of Redis
 * @throws when Redis cannot be reached
 */
export async function serveNode(makeHandler, versions = {}) {
	const config = readConfig(process.env);
	const counts = newCounts();
	const redis = await connectQueue(config.name);
	const app = express();
	app.disable('x-powered-by');
	app.get('/', makeHandler(config, counts, redis));
	app.get('/healthz', (_req, res) => {
		const ready = redis.status === 'ready';
		res.status(ready ? 200 : 503).json({ ready, server: config.name });
	});
	serve({
		config,
		listener: app,
		counts,
		start: { versions: { node: process.versions.node, express: expressPackage.version, ...QUEUE_VERSIONS, ...versions } },
		close: async () => redis.disconnect(),
	});
}
