/**
 * A node that does not write itself, as published: GET / pushes the write to a list in Redis and answers 202. Nobody has said then that
 * the write was done.
 */
import { createRequire } from 'node:module';
import express from 'express';
import { readConfig } from '../lib/config.js';
import { serve } from '../lib/service.js';
import { newCounts } from '../lib/telemetry.js';
import { pushHandler } from './list.js';
import { connectQueue, QUEUE_VERSIONS } from './queue.js';

const expressPackage = createRequire(import.meta.url)('express/package.json');

const config = readConfig(process.env);
const counts = newCounts();
const queue = await connectQueue(config.name);
const app = express();
app.disable('x-powered-by');
app.get('/', pushHandler(config, counts, queue));
app.get('/healthz', (_req, res) => {
  const ready = queue.status === 'ready';
  res.status(ready ? 200 : 503).json({ ready, server: config.name });
});
serve({
  config,
  listener: app,
  counts,
  start: { versions: { node: process.versions.node, express: expressPackage.version, ...QUEUE_VERSIONS } },
  close: async () => queue.disconnect(),
});
