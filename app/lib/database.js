/**
 * A node's way to MongoDB: one driver client, its pool watched from the first connection on, shared with Mongoose.
 */
import { createRequire } from 'node:module';
import mongoose from 'mongoose';
import { connectPatiently } from './connect-patiently.js';
import { monitorPool } from './pool-monitor.js';

const mongodbPackage = createRequire(import.meta.url)('mongodb/package.json');

/** A write is answered when it is in the journal on disk. */
export const JOURNALED = { w: 1, journal: true };

export const DRIVER_VERSIONS = { mongoose: mongoose.version, mongodb: mongodbPackage.version };

/**
 * @param {import('./config.js').Config} config
 * @returns {Promise<{ client: import('mongodb').MongoClient, readPool: () => ReturnType<ReturnType<typeof monitorPool>['read']> }>} connected
 * @throws the last attempt's error
 */
export async function connectClient(config) {
	// The client is made here and not by mongoose.connect(), so that the pool is watched from its first connection on.
	const client = new mongoose.mongo.MongoClient(config.databaseUrl, {
		appName: config.name,
		maxPoolSize: config.maxPoolSize,
		...(config.waitQueueTimeoutMs && { waitQueueTimeoutMS: config.waitQueueTimeoutMs }),
		...(config.socketTimeoutMs && { socketTimeoutMS: config.socketTimeoutMs }),
		...(config.serverSelectionTimeoutMs && { serverSelectionTimeoutMS: config.serverSelectionTimeoutMs }),
	});
	const pool = monitorPool(client);
	await connectPatiently(() => client.connect());
	return { client, readPool: pool.read };
}

/**
 * @param {import('./config.js').Config} config
 * @throws the last attempt's error
 */
export async function connectDatabase(config) {
	const { client, readPool } = await connectClient(config);
	mongoose.connection.setClient(client);
	return {
		client,
		readPool,
		isConnected: () => mongoose.connection.readyState === mongoose.ConnectionStates.connected,
		versions: DRIVER_VERSIONS,
		close: () => mongoose.disconnect(),
	};
}
