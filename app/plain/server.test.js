/**
 * The baseline of the lab's own cost is to differ from the lab's node by the lab's instrumentation alone.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

const plain = readFileSync(new URL('server.js', import.meta.url), 'utf8');
const own = readFileSync(new URL('../documents/documents.js', import.meta.url), 'utf8');

test('the plain app has nothing of the lab', () => {
	assert.deepEqual(
		[...plain.matchAll(/^import .* from '([^']+)';$/gm)].map(([, from]) => from),
		['node:os', 'express', 'mongoose'],
	);
});

test('it reads and writes with the calls and the schema options of the lab’s node', () => {
	for (const call of ['findOne().lean()', 'versionKey: false', 'value: Math.random()']) {
		assert.ok(plain.includes(call) && own.includes(call), call);
	}
});
