/**
 * Documents that are spread over several databases: which one has a document follows from its request's id, so that every node looks in
 * the same place, and asks nobody.
 *
 * @typedef {import('../documents/documents.js').Write} Write
 */
import { createHash, randomUUID } from 'node:crypto';
import mongoose from 'mongoose';
import { documentSchema, documentWork } from '../documents/documents.js';
import { connectClient, DRIVER_VERSIONS } from '../lib/database.js';

/** Of a hash, from which the shard follows. */
const BYTES = 4;

/**
 * @param {string} id
 * @param {number} shards
 * @returns {number} 0 to shards - 1, evenly over all ids
 */
export const shardOf = (id, shards) => createHash('sha1').update(id).digest().readUIntBE(0, BYTES) % shards;

/**
 * @param {((write: Write) => Promise<void>)[]} works  of each shard
 * @returns {(write: Write) => Promise<void>}
 */
export const shardedWork = (works) => (write) => works[shardOf(write.id ?? randomUUID(), works.length)](write);

/**
 * @param {import('../lib/config.js').Config} config
 * @param {string[]} urls  of the shards
 * @throws the last attempt's error
 */
export async function connectShards(config, urls) {
	const shards = await Promise.all(urls.map((databaseUrl) => connectClient({ ...config, databaseUrl })));
	const connections = shards.map(({ client }) => mongoose.createConnection().setClient(client));
	const isConnected = () => connections.every(({ readyState }) => readyState === mongoose.ConnectionStates.connected);
	return {
		work: shardedWork(connections.map((connection) => documentWork(config, { documents: connection.model('Document', documentSchema) }))),
		readPool: () => addPools(shards.map(({ readPool }) => readPool())),
		isConnected,
		versions: DRIVER_VERSIONS,
		close: async () => void (await Promise.all(connections.map((connection) => connection.close()))),
	};
}

/**
 * Several pools as one: a request waits for one of them.
 * @template {Record<string, number | Record<string, number>>} Pool
 * @param {Pool[]} pools
 * @returns {Pool}
 */
export const addPools = ([first, ...others]) => others.reduce((total, pool) => /** @type {Pool} */ (added(total, pool)), first);

/** @type {(one: Record<string, any>, other: Record<string, any>) => Record<string, any>} */
const added = (one, other) =>
	Object.fromEntries(
		[...new Set([...Object.keys(one), ...Object.keys(other)])].map((key) => {
			const [left, right] = [one[key], other[key]];
			return [key, typeof (left ?? right) === 'object' ? added(left ?? {}, right ?? {}) : (left ?? 0) + (right ?? 0)];
		}),
	);
