/** Questions that were given up without a word, on a connection that carries several at a time. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Made } from './fixtures/made.ts';
import { joinedOf } from './joined.ts';

const SHARED = { on: 'one', status: null };
const OPEN = { ...SHARED, end: 'open' as const, by: null, first_at: null };

test('a question that is never answered, though later ones are, was waited for as long as its request went on, and is its', () => {
	const made = new Made();
	const requests = [1, 3, 5, 5.5, 7].map((at) => made.call('k6 api', at, at + 1.5, { status: 504, bad: true }));
	const asked = [1, 3, 5, 5.5, 7].map((at) => made.call('api broker', at + 0.01, null, OPEN));
	const quick = made.call('k6 api', 8.6, 8.7);
	const answered = made.call('api broker', 8.61, 8.69, SHARED);
	// As those of a record: what they have is read as it is asked for.
	made.record.calls = made.record.calls.map((call) => Object.create(call));
	const { calls, joins } = joinedOf(made.record);
	assert.deepEqual(
		asked.map((call) => [calls[call].verb, calls[call].end, calls[call].by, calls[call].ended_at, joins.parent[call]]),
		[2.5, 4.5, 6.5, 7, 8.5].map((at, index) => ['GET', 'given-up', 'client', at, requests[index]]),
	);
	assert.equal(joins.parent[answered], quick);
});

test('by the time that is usual, where a quick request had begun after the one that waits', () => {
	const made = new Made();
	for (const at of [1, 3, 5]) made.call('k6 api', at, at + 1.5, { status: 504, bad: true });
	for (const at of [1, 3, 5]) made.call('api broker', at + 0.01, null, OPEN);
	made.call('k6 api', 7, 8.5, { status: 504, bad: true });
	made.call('k6 api', 7.005, 7.02);
	const late = made.call('api broker', 7.01, null, OPEN);
	made.call('api broker', 9, 9.01, SHARED);
	assert.equal(joinedOf(made.record).calls[late].ended_at, 8.5);
});

test('what nobody was answered after, what was answered in part, whose end was not recorded, and what its asker said to have given up stay as they are', () => {
	const made = new Made();
	made.call('k6 api', 1, 2.5, { status: 504, bad: true });
	const part = made.call('api broker', 1.01, null, { ...OPEN, first_at: 1.02 });
	const ended = made.call('api broker', 1.02, 1.2, { ...OPEN, end: 'given-up', by: 'client' });
	made.call('api broker', 2.6, 2.61, SHARED);
	const unseen = made.call('api broker', 1.03, null, { ...OPEN, hole: true });
	const last = made.call('api broker', 2.7, null, OPEN);
	const { calls } = joinedOf(made.record);
	assert.deepEqual(
		[part, ended, unseen, last].map((call) => [calls[call].end, calls[call].ended_at]),
		[
			['open', null],
			['given-up', 1.2],
			['open', null],
			['open', null],
		],
	);
});
