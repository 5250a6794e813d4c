import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newFirsts, REPORTED_AT_ONCE } from './user-first.js';

/** @param {number} user */
function firstsOf(user) {
	const lines = /** @type {string[]} */ ([]);
	const firsts = newFirsts(user, (line) => lines.push(line));
	return { firsts, lines, reported: () => lines.map((line) => JSON.parse(line)) };
}

const failed = { status: 404, error_code: 1404, request: { method: 'GET', url: 'http://ada:secret@edge:8000/nope?token=1#top' } };

test('a user tells its first good answer and its first three failures, without what may be a secret', () => {
	const { firsts, reported } = firstsOf(1);
	for (const isGood of [false, true, true, false, false, false]) firsts.take(isGood, failed);
	const failure = { event: 'first-failed', method: 'GET', url: 'http://edge:8000/nope', status: 404, code: 1404 };
	assert.deepEqual(reported(), [failure, { event: 'first-good' }, failure, failure]);
});

test('what was thrown has no request, and is told all the same', () => {
	const { firsts, reported } = firstsOf(1);
	firsts.take(false, { status: 0, error_code: 1000 });
	assert.deepEqual(reported(), [{ event: 'first-failed', method: '', url: '', status: 0, code: 1000 }]);
});

test('of a few users a line is as long as what k6 holds back of its log, and of many it is not', () => {
	const [one, other] = [firstsOf(REPORTED_AT_ONCE), firstsOf(REPORTED_AT_ONCE + 1)];
	for (const { firsts } of [one, other]) firsts.take(true, failed);
	assert.ok(one.lines[0].length > 4096);
	assert.ok(other.lines[0].length < 100);
	const failing = firstsOf(REPORTED_AT_ONCE + 1);
	for (const isGood of [false, true]) failing.firsts.take(isGood, failed);
	assert.ok(failing.lines[1].length > 4096, 'a good answer after failures is told at once');
});
