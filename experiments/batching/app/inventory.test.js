import assert from 'node:assert/strict';
import { test } from 'node:test';
import { reservationOf, ticketsTaken } from './inventory.js';

test('a batch takes the tickets that follow those sold', () => {
	assert.deepEqual(ticketsTaken({ stock: 100, sold: 0 }, 3), [0, 1, 2]);
	assert.deepEqual(ticketsTaken({ stock: 100, sold: 40 }, 2), [40, 41]);
});

test('the last batch takes what is left, and one after it takes none', () => {
	assert.deepEqual(ticketsTaken({ stock: 10, sold: 8 }, 5), [8, 9]);
	assert.deepEqual(ticketsTaken({ stock: 10, sold: 10 }, 5), []);
});

test('batches of any size take every ticket once, up to the stock', () => {
	const stock = 50;
	const taken = [];
	let sold = 0;
	for (const wanted of [1, 7, 0, 20, 3, 30, 4]) {
		taken.push(...ticketsTaken({ stock, sold }, wanted));
		sold = Math.min(stock, sold + wanted); // what the update does
	}
	assert.deepEqual(
		taken,
		Array.from({ length: stock }, (_, index) => index),
	);
});

test('the update adds what is wanted and stops at the stock', () => {
	assert.deepEqual(reservationOf(7), [{ $set: { sold: { $min: ['$stock', { $add: ['$sold', 7] }] } } }]);
});
