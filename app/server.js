/**
 * One node of the system under test: Express, Mongoose, MongoDB. Serves GET / and GET /healthz until SIGTERM, then
 * finishes what it is working on and leaves.
 */
import http from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import express from 'express';
import mongoose from 'mongoose';
import { readConfig } from './config.js';
import { documentHandler } from './documents.js';
import { monitorPool } from './pool-monitor.js';
import { newCounts, startTelemetry } from './telemetry.js';

const DRAIN_LIMIT_MS = 10_000;
/** MongoDB may start after its nodes. */
const CONNECT_ATTEMPTS = 60;
const CONNECT_EVERY_MS = 500;

const config = readConfig(process.env);
const counts = newCounts();

// The client is made here and not by mongoose.connect(), so that the pool is watched from its first connection on.
const client = new mongoose.mongo.MongoClient(config.databaseUrl, {
  appName: config.name,
  maxPoolSize: config.maxPoolSize,
  ...(config.waitQueueTimeoutMs && { waitQueueTimeoutMS: config.waitQueueTimeoutMs }),
  ...(config.socketTimeoutMs && { socketTimeoutMS: config.socketTimeoutMs }),
  ...(config.serverSelectionTimeoutMs && { serverSelectionTimeoutMS: config.serverSelectionTimeoutMs }),
});
const pool = monitorPool(client);
await connect();
mongoose.connection.setClient(client);
const telemetry = startTelemetry(config, counts, pool.read);

const app = express();
app.disable('x-powered-by');
app.get('/', documentHandler(config, counts));
app.get('/healthz', (_req, res) => {
  const ready = mongoose.connection.readyState === mongoose.ConnectionStates.connected;
  res.status(ready ? 200 : 503).json({ ready, server: config.name });
});

const server = http.createServer(app).listen({ port: config.port, backlog: config.backlog }, () => {
  console.log(JSON.stringify({ listening: config.port, node: process.version, mongoose: mongoose.version }));
});

/** @throws the last attempt's error */
async function connect() {
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

async function leave() {
  const forced = setTimeout(() => process.exit(1), DRAIN_LIMIT_MS);
  forced.unref();
  await new Promise((resolve) => server.close(resolve));
  telemetry.stop();
  await mongoose.disconnect();
  process.exit(0);
}
process.once('SIGTERM', leave);
process.once('SIGINT', leave);
