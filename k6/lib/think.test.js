import assert from 'node:assert/strict';
import { test } from 'node:test';
import { thinkTimeOf } from './think.js';

const MEAN_S = 6;
const USERS = 2000;
const REQUESTS = 10;
const think = thinkTimeOf(String(MEAN_S));
const times = Array.from({ length: USERS }, (_, user) => Array.from({ length: REQUESTS }, (_, iteration) => think(user + 1, iteration)));
const all = times.flat();

/** @param {number[]} values */
const meanOf = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;

test('a load that sets no think time has the published 10 ms, every time', () => {
	for (const given of [undefined, '']) assert.deepEqual([thinkTimeOf(given)(1, 0), thinkTimeOf(given)(77, 5)], [0.01, 0.01]);
});

test('a load may set that its users do not think at all', () => {
	assert.deepEqual([thinkTimeOf('0')(1, 0), thinkTimeOf('0')(77, 5)], [0, 0]);
});

test('a think time that is given is the mean, and no user thinks less than half of it or more than one and a half', () => {
	assert.ok(all.every((seconds) => seconds >= MEAN_S / 2 && seconds <= 1.5 * MEAN_S));
	assert.ok(Math.abs(meanOf(all) / MEAN_S - 1) < 0.01, `${meanOf(all)} s`);
});

test('the times fill their range evenly, over the users as over the requests of each', () => {
	for (const values of [times.map(([first]) => first), all]) {
		const tenths = new Array(10).fill(0);
		for (const seconds of values) tenths[Math.floor(10 * (seconds / MEAN_S - 0.5))] += 1;
		for (const count of tenths) assert.ok(Math.abs(count / values.length - 0.1) < 0.02, tenths.join(' '));
	}
});

test('neighbours and successive requests have nothing to do with each other', () => {
	const centred = (/** @type {number} */ seconds) => seconds / MEAN_S - 1;
	const along = (/** @type {[number, number][]} */ pairs) => meanOf(pairs.map(([one, other]) => 12 * centred(one) * centred(other)));
	const neighbours = times.slice(1).map(([first], user) => /** @type {[number, number]} */ ([first, times[user][0]]));
	const successive = times.map(([first, second]) => /** @type {[number, number]} */ ([first, second]));
	for (const pairs of [neighbours, successive]) assert.ok(Math.abs(along(pairs)) < 0.1, `correlation ${along(pairs)}`);
});

test('a user thinks the same in every run', () => {
	assert.equal(think(17, 3), thinkTimeOf('6')(17, 3));
	assert.notEqual(think(17, 3), think(17, 4));
	assert.notEqual(think(17, 3), think(18, 3));
});
