import assert from 'node:assert/strict';
import { test } from 'node:test';
import { begunIn, countsAt, Going, stretchesOf } from './spread.ts';

const TIMES = { began: Float64Array.from([0, 1, 2, 5, 6, 9]), over: Float64Array.from([1.5, 2, 3, 7, 6.5, 9.5]) };

test('stretches in which at least one went on join what touches, and have the calls that began in them', () => {
	const stretches = stretchesOf([3, 0, 1, 2, 4], TIMES);
	assert.deepEqual(stretches, [
		{ from: 0, to: 3 },
		{ from: 5, to: 7 },
	]);
	assert.deepEqual(begunIn([0, 1, 2, 3, 4, 5], stretches, TIMES), [0, 1, 2, 3, 4]);
	assert.deepEqual(begunIn([4, 5], [{ from: 0, to: 6 }], TIMES), []);
});

test('as many go on at moments as began before them and were not over', () => {
	const moments = [0, 1, 1.5, 2.5, 4, 6.2, 9];
	const calls = [0, 1, 2, 3, 4, 5];
	const going = new Going(calls, TIMES.began, TIMES.over);
	const seen = TIMES as any;
	assert.deepEqual(
		countsAt(seen, calls, TIMES.over, moments),
		moments.map((at) => going.at(at)),
	);
	assert.deepEqual(
		countsAt(seen, calls, TIMES.over, moments, (call) => call === 3),
		[0, 0, 0, 0, 0, 1, 0],
	);
});
