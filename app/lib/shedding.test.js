import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newShedding, startShedding } from './shedding.js';

/** @param {number} mostMs @param {number} random */
function sheddingOf(mostMs, random) {
	let time = 0;
	const shedding = newShedding(mostMs, { now: () => time, random: () => random });
	assert.ok(shedding);
	return {
		/** @param {number} lateMs */
		turn(lateMs) {
			time += 100 + lateMs;
			shedding.look();
		},
		isTooBusy: shedding.isTooBusy,
	};
}

test('without a limit nothing is refused', () => {
	assert.equal(newShedding(undefined), null);
	assert.equal(startShedding(undefined)(), false);
});

test('one late turn is no overload, several are, and it passes', () => {
	const { turn, isTooBusy } = sheddingOf(70, 0.2);
	turn(150);
	assert.equal(isTooBusy(), false);
	for (const late of [150, 150, 150, 150, 150]) turn(late);
	assert.equal(isTooBusy(), true);
	for (const late of [0, 0]) turn(late);
	assert.equal(isTooBusy(), false);
});

test('the later the loop is, the more requests are refused', () => {
	const after = (/** @type {number} */ late, /** @type {number} */ random) => {
		const { turn, isTooBusy } = sheddingOf(70, random);
		for (let turns = 0; turns < 30; turns += 1) turn(late);
		return isTooBusy();
	};
	assert.deepEqual([after(84, 0.1), after(84, 0.3), after(140, 0.9), after(60, 0)], [true, false, true, false]);
});
