import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answersOf } from './database-rows.ts';

const connections = { open: 1, free: 0 };

test('the rows of one database among several are its own', () => {
	const rows = [
		{ t: 1, name: 'mongo-1', connections },
		{ t: 1, name: 'mongo-2', error: 'no answer' },
		{ t: 2, name: 'mongo-2', connections },
	];
	assert.deepEqual(answersOf(rows, 'mongo-2'), [rows[2]]);
});

test('the only one has all of them', () => assert.equal(answersOf([{ t: 1, connections }], 'mongo').length, 1));
