import assert from 'node:assert/strict';
import { test } from 'node:test';
import { variants } from './variants.js';
import { countsOf, workOf } from './work.js';
import { hash, sleepAsync, sleepSync } from './worker.js';

test('every kind of work answers what the source’s server answers', async () => {
	for (const work of [sleepAsync, sleepSync, hash]) assert.deepEqual(await work(1), { hello: 'world' });
});

test('a pool calls the work by its name in a thread of its own, and counts its tasks', async () => {
	const { run, own, close } = workOf({ ...variants['hash-pooled'], pool: { maxThreads: 1 } });
	try {
		assert.deepEqual(await run(), { hello: 'world' });
		assert.equal(own?.pool_tasks, 1);
	} finally {
		await close();
	}
});

test('work in the main thread has no pool to count', async () => {
	const { own, close } = workOf(variants['hash-unpooled']);
	assert.equal(own, undefined);
	await close();
});

test('what the tasks waited is their mean times their number, and is read anew each time', () => {
	const threads = { completed: 0, histogram: { waitTime: { mean: 0 } } };
	const own = countsOf(/** @type {any} */ (threads));
	assert.deepEqual({ ...own }, { pool_tasks: 0, pool_waited_ms: 0 });
	threads.completed = 20;
	threads.histogram.waitTime.mean = 70;
	assert.equal(JSON.stringify(own), '{"pool_tasks":20,"pool_waited_ms":1400}');
});
