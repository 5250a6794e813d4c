/**
 * Watches MongoDB, or several, once a second from a container of its own, so that no observing request passes through a node:
 * connections, operations, queues, latencies, journal and the number of documents that the load wrote, one line of JSON
 * each. When told to stop it counts them exactly, and writes down the ids or the tickets where it is asked to.
 */
import { appendFileSync, createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { setTimeout as wait } from 'node:timers/promises';
import mongoose from 'mongoose';
import { parseHosts } from './hosts.js';
import { parseWritten } from './written.js';

const EVERY_MS = 1000;
const ANSWER_LIMIT_MS = 5000;
const DATABASE = 'doubletake';
/** What is written down at the end: a value of the documents that have it. */
const LOAD_OWN = { collection: 'documents', value: 'request', filter: { request: { $exists: true } }, file: 'document-ids.txt' };
const SOLD = { collection: 'orders', value: 'ticket', filter: { event: 'main' }, file: 'tickets.txt' };

const recordFolder = process.env.RECORD_FOLDER || '/raw';
const recordFile = join(recordFolder, 'mongo.ndjson');
const written = parseWritten(process.env.WRITTEN);
const hosts = parseHosts(process.env.DATABASES);
const watched = hosts.map(({ host, name }) => ({
	// Where it is the only one, nothing has to tell it from others.
	label: hosts.length > 1 ? { name } : {},
	client: new mongoose.mongo.MongoClient(`mongodb://${host}/${DATABASE}`, {
		// Itself, and not whom its set has elected.
		directConnection: true,
		readPreference: 'secondaryPreferred',
		appName: 'observer',
		maxPoolSize: 1,
		serverSelectionTimeoutMS: ANSWER_LIMIT_MS,
		socketTimeoutMS: ANSWER_LIMIT_MS,
	}),
}));
/** @typedef {typeof watched[number]} Watched */
let stopping = false;
process.once('SIGTERM', () => {
	stopping = true;
});

/** @param {Watched} of @param {Record<string, unknown>} line */
const record = ({ label }, line) => appendFileSync(recordFile, `${JSON.stringify({ t: Date.now() / 1000, ...label, ...line })}\n`);

/** @typedef {import('mongodb').Collection} Collection */

/** @param {Watched} of @param {(collection: Collection) => Promise<number>} count */
async function countWritten({ client }, count) {
	const counts = await Promise.all(written.map(({ database, collection }) => count(client.db(database).collection(collection))));
	return counts.reduce((sum, found) => sum + found, 0);
}

/** The parts of serverStatus that the analysis reads. @param {Watched} of */
async function readStatus(of) {
	// A client whose first connection fails answers "Topology is closed" from then on, unless it is connected by this call.
	await of.client.connect();
	const status = await of.client.db().command({
		serverStatus: 1,
		metrics: 0,
		locks: 0,
		tcmalloc: 0,
		transactions: 0,
		logicalSessionRecordCache: 0,
	});
	return {
		version: status.version,
		...(status.repl ? { set: status.repl.setName, primary: status.repl.isWritablePrimary } : {}),
		connections: status.connections,
		opcounters: status.opcounters,
		latencies: status.opLatencies,
		queue: status.globalLock?.currentQueue,
		active: status.globalLock?.activeClients,
		tickets: status.wiredTiger?.concurrentTransactions,
		journal_bytes: status.wiredTiger?.log?.['log bytes written'],
		documents: await countWritten(of, (collection) => collection.estimatedDocumentCount()),
	};
}

/** @param {unknown} error */
const reported = (error) => (error instanceof Error ? `${error.name}: ${error.message}` : String(error));

/** Each at its own pace: one that does not answer keeps nobody waiting. @param {Watched} of */
async function watch(of) {
	while (!stopping) {
		const started = Date.now();
		try {
			record(of, await readStatus(of));
		} catch (error) {
			record(of, { error: reported(error) });
		}
		await wait(Math.max(0, EVERY_MS - (Date.now() - started)));
	}
}

/** Writes down one value of each document of a collection that has it, a line each. @param {Watched} of @param {typeof LOAD_OWN | typeof SOLD} what */
async function dump({ client }, { collection, value, filter, file }) {
	const documents = client
		.db()
		.collection(collection)
		.find(filter, { projection: { _id: 0, [value]: 1 } });
	const out = createWriteStream(join(recordFolder, file), { flags: 'a' });
	await pipeline(async function* lines() {
		for await (const document of documents) yield `${document[value]}\n`;
	}, out);
}

await Promise.all(watched.map(watch));
for (const of of watched) {
	try {
		const status = await readStatus(of);
		const isCopy = status.primary === false;
		if (process.env.INTEGRITY && !isCopy) await dump(of, LOAD_OWN);
		if (process.env.TICKETS === '1' && !isCopy) await dump(of, SOLD);
		const exact = await countWritten(of, (collection) => collection.countDocuments());
		record(of, { event: 'stop', ...status, documents_exact: exact });
	} catch (error) {
		record(of, { event: 'stop', error: reported(error) });
	}
	await of.client.close();
}
