import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';

const BEGAN = 1_800_000_000_000;
const time = { now: BEGAN };
Date.now = () => time.now;
const said = console.error;
/** @type {any[]} */
let lines = [];
// It takes k6's clock when it is read.
const { beginLog, connectingOf, logRequest, logFailed, buffer, thinks, flushAtOnce } = await import('./request-log.js');

beforeEach(() => {
	console.error = (text) => lines.push(JSON.parse(text));
	time.now = BEGAN;
	beginLog('requests', { comesBackUntil: BEGAN + 60_000, isOpen: false });
	lines = [];
});
afterEach(() => {
	flushAtOnce(false);
	// What a test leaves is not the next one's.
	buffer.filled = 3;
	console.error = said;
});

/** A request that takes 20.04 ms, 0.36 of them for a connection. @param {number} at milliseconds of the load @param {boolean} [isGood] */
function request(at, isGood = true) {
	time.now = BEGAN + at;
	logRequest(time.now, 20.04, connectingOf(0.36, isGood));
}

test('a line has the requests that a user gathered, in tenths of a millisecond, and what failed is told from what was good', () => {
	request(5);
	logFailed(['1-2', BEGAN + 55, 20, 502, 1502, 'status']);
	request(35, false);
	assert.equal(lines.length, 0);
	request(1001);
	assert.deepEqual(lines, [
		{
			requests: [BEGAN, 0, 0, 50, 200, 4, 0, 350, 200, -5, 0, 10_010, 200, 4, 0],
			failed: [['1-2', BEGAN + 55, 20, 502, 1502, 'status']],
		},
	]);
});

test('the next line says from when on the user had time, by the end of the line before', () => {
	request(1001);
	time.now = BEGAN + 1030;
	request(1040);
	request(2100);
	assert.equal(lines.length, 2);
	// Written at 5,001 by the clock of this test: the request ended 20 ms after that.
	assert.deepEqual(lines[1].requests.slice(0, 7), [BEGAN + 1001, 200, 0, 390, 200, 4, 0]);
});

test('64 requests are enough for a line', () => {
	for (let at = 0; at < 64; at += 1) request(at * 10);
	assert.equal(lines.length, 1);
	assert.equal(lines[0].requests.length, 3 + 4 * 64);
	request(1200);
	assert.equal(lines.length, 1);
});

test('a line that is shorter than the one before has nothing of it', () => {
	for (let at = 0; at < 64; at += 1) request(at * 10);
	request(1000);
	request(2500);
	assert.equal(lines[1].requests.length, 3 + 4 * 2);
});

test('what ends when the user may not come back is written at once', () => {
	request(57_900);
	assert.equal(lines.length, 1);
	request(57_990);
	request(60_500);
	assert.deepEqual(
		lines.map(({ requests }) => requests.length),
		[7, 7, 7],
	);
});

test('where nobody knows whether the user comes back each request is written at once', () => {
	beginLog('requests', { comesBackUntil: 0, isOpen: false });
	request(10);
	request(40);
	assert.deepEqual(
		lines.map(({ requests }) => requests.slice(0, 4)),
		[
			[BEGAN, 0, 0, 100],
			[BEGAN + 10, 200, 0, 300],
		],
	);
});

test('of a user that waits for arrivals the time between them is nobody’s', () => {
	beginLog('requests', { comesBackUntil: 0, isOpen: true });
	request(10);
	request(400);
	assert.deepEqual(
		lines.map(({ requests }) => requests.slice(0, 4)),
		[
			[BEGAN + 10, 0, 0, 0],
			[BEGAN + 400, 0, 0, 0],
		],
	);
});

test('what is left of the warm-up is written when the user has its first request of the load', () => {
	beginLog('warm', { comesBackUntil: BEGAN + 10_000, isOpen: false });
	request(10);
	beginLog('requests', { comesBackUntil: BEGAN + 60_000, isOpen: false });
	assert.deepEqual(Object.keys(lines[0]), ['warm']);
	request(20_000);
	assert.deepEqual(Object.keys(lines[1]), ['requests']);
});

test('a user that thinks beyond the moment until when it comes back writes before', () => {
	request(10);
	thinks(0.5);
	assert.equal(lines.length, 0);
	request(600);
	thinks(58);
	assert.deepEqual(lines[0].requests, [BEGAN, 0, 0, 100, 200, 4, 5000, 6000, 200, 4, 580_000]);
});

test('what a user thinks after a line is in the next one', () => {
	request(1001);
	thinks(0.25);
	request(1300);
	request(2500);
	assert.deepEqual(lines[1].requests.slice(0, 4), [BEGAN + 1001, 200, 2500, 2990]);
});

test('of a load that something may end before its time each request is written at once, as its users are taken away without a word', () => {
	flushAtOnce(true);
	beginLog('requests', { comesBackUntil: BEGAN + 60_000, isOpen: false });
	request(10);
	request(40);
	assert.equal(lines.length, 2);
});
