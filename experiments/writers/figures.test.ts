import assert from 'node:assert/strict';
import { test } from 'node:test';
import { figuresOf } from './figures.ts';

const WRITER = { file: 'store-1.tch', threads: 2, inserts: 4000, seconds: 0.5, stored: 4000 as number | null, exit_code: 0 };
const figuresFrom = (writers: (typeof WRITER)[]) =>
	figuresOf({ raw: { program: { program: 'tchmttest', began_s: 100, ended_s: 101, writers } } });

test('each file has a row, with a value for every column', () => {
	const [{ rows, columns }] = figuresFrom([WRITER, { ...WRITER, file: 'store-2.tch', seconds: 1 }]).breakdowns;
	assert.deepEqual(rows, [
		{ name: 'store-1.tch', values: [2, 4000, 4000, 500, 8000] },
		{ name: 'store-2.tch', values: [2, 4000, 4000, 1000, 4000] },
	]);
	assert.equal(columns.length, rows[0].values.length);
});

test('a writer that says no time, or 0, has no rate', () => {
	const rateOf = (seconds: any) => figuresFrom([{ ...WRITER, seconds }]).breakdowns[0].rows[0].values.slice(3);
	assert.deepEqual(rateOf(null), [null, null]);
	assert.deepEqual(rateOf(0), [0, null]);
});

test('every insert is in its file, or the check does not hold', () => {
	const checkOf = (stored: number | null) => figuresFrom([WRITER, { ...WRITER, stored }]).checks[0];
	const check = { statement: 'every insert is in its file', right: 8000, exact: true };
	assert.deepEqual(checkOf(4000), { ...check, left: 8000, holds: true });
	assert.equal(checkOf(3999).holds, false);
	assert.deepEqual(checkOf(null), { ...check, left: 4000, holds: false });
});

test('a run whose program left no record has no table and no check', () => {
	assert.deepEqual(figuresOf({ raw: { program: null } }), { figures: {}, breakdowns: [], checks: [] });
});
