/**
 * What a request does, as published: write one document, read one back, answer the time that it took and the server's
 * name; answer HTTP 500 when the database call throws.
 */
import mongoose from 'mongoose';
import { troubleDatabase } from '../lib/faults.js';
import { requestHandler } from '../lib/request-handler.js';

/** Ids of the warm-up begin so; its documents are nobody's to count. */
const WARMUP = 'w';

const documentSchema = new mongoose.Schema({ value: Number, request: String }, { versionKey: false });
/** One collection, no index beyond _id. */
export const Document = mongoose.model('Document', documentSchema);

/**
 * @param {import('../lib/config.js').Config} config
 * @param {import('../lib/telemetry.js').Counts} counts
 * @returns {import('express').RequestHandler}
 */
export function documentHandler(config, counts) {
  return requestHandler(config, counts, async (req) => {
    const id = config.storeIds ? req.get('x-request-id') : undefined;
    await Document.create({ value: Math.random(), request: id?.startsWith(WARMUP) ? undefined : id });
    await Document.findOne().lean();
    await troubleDatabase(config.faults, Document);
  });
}
