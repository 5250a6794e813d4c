import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isPackedJson, packJson, unpackJson } from './packed-json.ts';

const LISTS: Record<string, any[]> = {
	'whole numbers': [0, -1, 127, 128, 2 ** 53 - 1, -(2 ** 53 - 1), 7, 8],
	'decimals and gaps': [0.5, null, -0.0001, 1795782646.498, 0],
	'gaps alone': [null, null, null, null],
	'more decimals than are packed': [0.123456789, 1, 2, 3],
	'a zero below zero': [-0.5, -0, 1, 2],
	'too large with its decimals': [2 ** 52 + 0.5, 1.5, 2.5, 3.5],
};

test('numbers come back as they were, wherever they are packed', async () => {
	const packed = await packJson(LISTS);
	assert.ok(isPackedJson(packed));
	// JSON has no zero below zero.
	assert.deepEqual(await unpackJson(packed), JSON.parse(JSON.stringify(LISTS)));
});

test('bytes that are not whole, or unpack to more than they may, are refused', async () => {
	const packed = await packJson(LISTS);
	await assert.rejects(unpackJson(packed.subarray(0, packed.length - 3)));
	await assert.rejects(unpackJson(packed, 8));
});
