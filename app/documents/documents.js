/**
 * What a request does, as published: write one document, read one back, answer the time that it took and the server's
 * name; answer HTTP 500 when the database call throws.
 */
import mongoose from 'mongoose';
import { harmsDatabase, troubleDatabase } from '../lib/faults.js';
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
  const isHarmed = harmsDatabase(config.faults);
  return requestHandler(config, counts, async (req) => {
    const request = config.storeIds ? req.get('x-request-id') : undefined;
    const isNamed = request !== undefined && !request.startsWith(WARMUP);
    await Document.create(isNamed ? { value: Math.random(), request } : { value: Math.random() });
    await Document.findOne().lean();
    if (isHarmed) await troubleDatabase(config.faults, Document);
  });
}
