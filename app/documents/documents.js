/**
 * What a request does, as published: write one document, read one back, answer the time that it took and the server's
 * name; answer HTTP 500 when the database call throws, and HTTP 503 while a breaker keeps requests from it.
 */
import mongoose from 'mongoose';
import { withBreaker } from '../lib/breaker.js';
import { harmsDatabase, troubleDatabase } from '../lib/faults.js';
import { requestHandler } from '../lib/request-handler.js';

/** Ids of the warm-up begin so; its documents are nobody's to count. */
const WARMUP = 'w';

const documentSchema = new mongoose.Schema({ value: Number, request: String }, { versionKey: false });
/** One collection, no index beyond _id. */
export const Document = mongoose.model('Document', documentSchema);

/**
 * @typedef {object} Write
 * @property {string | undefined} id  of the request
 * @property {number} value           of the document
 *
 * @param {import('../lib/config.js').Config} config
 * @returns {(write: Write) => Promise<void>} writes one document and reads one
 */
export function documentWork(config) {
  const isHarmed = harmsDatabase(config.faults);
  return async ({ id, value }) => {
    const request = config.storeIds ? id : undefined;
    const isNamed = request !== undefined && !request.startsWith(WARMUP);
    await Document.create(isNamed ? { value, request } : { value });
    await Document.findOne().lean();
    if (isHarmed) await troubleDatabase(config.faults, Document);
  };
}

/**
 * @param {import('../lib/config.js').Config} config
 * @param {import('../lib/telemetry.js').Counts} counts
 * @returns {import('express').RequestHandler}
 */
export function documentHandler(config, counts) {
  const work = documentWork(config);
  const ofRequest = (/** @type {import('express').Request} */ req) => work({ id: req.get('x-request-id'), value: Math.random() });
  return requestHandler(config, counts, withBreaker(config, ofRequest));
}
