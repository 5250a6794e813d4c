import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isAnswer, isUsual, statusesOf } from './user-statuses.js';

test('a script that says nothing takes 200 to 399, as k6 does', () => {
	assert.deepEqual([0, 100, 199, 200, 302, 399, 400, 500].map(isUsual), [false, false, false, true, true, true, false, false]);
});

test('statuses and ranges are taken as the script gives them, both ends included', () => {
	const isGood = statusesOf([404, { min: 200, max: 204 }, { min: 300, max: 399 }]);
	assert.deepEqual([200, 204, 205, 299, 300, 399, 403, 404].map(isGood), [true, true, false, false, true, true, false, true]);
});

test('no answer is never good', () => {
	assert.deepEqual(
		[isUsual, isAnswer, statusesOf([0]), statusesOf([{ min: 0, max: 599 }])].map((isGood) => isGood(0)),
		[false, false, false, false],
	);
	assert.ok(isAnswer(500));
});
