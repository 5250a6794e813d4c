/**
 * What a request does on a replica set: writes a document that a majority of the members has to have, and reads the newest document of its
 * own node from a member that does not write. The documents are numbered, so that the node can tell how far behind that was.
 *
 * @typedef {import('../documents/documents.js').Write} Write
 */
import { performance } from 'node:perf_hooks';
import { isWarmup } from '../documents/documents.js';

/** So many digits that the order of the texts is that of the numbers. */
const DIGITS = 12;
/** The character after the one that stands between a node's name and its numbers. */
const AFTER = '.';
const BEFORE = '-';

/**
 * @param {import('../lib/config.js').Config} config
 * @param {import('mongodb').Collection<{ _id: string, value: number, request?: string }>} documents
 * @param {import('./staleness.js').Staleness} staleness
 * @param {string} life  tells this process from those of the same name before it
 * @returns {(write: Write) => Promise<void>}
 */
export function replicaWork(config, documents, staleness, life) {
	const own = `${config.name}${BEFORE}${life}`;
	const ofThisLife = { $gte: `${own}${BEFORE}`, $lt: `${own}${AFTER}` };
	let last = 0;
	return async ({ id, value }) => {
		last += 1;
		const number = last;
		const request = config.storeIds && id !== undefined && !isWarmup(id) ? { request: id } : {};
		await documents.insertOne({ _id: `${own}${BEFORE}${String(number).padStart(DIGITS, '0')}`, value, ...request });
		staleness.acknowledged(number, performance.now());
		const began = performance.now();
		const newest = await documents.findOne({ _id: ofThisLife }, { sort: { _id: -1 }, projection: { _id: 1 } });
		staleness.read(newest === null ? -1 : Number(newest._id.slice(own.length + 1)), began);
	};
}
