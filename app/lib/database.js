/**
 * A node's way to MongoDB: one driver client, its pool watched from the first connection on, shared with Mongoose.
 */
import { createRequire } from 'node:module';
import { setTimeout as wait } from 'node:timers/promises';
import mongoose from 'mongoose';
import { monitorPool } from './pool-monitor.js';

const mongodbPackage = createRequire(import.meta.url)('mongodb/package.json');

/** MongoDB may start after its nodes. */
const CONNECT_ATTEMPTS = 60;
const CONNECT_EVERY_MS = 500;

/** A write is answered when it is in the journal on disk. */
export const JOURNALED = { w: 1, journal: true };

/**
 * @param {import('./config.js').Config} config
 * @throws the last attempt's error
 */
export async function connectDatabase(config) {
  // The client is made here and not by mongoose.connect(), so that the pool is watched from its first connection on.
  const client = new mongoose.mongo.MongoClient(config.databaseUrl, {
    appName: config.name,
    maxPoolSize: config.maxPoolSize,
    ...(config.waitQueueTimeoutMs && { waitQueueTimeoutMS: config.waitQueueTimeoutMs }),
    ...(config.socketTimeoutMs && { socketTimeoutMS: config.socketTimeoutMs }),
    ...(config.serverSelectionTimeoutMs && { serverSelectionTimeoutMS: config.serverSelectionTimeoutMs }),
  });
  const pool = monitorPool(client);
  await connect(client);
  mongoose.connection.setClient(client);
  return {
    client,
    readPool: pool.read,
    isConnected: () => mongoose.connection.readyState === mongoose.ConnectionStates.connected,
    versions: { mongoose: mongoose.version, mongodb: mongodbPackage.version },
    close: () => mongoose.disconnect(),
  };
}

/** @param {import('mongodb').MongoClient} client */
async function connect(client) {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await client.connect();
      return;
    } catch (error) {
      if (attempt === CONNECT_ATTEMPTS) throw error;
      await wait(CONNECT_EVERY_MS);
    }
  }
}
