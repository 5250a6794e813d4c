import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ticketSquare } from './ticket-square.js';

test('it is exact for every number that a ticket may have', () => {
	for (const ticket of [0, 1, 999, 1_000_002, 1_000_003, 99_999_999]) {
		assert.equal(BigInt(ticketSquare(ticket)), BigInt(ticket) ** 2n % 1_000_003n, `${ticket}`);
	}
});

test('tickets of the same sum have other squares', () => {
	const sum = (/** @type {number[]} */ tickets) => tickets.map(ticketSquare).reduce((total, square) => total + square, 0);
	assert.notEqual(sum([4, 4]), sum([3, 5]));
});
