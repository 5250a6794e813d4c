import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readSettings } from './settings.js';

test('an empty environment batches, and has more tickets than any load buys', () => {
	assert.deepEqual(readSettings({ BATCHING: '', STOCK: '' }), { batching: true, stock: 10_000_000 });
});

test('both are read', () => {
	assert.deepEqual(readSettings({ BATCHING: '0', STOCK: '500' }), { batching: false, stock: 500 });
});

test('a value that may not be stops the node and is named', () => {
	assert.throws(() => readSettings({ BATCHING: 'yes' }), /^Error: BATCHING: expected 0 or 1, found "yes"$/);
	assert.throws(() => readSettings({ STOCK: '0' }), /^Error: STOCK: expected a number from 1 to 100000000, found "0"$/);
	assert.throws(() => readSettings({ STOCK: '1.5' }), /^Error: STOCK: expected a whole number, found "1.5"$/);
});
