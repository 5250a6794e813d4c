/**
 * Watches MongoDB once a second from a container of its own, so that no observing request passes through a node:
 * connections, operations, queues, latencies, journal and the number of documents that the load wrote, one line of JSON
 * each. When told to stop it counts them exactly, and writes down the ids or the tickets where it is asked to.
 */
import { appendFileSync, createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { setTimeout as wait } from 'node:timers/promises';
import mongoose from 'mongoose';
import { parseWritten } from './written.js';

const EVERY_MS = 1000;
const ANSWER_LIMIT_MS = 5000;

const url = process.env.DATABASE_URL || 'mongodb://mongo:27017/doubletake';
const recordFolder = process.env.RECORD_FOLDER || '/raw';
const file = join(recordFolder, 'mongo.ndjson');
const client = new mongoose.mongo.MongoClient(url, {
  appName: 'observer',
  maxPoolSize: 1,
  serverSelectionTimeoutMS: ANSWER_LIMIT_MS,
  socketTimeoutMS: ANSWER_LIMIT_MS,
});
const written = parseWritten(process.env.WRITTEN).map(({ database, collection }) => client.db(database).collection(collection));
let stopping = false;
process.once('SIGTERM', () => {
  stopping = true;
});

/** @param {Record<string, unknown>} line */
const record = (line) => appendFileSync(file, `${JSON.stringify({ t: Date.now() / 1000, ...line })}\n`);

/** @param {(collection: typeof written[number]) => Promise<number>} count */
const countWritten = async (count) => (await Promise.all(written.map(count))).reduce((sum, found) => sum + found, 0);

/** The parts of serverStatus that the analysis reads. */
async function readStatus() {
  const status = await client.db().command({
    serverStatus: 1,
    repl: 0,
    metrics: 0,
    locks: 0,
    tcmalloc: 0,
    transactions: 0,
    logicalSessionRecordCache: 0,
  });
  return {
    version: status.version,
    connections: status.connections,
    opcounters: status.opcounters,
    latencies: status.opLatencies,
    queue: status.globalLock?.currentQueue,
    active: status.globalLock?.activeClients,
    tickets: status.wiredTiger?.concurrentTransactions,
    journal_bytes: status.wiredTiger?.log?.['log bytes written'],
    documents: await countWritten((collection) => collection.estimatedDocumentCount()),
  };
}

while (!stopping) {
  const started = Date.now();
  try {
    record(await readStatus());
  } catch (error) {
    record({ error: error instanceof Error ? `${error.name}: ${error.message}` : String(error) });
  }
  await wait(Math.max(0, EVERY_MS - (Date.now() - started)));
}

/**
 * Writes down one value of each document of a collection that has it, a line each.
 * @param {string} collection
 * @param {string} name of the value
 * @param {object} filter
 * @param {string} fileName
 */
async function dump(collection, name, filter, fileName) {
  const documents = client
    .db()
    .collection(collection)
    .find(filter, { projection: { _id: 0, [name]: 1 } });
  const out = createWriteStream(join(recordFolder, fileName));
  await pipeline(async function* lines() {
    for await (const document of documents) yield `${document[name]}\n`;
  }, out);
}

try {
  // The ids that the load's requests carried, and the tickets that it was sold.
  if (process.env.INTEGRITY) await dump('documents', 'request', { request: { $exists: true } }, 'document-ids.txt');
  if (process.env.TICKETS === '1') await dump('orders', 'ticket', { event: 'main' }, 'tickets.txt');
  const exact = await countWritten((collection) => collection.countDocuments());
  record({ event: 'stop', ...(await readStatus()), documents_exact: exact });
} catch (error) {
  record({ event: 'stop', error: error instanceof Error ? `${error.name}: ${error.message}` : String(error) });
}
await client.close();
