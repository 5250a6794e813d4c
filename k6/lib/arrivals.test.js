import assert from 'node:assert/strict';
import { test } from 'node:test';
import { arrivalsBy, intendedOffset } from './arrivals.js';
import { shapes } from './shapes.js';

test('under a rate that is held arrivals are evenly spaced', () => {
	const shape = shapes.calm({});
	// 60 a second from second 1 on, after 30 in the second that it rises.
	assert.ok(Math.abs(intendedOffset(shape, 29) - 1) < 1e-9);
	assert.ok(Math.abs(intendedOffset(shape, 89) - 2) < 1e-9);
});

test('while the rate rises arrivals come closer together', () => {
	const shape = shapes.open({ RATE: '40' });
	// 40 a second after 40 s: the sum after t seconds is t²/2.
	assert.ok(Math.abs(intendedOffset(shape, 49) - 10) < 1e-9);
	assert.ok(Math.abs(intendedOffset(shape, 199) - 20) < 1e-9);
});

test('what is beyond the load belongs to its end', () => {
	assert.equal(intendedOffset(shapes.calm({}), 100_000), 10);
});

test('as many arrivals have begun by a moment as have an intended moment before it', () => {
	const shape = shapes.open({ RATE: '40' });
	for (const arrivals of [50, 200, 801]) assert.ok(Math.abs(arrivalsBy(shape, intendedOffset(shape, arrivals - 1)) - arrivals) < 1e-9);
	assert.deepEqual([arrivalsBy(shape, 0), arrivalsBy(shape, 40), arrivalsBy(shape, 60), arrivalsBy(shape, 90)], [0, 800, 1600, 1600]);
});

test('a rate that is held from its begin, or changed in no time, is not risen to', () => {
	const shape = /** @type {any} */ ({
		stages: [
			{ duration_s: 10, target: 5, held: true },
			{ duration_s: 0, target: 20 },
			{ duration_s: 10, target: 40 },
		],
	});
	assert.deepEqual(
		[1, 10, 15, 20].map((until) => arrivalsBy(shape, until)),
		[5, 50, 175, 350],
	);
	assert.equal(intendedOffset(shape, 4), 1);
	assert.equal(intendedOffset(shape, 349), 20);
});
