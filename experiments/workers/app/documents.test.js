import assert from 'node:assert/strict';
import { test } from 'node:test';
import mongoose from 'mongoose';
import { DOCUMENT_BYTES, documentsOf, newDocument } from './documents.js';

/** @param {Record<string, (...given: any[]) => unknown>} collection @param {(options: any) => void} [see] */
const documentsIn = (collection, see = () => {}) =>
	documentsOf(
		/** @type {any} */ ({
			collection: (/** @type {string} */ _name, /** @type {any} */ options) => {
				see(options);
				return collection;
			},
		}),
	);

test('a document has 1,024 bytes of BSON, whatever its id', () => {
	for (const id of ['seed-1-0', '600-123456', 'ä']) {
		assert.equal(mongoose.mongo.BSON.calculateObjectSize(newDocument(id)), DOCUMENT_BYTES, id);
	}
});

test('an id that leaves no room for a payload is refused', () => {
	assert.throws(() => newDocument('x'.repeat(DOCUMENT_BYTES)), RangeError);
});

test('an update keeps the document’s size and gives it another payload', async () => {
	/** @type {any[]} */
	const updates = [];
	const documents = documentsIn({
		updateOne: async (_filter, update) => {
			updates.push(update);
			return { matchedCount: 1 };
		},
	});
	for (const _ of [1, 2]) assert.equal(await documents.update('x'), true);
	const [one, other] = updates.map(({ $set }) => $set.payload);
	assert.equal(one.length, newDocument('x').payload.length);
	assert.notEqual(one, other);
});

test('what was not there is said so', async () => {
	const documents = documentsIn({
		findOne: async () => null,
		updateOne: async () => ({ matchedCount: 0 }),
		deleteOne: async () => ({ deletedCount: 0 }),
	});
	assert.deepEqual([await documents.read('x'), await documents.update('x'), await documents.delete('x')], [null, false, false]);
});

test('a taken id is told from a failure of the database', async () => {
	const failing = (/** @type {object} */ error) =>
		documentsIn({
			insertOne: async () => {
				throw Object.assign(new Error('no'), error);
			},
		}).create('x');
	assert.equal(await failing({ code: 11000 }), false);
	await assert.rejects(failing({ code: 6 }), /no/);
});

test('only seeds that are not there are created', async () => {
	/** @type {string[]} */
	const created = [];
	const documents = documentsIn({
		distinct: async () => ['b'],
		insertMany: async (/** @type {{ _id: string }[]} */ many) => created.push(...many.map(({ _id }) => _id)),
	});
	await documents.seed(['a', 'b', 'c']);
	assert.deepEqual(created, ['a', 'c']);
});

test('writes are answered when they are in the journal', () => {
	/** @type {any} */
	let seen;
	documentsIn({}, (options) => {
		seen = options;
	});
	assert.deepEqual(seen.writeConcern, { w: 1, journal: true });
});
