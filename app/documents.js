/**
 * What a request does, as published: write one document, read one back, answer the time that it took and the server's
 * name; answer HTTP 500 when the database call throws. The headers add who answered and, on failure, which tier failed.
 */
import { performance } from 'node:perf_hooks';
import { setTimeout as wait } from 'node:timers/promises';
import mongoose from 'mongoose';
import { failedTier } from './failed-tier.js';
import { currentRequest } from './pool-monitor.js';

const documentSchema = new mongoose.Schema({ value: Number, request: String }, { versionKey: false });
/** One collection, no index beyond _id. */
export const Document = mongoose.model('Document', documentSchema);

/** @param {import('./config.js').Config} config */
async function writeAndRead(config, /** @type {string | undefined} */ request) {
  if (config.errorShare > 0 && Math.random() < config.errorShare) throw new Error('the app failed on purpose');
  await Document.create({ value: Math.random(), request });
  await Document.findOne().lean();
  if (config.extraDelayMs > 0) await wait(config.extraDelayMs);
}

/**
 * @param {import('./config.js').Config} config
 * @param {ReturnType<typeof import('./telemetry.js').newCounts>} counts
 * @returns {import('express').RequestHandler}
 */
export function documentHandler(config, counts) {
  return async (req, res) => {
    const started = performance.now();
    const times = { poolMs: 0, databaseMs: 0 };
    counts.received += 1;
    counts.in_flight += 1;
    res.on('close', () => {
      counts.in_flight -= 1;
      if (res.writableFinished) {
        const statusClass = `${Math.floor(res.statusCode / 100)}xx`;
        counts.answered[statusClass] = (counts.answered[statusClass] ?? 0) + 1;
      } else {
        counts.aborted += 1;
      }
    });
    res.setHeader('X-Node', config.name);

    let failure = /** @type {unknown} */ (undefined);
    try {
      await currentRequest.run(times, () => writeAndRead(config, req.get('x-request-id')));
    } catch (error) {
      failure = error;
    }
    const handlerMs = performance.now() - started;
    res.setHeader(
      'Server-Timing',
      `pool;dur=${times.poolMs.toFixed(2)}, database;dur=${times.databaseMs.toFixed(2)}, app;dur=${handlerMs.toFixed(2)}`,
    );
    if (failure === undefined) {
      counts.ok_ms.count += 1;
      counts.ok_ms.handler += handlerMs;
      counts.ok_ms.pool += times.poolMs;
      counts.ok_ms.database += times.databaseMs;
      res.json({ latency: handlerMs, server: config.name });
      return;
    }
    const name = failure instanceof Error ? failure.name : 'Error';
    counts.errors[name] = (counts.errors[name] ?? 0) + 1;
    res.setHeader('X-Failed-Tier', failedTier(failure));
    res.setHeader('X-Error-Name', name);
    res.status(500).json({ error: name, server: config.name });
  };
}
