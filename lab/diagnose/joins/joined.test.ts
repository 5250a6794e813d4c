import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Made } from './fixtures/made.ts';
import { Children } from './join-calls.ts';
import { joinedOf } from './joined.ts';
import { Asked, Numbering } from './spans.ts';

test('each pair has a number of its own, from nought on', () => {
	const numbers = new Numbering();
	assert.deepEqual(
		[numbers.of('a', 'b'), numbers.of('a', 'c'), numbers.of('b', 'a'), numbers.of('a', 'b'), numbers.of('a b', '')],
		[0, 1, 2, 0, 3],
	);
});

test('a call has those that were made for it as they began, and may have none', () => {
	const children = new Children(Int32Array.from([-1, 0, 3, -1, 0]), Int32Array.from([3, 0, 4, 2, 1]));
	assert.deepEqual([children.of(0), children.of(1), children.of(3)], [[4, 1], [], [2]]);
	const some = new Children(Int32Array.from([-1, 0, 3, -1, 0]), Int32Array.from([3, 0, 2, 1]));
	assert.deepEqual([some.of(0), some.of(3)], [[1], [2]]);
});

test('each question to each has a number of its own, and keeps it', () => {
	const asked = new Asked();
	const [one, other] = [asked.on('db'), asked.on('cache')];
	assert.deepEqual([one.numberOf(7), one.numberOf(0), other.numberOf(7), asked.on('db').numberOf(7)], [0, 1, 2, 0]);
});

test('calls are in the order of their beginnings, and connections have the names of their time', () => {
	const made = new Made();
	made.call('k6 10.0.0.2', 5, 6);
	made.call('k6 10.0.0.2', 1, 2);
	made.call('k6 10.0.0.2', 1, 3);
	const tenure = { address: '10.0.0.2', service: 'web', container: 'a' };
	made.record.services = [
		{ ...tenure, name: 'web-1', from: 0, to: 3 },
		{ ...tenure, name: 'web-2', from: 3.5, to: null },
	];
	const { order, lines } = joinedOf(made.record);
	assert.deepEqual([...order], [1, 2, 0]);
	assert.deepEqual(
		[...lines.values()].map(({ to }) => to),
		['web-2', 'web-1', 'web-1'],
	);
});

test('a connection that was turned away is a call beyond the record, of the request that it was opened for, and serves nobody', () => {
	const made = new Made();
	const failed = made.call('k6 web', 1, 1.01, { status: 500, bad: true });
	made.turnedAway('web db', 1.001, { outcome: 'refused', by: 'server', ended_at: 1.002 });
	const own = made.call('db disk', 1.0012, 1.0018);
	const { calls, joins } = joinedOf(made.record);
	assert.equal(calls.length, 3);
	assert.deepEqual([joins.parent[2], joins.parent[own]], [failed, -1]);
});

test('a connection that is still asked for when the record ends belongs to the request that is open then', () => {
	const made = new Made();
	const open = made.call('k6 web', 1, null, { end: 'open', by: null, status: null });
	made.turnedAway('web db', 1.001, { outcome: 'open', syns: 1 });
	made.call('k6 lb', 1.5, 2);
	const { calls, joins } = joinedOf(made.record);
	assert.deepEqual([calls[2].end, joins.parent[2]], ['open', open]);
});
