import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readConfig } from '../lib/config.js';
import { Staleness } from './staleness.js';
import { replicaWork } from './work.js';

/** A collection whose reads lag so many documents behind. @param {number} behind */
function laggingBy(behind) {
	/** @type {{ _id: string, request?: string }[]} */
	const stored = [];
	return {
		stored,
		insertOne: async (/** @type {{ _id: string }} */ document) => void stored.push(document),
		findOne: async () => stored.at(-1 - behind) ?? null,
	};
}

/** @param {number} behind @param {Record<string, string>} [env] */
async function doThree(behind, env = {}) {
	const documents = laggingBy(behind);
	const staleness = new Staleness();
	const work = replicaWork(readConfig({ NODE_NAME: 'app-1', ...env }), /** @type {any} */ (documents), staleness, 'x');
	for (const id of ['w1-1', '7-1', '7-2']) await work({ id, value: 0.5 });
	return { stored: documents.stored, counts: staleness.counts };
}

test('documents are numbered in their order', async () => {
	const { stored, counts } = await doThree(0);
	assert.deepEqual(
		stored.map(({ _id }) => _id),
		['app-1-x-000000000001', 'app-1-x-000000000002', 'app-1-x-000000000003'],
	);
	assert.deepEqual([counts.reads, counts.stale_reads], [3, 0]);
});

test('a member that lags behind gives stale reads', async () => {
	const { counts } = await doThree(1);
	assert.deepEqual([counts.reads, counts.stale_reads], [3, 3]);
});

test('ids of the load are stored where they are asked for, and none of the warm-up', async () => {
	const { stored } = await doThree(0, { INTEGRITY: '1' });
	assert.deepEqual(
		stored.map(({ request }) => request),
		[undefined, '7-1', '7-2'],
	);
});
