import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Seen } from '../wire/fixtures/seen.ts';
import type { WireRecord } from '../wire/record.ts';
import { linedOf, passedIn } from './joins/joined.ts';
import { besideRecords } from './wire-compare.ts';

const WINDOW = { warmupFrom: 1000, from: 1005, to: 1100 };

function compared(record: WireRecord, entries: string[], finished: number, sent: number | null = null, received: number | null = null) {
	const facts = {
		generator: { name: 'k6', finished, failed: 0, durationMs: null },
		...{ databases: [], raw: { program: null, summary: null }, traces: [], window: WINDOW, hops: [], entries: new Set(entries) },
	};
	const edges = entries.map((to) => ({
		from: 'k6',
		to,
		sent,
		sent_source: 'k6 metrics',
		received,
		received_source: '',
		unseen: null,
	}));
	const given = { facts: { ...facts, passed: passedIn(linedOf(record), WINDOW.from, []) }, all: [], ledger: { edges } };
	const reported = besideRecords({ doubts: [] } as any, given as any);
	return reported?.compared?.map(({ to, wire, other, holds }) => [to, wire, other, holds]);
}

test('what a generator sent to several entries is compared with all of them together', () => {
	const { record } = new Seen({ k6: ['k6'], vote: ['vote'], result: ['result'] })
		.asks('k6', 'vote', { at: [1010, 1011] })
		.asks('k6', 'result', { at: [1012] });
	assert.deepEqual(compared(record, ['vote', 'result'], 3), [['vote, result', 3, 3, true]]);
	assert.deepEqual(compared(record, ['vote', 'result'], 9), [['vote, result', 3, 9, false]]);
});

test('what is hidden from the wire is not compared with what others count', () => {
	const { record } = new Seen({ k6: ['k6'], edge: ['edge'] }).asks('k6', 'edge', { protocol: 'tls' });
	record.connections[0].hidden_bytes = 900;
	assert.deepEqual(compared(record, ['edge'], 3, 3), []);
});

test('what others of the stack ask of an entry is counted there too', () => {
	const { record } = new Seen({ k6: ['k6'], web: ['web'], phone: ['phone'] })
		.asks('k6', 'web', { at: [1010, 1011] })
		.asks('phone', 'web', { at: [1012] });
	assert.deepEqual(compared(record, ['web'], 2, 2, 3), [
		['web', 2, 2, true],
		['web', 2, 3, true],
	]);
	assert.deepEqual(compared(record, ['web'], 2, 2, 4)?.[1], ['web', 2, 4, false]);
});
