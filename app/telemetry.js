/**
 * The node's record of itself: counters since its start, written once a second as one line of JSON, so that a node
 * under load is never asked a question that it could not answer in time.
 */
import { appendFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import mongoose from 'mongoose';

const require = createRequire(import.meta.url);
const expressPackage = require('express/package.json');
const mongodbPackage = require('mongodb/package.json');

const RECORD_EVERY_MS = 1000;
const LOOP_DELAY_RESOLUTION_MS = 10;
const nanosecondsPerMs = 1e6;

/** What the node counts of requests. Times are sums over the requests answered well, in milliseconds. */
export function newCounts() {
  return {
    received: 0,
    answered: /** @type {Record<string, number>} */ ({}), // by status class: 2xx, 4xx, 5xx
    aborted: 0, // the caller hung up before the answer was out
    in_flight: 0,
    errors: /** @type {Record<string, number>} */ ({}), // by the error's name
    ok_ms: { count: 0, handler: 0, pool: 0, database: 0 },
  };
}

/**
 * @param {import('./config.js').Config} config
 * @param {ReturnType<typeof newCounts>} counts
 * @param {() => object} readPool
 */
export function startTelemetry(config, counts, readPool) {
  const loopDelay = monitorEventLoopDelay({ resolution: LOOP_DELAY_RESOLUTION_MS });
  loopDelay.enable();
  let utilisation = performance.eventLoopUtilization();
  const file = join(config.recordFolder, `${config.name}.ndjson`);

  /** @param {string} event @param {object} [more] */
  const record = (event, more) => {
    const busy = performance.eventLoopUtilization(utilisation).utilization;
    utilisation = performance.eventLoopUtilization();
    const line = {
      t: Date.now() / 1000,
      event,
      ...more,
      ...counts,
      // The histogram counts the sampling interval itself; what exceeds it is the delay.
      loop_delay_ms: {
        mean: Math.max(0, loopDelay.mean / nanosecondsPerMs - LOOP_DELAY_RESOLUTION_MS),
        p99: Math.max(0, loopDelay.percentile(99) / nanosecondsPerMs - LOOP_DELAY_RESOLUTION_MS),
        max: Math.max(0, loopDelay.max / nanosecondsPerMs - LOOP_DELAY_RESOLUTION_MS),
      },
      loop_utilisation: busy,
      pool: readPool(),
      rss_bytes: process.memoryUsage.rss(),
    };
    loopDelay.reset();
    appendFileSync(file, `${JSON.stringify(line)}\n`);
  };

  record('start', {
    max_pool_size: config.maxPoolSize,
    backlog: config.backlog,
    versions: { node: process.versions.node, express: expressPackage.version, mongoose: mongoose.version, mongodb: mongodbPackage.version },
  });
  const timer = setInterval(() => record('tick'), RECORD_EVERY_MS);
  return {
    /** Writes the last line. */
    stop() {
      clearInterval(timer);
      record('stop');
    },
  };
}
