/**
 * The consumer, as published: loops that each pop one write from the list, do it and read one document. What it has popped and not
 * written is in no queue any more: a consumer that is killed loses it.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { documentWork } from '../documents/documents.js';
import { readConfig, readNumber } from '../lib/config.js';
import { connectDatabase } from '../lib/database.js';
import { serve } from '../lib/service.js';
import { newCounts } from '../lib/telemetry.js';
import { newConsumption } from './consume.js';
import { KEY, writeIn } from './list.js';
import { connectQueue, QUEUE_VERSIONS } from './queue.js';

/** As published. */
const LOOPS = 50;
/** How long a loop waits for something to pop before it looks whether it is to end. */
const WAIT_S = 1;
/** After a command that failed: the client looks for Redis meanwhile. */
const AGAIN_MS = 500;

const config = readConfig(process.env);
const counts = newCounts();
const { readPool, versions, close } = await connectDatabase(config);
const consume = newConsumption(counts, documentWork(config));
let ending = false;

/** A command that waits keeps its connection, so each loop has its own. */
async function loop() {
  const own = await connectQueue(config.name);
  while (!ending) {
    try {
      const popped = await own.brpop(KEY, WAIT_S);
      if (popped !== null) await consume(writeIn(popped[1]));
    } catch {
      await wait(AGAIN_MS);
    }
  }
  own.disconnect();
}

const loops = Promise.all(Array.from({ length: readNumber(process.env, 'CONSUMERS', 1, 1000) ?? LOOPS }, loop));
serve({
  config,
  // Nobody asks it for anything; that it listens says that it is ready.
  listener: (_req, res) => res.end(),
  counts,
  start: { max_pool_size: config.maxPoolSize, versions: { node: process.versions.node, ...QUEUE_VERSIONS, ...versions } },
  readPool,
  finish: () => {
    ending = true;
    return loops;
  },
  close,
});
