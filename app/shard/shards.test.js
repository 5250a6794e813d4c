import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addPools, shardedWork, shardOf } from './shards.js';

test('ids like those of the load are spread evenly, and an id is always in the same place', () => {
	const ids = Array.from({ length: 10_000 }, (_, index) => `${index % 2000}-${index}`);
	const first = ids.filter((id) => shardOf(id, 2) === 0).length;
	assert.ok(Math.abs(first - 5000) < 200, String(first));
	assert.equal(shardOf('7-1', 2), shardOf('7-1', 2));
});

test('a write goes to the shard of its id, and one without an id to any', async () => {
	/** @type {number[]} */
	const asked = [];
	const work = shardedWork([0, 1].map((shard) => async () => void asked.push(shard)));
	await work({ id: '7-1', value: 0 });
	await work({ id: '7-1', value: 0 });
	assert.deepEqual(asked, [shardOf('7-1', 2), shardOf('7-1', 2)]);
	await work({ id: undefined, value: 0 });
	assert.equal(asked.length, 3);
});

test('pools are reported as one', () => {
	const one = { checkouts: 3, failed: { MongoNetworkError: 1 }, waiting: 0 };
	const other = { checkouts: 4, failed: { MongoNetworkError: 2, MongoServerError: 1 }, waiting: 5 };
	assert.deepEqual(addPools([one, /** @type {any} */ (other)]), {
		checkouts: 7,
		failed: { MongoNetworkError: 3, MongoServerError: 1 },
		waiting: 5,
	});
});
