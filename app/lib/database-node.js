/**
 * A node of Express on MongoDB: connects, lets the caller add its routes, answers GET /healthz, and serves.
 *
 * @import { Config } from './config.js'
 * @import { Counts } from './telemetry.js'
 */
import { createRequire } from 'node:module';
import express from 'express';
import { connectDatabase } from './database.js';
import { serve } from './service.js';

const expressPackage = createRequire(import.meta.url)('express/package.json');

/**
 * @param {Config} config
 * @param {Counts} counts
 * @param {(app: import('express').Express, client: import('mongodb').MongoClient) => void | Promise<void>} addRoutes
 *   may prepare the database first: the node listens when it returns
 * @throws when MongoDB cannot be reached, and what addRoutes throws
 */
export async function serveOnDatabase(config, counts, addRoutes) {
	const database = await connectDatabase(config);
	await serveExpress(config, counts, database, (app) => addRoutes(app, database.client));
}

/**
 * @typedef {object} Database  what a node has to know of it
 * @property {() => object} readPool
 * @property {() => boolean} isConnected
 * @property {Record<string, string>} versions
 * @property {() => Promise<void>} close
 */

/**
 * @param {Config} config
 * @param {Counts} counts
 * @param {Database} database
 * @param {(app: import('express').Express) => void | Promise<void>} addRoutes
 * @throws what addRoutes throws
 */
export async function serveExpress(config, counts, { readPool, isConnected, versions, close }, addRoutes) {
	const app = express();
	app.disable('x-powered-by');
	await addRoutes(app);
	app.get('/healthz', (_req, res) => {
		const ready = isConnected();
		res.status(ready ? 200 : 503).json({ ready, server: config.name });
	});
	serve({
		config,
		listener: app,
		counts,
		start: {
			max_pool_size: config.maxPoolSize,
			versions: { node: process.versions.node, express: expressPackage.version, ...versions },
		},
		readPool,
		close,
	});
}
