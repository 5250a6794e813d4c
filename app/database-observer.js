/**
 * Watches MongoDB once a second from a container of its own, so that no observing request passes through a node:
 * connections, operations, queues, latencies, journal and the number of documents, one line of JSON each. When told to
 * stop it counts the documents exactly.
 */
import { appendFileSync, createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { setTimeout as wait } from 'node:timers/promises';
import mongoose from 'mongoose';

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
let stopping = false;
process.once('SIGTERM', () => {
  stopping = true;
});

/** @param {Record<string, unknown>} line */
const record = (line) => appendFileSync(file, `${JSON.stringify({ t: Date.now() / 1000, ...line })}\n`);

/** The parts of serverStatus that the analysis reads. */
async function readStatus() {
  const database = client.db();
  const status = await database.command({
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
    documents: await database.collection('documents').estimatedDocumentCount(),
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

/** The ids that the load's requests carried, one line for each document that has one. */
async function dumpIds() {
  const documents = client
    .db()
    .collection('documents')
    .find({ request: { $exists: true } }, { projection: { _id: 0, request: 1 } });
  const out = createWriteStream(join(recordFolder, 'document-ids.txt'));
  await pipeline(async function* ids() {
    for await (const { request } of documents) yield `${request}\n`;
  }, out);
}

try {
  if (process.env.INTEGRITY) await dumpIds();
  record({ event: 'stop', ...(await readStatus()), documents_exact: await client.db().collection('documents').countDocuments() });
} catch (error) {
  record({ event: 'stop', error: error instanceof Error ? `${error.name}: ${error.message}` : String(error) });
}
await client.close();
