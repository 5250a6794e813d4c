import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BATCH_MOST, newBatcher } from './batcher.js';

/**
 * A seller whose batches end when the test says so.
 * @param {number} [most]
 */
function newBench(most) {
	/** @type {{ event: string, sales: string[], end: (outcomes: string[]) => void, fail: (error: Error) => void }[]} */
	const batches = [];
	const buy = newBatcher(
		(/** @type {string} */ event, /** @type {string[]} */ sales) =>
			new Promise((resolve, reject) => batches.push({ event, sales, end: resolve, fail: reject })),
		most,
	);
	/** Lets whoever waits for a promise go on. */
	const settle = () => new Promise((resolve) => setImmediate(resolve));
	return { batches, buy, settle };
}

test('the first sale does not wait, and what arrives while it is sold is the next batch', async () => {
	const { batches, buy, settle } = newBench();
	const sales = ['a', 'b', 'c'].map((sale) => buy('main', sale));
	assert.deepEqual(
		batches.map((batch) => batch.sales),
		[['a']],
	);
	batches[0].end(['A']);
	await settle();
	assert.deepEqual(batches[1].sales, ['b', 'c']);
	batches[1].end(['B', 'C']);
	assert.deepEqual(await Promise.all(sales), ['A', 'B', 'C']);
});

test('each event has a batch in flight of its own', () => {
	const { batches, buy } = newBench();
	buy('main', 'a');
	buy('warmup', 'b');
	buy('main', 'c');
	assert.deepEqual(
		batches.map(({ event, sales }) => [event, sales]),
		[
			['main', ['a']],
			['warmup', ['b']],
		],
	);
});

test('a batch holds no more than the most, and the rest is the batch after it', async () => {
	const { batches, buy, settle } = newBench(2);
	for (const sale of ['a', 'b', 'c', 'd']) buy('main', sale);
	batches[0].end(['A']);
	await settle();
	batches[1].end(['B', 'C']);
	await settle();
	assert.deepEqual(
		batches.map(({ sales }) => sales),
		[['a'], ['b', 'c'], ['d']],
	);
	assert.equal(BATCH_MOST, 8190);
});

test('a batch that fails rejects its own callers and no others, and the next one is sold', async () => {
	const { batches, buy, settle } = newBench();
	const sales = ['a', 'b', 'c'].map((sale) => buy('main', sale));
	batches[0].end(['A']);
	await settle();
	const late = buy('main', 'd');
	const outcomes = Promise.allSettled([...sales, late]);
	batches[1].fail(new Error('no'));
	await settle();
	batches[2].end(['D']);
	assert.deepEqual(
		(await outcomes).map(({ status }) => status),
		['fulfilled', 'rejected', 'rejected', 'fulfilled'],
	);
});

test('a seller that throws at once rejects its callers too', async () => {
	const buy = newBatcher(() => {
		throw new Error('no');
	});
	await assert.rejects(buy('main', 'a'), /no/);
});

test('after a pause the next sale does not wait either', async () => {
	const { batches, buy, settle } = newBench();
	buy('main', 'a');
	batches[0].end(['A']);
	await settle();
	buy('main', 'b');
	assert.deepEqual(batches[1].sales, ['b']);
});
