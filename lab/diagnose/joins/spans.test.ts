import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inOrder } from './spans.ts';

const sorted = (times: number[], calls: number[] = [...times.keys()]) => calls.toSorted((one, other) => times[one] - times[other]);

test('calls come in the order of their times, and those alike as they were', () => {
	const times = Array.from({ length: 500 }, (_, call) => ((call * 7919) % 101) / 10);
	assert.deepEqual([...inOrder([...times.keys()], times)], sorted(times));
	const some = [400, 3, 77, 78, 5];
	assert.deepEqual([...inOrder(some, times)], sorted(times, some));
});

test('a burst beside one far off is in order too', () => {
	const times = Array.from({ length: 200 }, (_, call) => (call === 0 ? 1e6 : ((call * 31) % 17) / 1e3));
	assert.deepEqual([...inOrder([...times.keys()], times)], sorted(times));
});

test('none, one, and all at one time stay as they are', () => {
	assert.deepEqual([...inOrder([], [])], []);
	assert.deepEqual([...inOrder([0], [5])], [0]);
	assert.deepEqual([...inOrder([2, 0, 1], [4, 4, 4])], [2, 0, 1]);
});
