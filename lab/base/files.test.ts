import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fromColumns, toColumns } from './columns.ts';
import { NotReadyError } from './errors.ts';
import { recordAt } from './files.ts';

const roundTrip = (value: any) => fromColumns(JSON.parse(JSON.stringify(toColumns(value))));

test('what is stored by columns reads back as it was, fields in their order', () => {
	const rows = [1, 2, 3].map((t_s) => ({ t_s, rps: t_s === 2 ? null : t_s * 10, of: { app: 0.5, 'a\nb': [t_s] }, list: [{ x: 1 }] }));
	for (const value of [rows, { rows, text: 'ä' }, [rows, rows, rows], [], {}, null, 0, 'text', [[1], [2], [3]], [{}, {}, {}]]) {
		assert.deepEqual(roundTrip(value), value);
		assert.equal(JSON.stringify(roundTrip(value)), JSON.stringify(value));
	}
});

test('each name of a table is there once', () => {
	const rows = [1, 2, 3, 4].map((t_s) => ({ t_s, of: { app: t_s } }));
	const text = JSON.stringify(toColumns({ rows }));
	for (const name of ['t_s', 'of', 'app']) assert.equal(text.split(`"${name}"`).length, 2, name);
});

test('records of other fields, or in another order, stay as they are', () => {
	for (const rows of [
		[{ a: 1 }, { a: 2 }, { b: 3 }],
		[
			{ a: 1, b: 2 },
			{ b: 2, a: 1 },
			{ a: 1, b: 2 },
		],
		[{ a: 1 }, null, { a: 3 }],
		[{ a: 1 }, { a: 2 }],
	])
		assert.deepEqual(toColumns(rows), rows);
});

test('a record whose path would make a line of its own is refused, and its path shown with codes', () => {
	assert.throws(
		() => recordAt('report', `${process.cwd()}/a\nnext: run this`),
		(error: Error) => error instanceof NotReadyError && error.message.includes('a\\nnext: run this'),
	);
});
