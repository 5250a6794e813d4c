import assert from 'node:assert/strict';
import { test } from 'node:test';
import { architectures } from '../../../lab/catalog/architectures.ts';
import { readVariant, variants } from './variants.js';

test('the variants are those that the lab offers, and its standard is the node’s', () => {
	const { choices, standard } = architectures.pools.variables?.VARIANT ?? {};
	assert.deepEqual(Object.keys(variants), choices);
	assert.equal(readVariant({}), variants[String(standard)]);
	assert.equal(readVariant({ VARIANT: '' }), variants[String(standard)]);
});

test('a variant’s name says what it is', () => {
	for (const [name, { work, pool }] of Object.entries(variants)) {
		const [kind, where, tuned, started] = name.split('-');
		assert.equal(work, { async: 'sleepAsync', sync: 'sleepSync', hash: 'hash' }[kind], name);
		assert.equal(pool !== null, where === 'pooled', name);
		assert.equal(pool?.concurrentTasksPerWorker !== undefined, tuned === 'tuned', name);
		assert.equal(pool?.minThreads === pool?.maxThreads, pool === null || started === 'started', name);
	}
});

test('every pool has the threads that the published figures come from, and the tuned ones the published options', () => {
	for (const { pool } of Object.values(variants)) assert.equal(pool?.maxThreads ?? 6, 6);
	assert.deepEqual(readVariant({ VARIANT: 'sync-pooled-tuned' }).pool, { maxThreads: 6, concurrentTasksPerWorker: 10, idleTimeout: 1000 });
});

test('a variant that is not in the table stops the node, and the error names those that are', () => {
	for (const name of ['pooled', 'toString']) {
		assert.throws(() => readVariant({ VARIANT: name }), {
			message: new RegExp(`^VARIANT: expected one of async-unpooled, .*, hash-pooled; found "${name}"$`),
		});
	}
});
