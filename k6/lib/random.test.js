import assert from 'node:assert/strict';
import { test } from 'node:test';
import { randomOf } from './random.js';

test('the same seed gives the same numbers, and another one others', () => {
	const first = (/** @type {number} */ seed) => Array.from({ length: 5 }, randomOf(seed));
	assert.deepEqual(first(7), first(7));
	assert.notDeepEqual(first(7), first(8));
});

test('the numbers fill the range from 0 to 1 evenly', () => {
	const random = randomOf(3);
	const tenths = new Array(10).fill(0);
	for (let draw = 0; draw < 20_000; draw += 1) tenths[Math.floor(10 * random())] += 1;
	// Four standard errors of a share of 20,000 draws are 0.0085.
	for (const count of tenths) assert.ok(Math.abs(count / 20_000 - 0.1) < 0.0085, tenths.join(' '));
});
