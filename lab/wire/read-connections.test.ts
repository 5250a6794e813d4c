import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Blocks, CallColumns } from './read-connections.ts';
import { Row } from './row.ts';
import { readCall } from './rows.ts';

/** More than two blocks of columns. */
const MANY = 40_000;

class CallReader {
	#row = new Row();
	#book = { texts: this.#row.texts.all, templates: [] as string[] };
	#blocks = new Blocks(() => new CallColumns(this.#book));

	read(row: any[]) {
		this.#row.begin(Buffer.from(`${JSON.stringify(row)}\n`), 0);
		return readCall(this.#row, this.#blocks.open(), 1000);
	}

	name(templates: string[]) {
		this.#book.templates = templates;
	}
}

test('a call reads as it was written, whichever block of columns it is in', () => {
	const reader = new CallReader();
	const rows = Array.from({ length: MANY }, (_, index) => ['call', index, index, null, index + 1, index + 2, 'GET', index % 2, 200]);
	const calls = rows.map((row) => reader.read([...row, null, false, 'answered', 'server', 10, 20, `id-${row[1]}`]));
	reader.name(['/', '/slow']);
	for (const at of calls.keys())
		assert.deepEqual(JSON.parse(JSON.stringify(calls[at])), {
			...{ connection: at, began_at: 1000 + at / 1e6, first_at: 1000 + (at + 1) / 1e6, ended_at: 1000 + (at + 2) / 1e6 },
			...{ verb: 'GET', template: ['/', '/slow'][at % 2], status: 200, code: null, bad: false, end: 'answered', by: 'server' },
			...{ sent_bytes: 10, answered_bytes: 20, id: `id-${at}` },
		});
});

test('what a call has not is null or missing, as of one that is still open', () => {
	const reader = new CallReader();
	const open = reader.read(['call', 7, 5, null, null, null, 'A', 3, null, null, false, 'open', null, 1, 0]);
	const [{ id, trace, role, state, hole, late_at, raced, addresses }, { first_at, ended_at, status, code, by }] = [open, open];
	assert.deepEqual(
		[id, trace, role, state, hole, late_at, raced, addresses].filter((value) => value !== undefined),
		[],
	);
	assert.deepEqual([first_at, ended_at, status, code, by, open.template], [null, null, null, null, null, '']);
});

test('what few calls have is theirs alone', () => {
	const reader = new CallReader();
	const rest = ['id', 'trace', 'connect', 'idle', true, 9e6, true, ['10.0.0.3']];
	const calls = [
		['NXDOMAIN', true, 'answered', 'server', 1, 2, ...rest],
		[null, false, 'answered', 'server', 1, 2],
	].map((reported) => reader.read(['call', 7, 5, 5, 6, 7, 'A', 0, null, ...reported]));
	const [{ code, bad, id, trace, role, state, hole, late_at: late, raced, addresses }, other] = calls;
	assert.deepEqual([code, bad, id, trace, role, state, hole, late, raced, addresses], ['NXDOMAIN', true, ...rest.with(5, 1009)]);
	assert.deepEqual([other.code, other.bad, other.raced, other.addresses], [null, false, undefined, undefined]);
});
