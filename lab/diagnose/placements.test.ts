import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Seen } from '../wire/fixtures/seen.ts';
import { withHiddenEntries } from './hidden-entry.ts';
import type { Failed } from './joins/failed.ts';
import { linedOf } from './joins/joined.ts';

const failure: (id: string, t: number, about?: Partial<Failed>) => Failed = (id, t, about = {}) => ({
	id,
	t,
	waited_s: 0.1,
	status: 500,
	code: 1500,
	kind: 'status',
	...about,
});

/** Two requests behind an edge that speaks TLS. */
function stack({ hasIds = true, isRead = false }: { hasIds?: boolean; isRead?: boolean } = {}) {
	const { record } = new Seen({ load: ['load'], edge: ['edge'], web: ['web'] })
		.asks('load', 'edge', { protocol: isRead ? 'http' : 'tls', at: isRead ? [1010] : [] })
		.asks('load', 'edge', { protocol: 'tls' })
		.asks('edge', 'web', { at: [1011, 1012], template: '/a', lastS: 0.05 });
	for (const connection of record.connections.slice(0, 2)) connection.hidden_bytes = isRead ? 0 : 900;
	const behind = record.calls.slice(-2);
	if (hasIds) for (const [index, call] of behind.entries()) call.id = `1-${index}`;
	return record;
}
const about = { generator: 'load', entries: new Set(['edge']) };

test('requests at an entry that cannot be read are known by the ids that went on, and by the generator', () => {
	const record = stack();
	const failures = [
		failure('1-1', 1012.07),
		failure('1-2', 1014),
		failure('1-3', 1015, { status: 0, kind: 'timeout' }),
		failure('1-4', 1016, { status: 0, kind: 'refused' }),
	];
	const made = withHiddenEntries(linedOf(record), { ...about, failures }).calls.slice(record.calls.length);
	assert.deepEqual(
		made.map(({ id, status, bad, end, by, template }) => [id, status, bad, end, by, template]),
		[
			['1-0', 200, false, 'answered', 'server', '/a'],
			['1-1', 500, true, 'answered', 'server', '/a'],
			['1-2', 500, true, 'answered', 'server', ''],
			['1-3', null, false, 'given-up', 'client', ''],
		],
	);
	const [, failed] = made;
	assert.ok(failed.began_at < 1012 && Number(failed.ended_at) >= 1012.07, 'what was asked for it lies within it');
	assert.ok([1, 2].includes(failed.connection));
});

test('an entry that is read, and one that passes no ids on, are left as they were recorded', () => {
	for (const record of [stack({ isRead: true }), stack({ hasIds: false })])
		assert.equal(withHiddenEntries(linedOf(record), { ...about, failures: [failure('1-1', 1012.07)] }), record);
});

test('of several entries a failure that went no further is at none of them', () => {
	const record = stack();
	const reported = withHiddenEntries(linedOf(record), {
		...about,
		entries: new Set(['edge', 'web']),
		failures: [failure('1-1', 1012.07), failure('1-9', 1013)],
	});
	assert.deepEqual(
		reported.calls.slice(record.calls.length).map(({ id }) => id),
		['1-0', '1-1'],
	);
});
