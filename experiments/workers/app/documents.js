/**
 * The documents of one database: 1,024 bytes each, an id that the client chooses, and a payload that the node fills in by
 * itself, so that the load generator has nothing to send. Writes are answered when they are in the journal.
 */
import { randomBytes } from 'node:crypto';
import mongoose from 'mongoose';
import { JOURNALED } from '../../../app/lib/database.js';

/** Published: the whole document as MongoDB stores it, in bytes of BSON. */
export const DOCUMENT_BYTES = 1024;
/** MongoDB's own number for an id that is there already. */
const DUPLICATE_KEY = 11000;

/** @typedef {{ _id: string, payload: string }} Stored */

/**
 * @param {string} id
 * @returns {string} random text, which no compression makes smaller, of the length that fills the document
 * @throws {RangeError} when the id leaves no room
 */
export function payloadFor(id) {
	const length = DOCUMENT_BYTES - mongoose.mongo.BSON.calculateObjectSize({ _id: id, payload: '' });
	return randomBytes(length).toString('base64').slice(0, length);
}

/** @param {string} id @returns {Stored} */
export const newDocument = (id) => ({ _id: id, payload: payloadFor(id) });

/**
 * @param {import('mongodb').Db} database
 */
export function documentsOf(database) {
	const collection = /** @type {import('mongodb').Collection<Stored>} */ (database.collection('documents', { writeConcern: JOURNALED }));
	return {
		/** @param {string} id @returns {Promise<Stored | null>} null when it is not there */
		read: (id) => collection.findOne({ _id: id }),

		/** @param {string} id @returns {Promise<boolean>} false when it was there already */
		async create(id) {
			try {
				await collection.insertOne(newDocument(id));
				return true;
			} catch (error) {
				if (/** @type {{ code?: number }} */ (error).code === DUPLICATE_KEY) return false;
				throw error;
			}
		},

		/** @param {string} id @returns {Promise<boolean>} false when it is not there */
		async update(id) {
			return (await collection.updateOne({ _id: id }, { $set: { payload: payloadFor(id) } })).matchedCount === 1;
		},

		/** @param {string} id @returns {Promise<boolean>} false when it is not there */
		async delete(id) {
			return (await collection.deleteOne({ _id: id })).deletedCount === 1;
		},

		/** Creates those that are not there. @param {string[]} ids */
		async seed(ids) {
			const there = new Set(await collection.distinct('_id', { _id: { $in: ids } }));
			const missing = ids.filter((id) => !there.has(id));
			if (missing.length > 0) await collection.insertMany(missing.map(newDocument));
		},
	};
}

/** @typedef {ReturnType<typeof documentsOf>} Documents */
