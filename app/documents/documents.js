/**
 * What a request does, as published: write one document, read one back, answer the time that it took and the server's
 * name; answer HTTP 500 when the database call throws, and HTTP 503 while a breaker keeps requests from it.
 */
import mongoose from 'mongoose';
import { withBreaker } from '../lib/breaker.js';
import { harmsDatabase, injectDatabaseFault } from '../lib/faults.js';
import { requestHandler } from '../lib/request-handler.js';

/** Ids of the warm-up begin so; its documents are nobody's to count. */
const WARMUP = 'w';

/** @param {string} id of a request */
export const isWarmup = (id) => id.startsWith(WARMUP);

export const documentSchema = new mongoose.Schema({ value: Number, request: String }, { versionKey: false });
/** One collection, no index beyond _id. */
export const Document = mongoose.model('Document', documentSchema);

/** MongoDB: there is a document with this value of a unique index. */
const DUPLICATE_KEY = 11000;

/**
 * @typedef {object} Write
 * @property {string | undefined} id  of the request
 * @property {number} value           of the document
 *
 * @typedef {typeof Document} Documents  a collection of them
 * @typedef {(document: { value: number, request?: string }, id: string | undefined) => Promise<unknown>} Create
 */

/** Written to the journal when it is answered: MongoDB flushes it every 100 ms otherwise, and what it holds until then is lost with its process. */
const JOURNALED = { writeConcern: { w: 1, j: true } };

/**
 * A create that can be repeated, and that stays when it is answered: the request's id is the document's.
 * @param {() => void} whenThere  called when there is such a document already
 * @returns {Create}
 */
export const createOnce = (whenThere) => async (document, id) => {
	try {
		await Document.collection.insertOne(/** @type {any} */ ({ _id: id, ...document }), JOURNALED);
	} catch (error) {
		if (/** @type {{ code?: unknown }} */ (error).code !== DUPLICATE_KEY) throw error;
		whenThere();
	}
};

/**
 * @param {import('../lib/config.js').Config} config
 * @param {object} [options]
 * @param {Documents} [options.documents]
 * @param {Create} [options.create]
 * @returns {(write: Write) => Promise<void>} writes one document and reads one
 */
export function documentWork(config, { documents = Document, create = (document) => documents.create(document) } = {}) {
	const read = readOf(documents, config.readCost);
	const isHarmed = harmsDatabase(config.faults);
	return async ({ id, value }) => {
		const request = config.storeIds ? id : undefined;
		const isNamed = request !== undefined && !isWarmup(request);
		await create(isNamed ? { value, request } : { value }, id);
		await read();
		if (isHarmed) await injectDatabaseFault(config.faults, documents);
	};
}

/**
 * @param {Documents} documents
 * @param {number} cost  numbers that the database adds up for it, so that a request is dear to the database alone; as published it is none
 */
function readOf(documents, cost) {
	if (cost === 0) return () => documents.findOne().lean();
	// With a field of the document in it the server cannot have the sum before it reads.
	const sum = { $reduce: { input: { $range: [0, cost] }, initialValue: '$value', in: { $add: ['$$value', '$$this'] } } };
	return () => documents.findOne({}, { sum }).lean();
}

/**
 * @param {import('../lib/config.js').Config} config
 * @param {import('../lib/telemetry.js').Counts} counts
 * @param {(write: Write) => Promise<void>} [work]
 * @returns {import('express').RequestHandler}
 */
export function documentHandler(config, counts, work = documentWork(config)) {
	const ofRequest = (/** @type {import('express').Request} */ req) => work({ id: req.get('x-request-id'), value: Math.random() });
	return requestHandler(config, counts, withBreaker(config, ofRequest));
}
