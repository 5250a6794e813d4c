import assert from 'node:assert/strict';
import { test } from 'node:test';
import { play } from './simulate.ts';

test('of comparisons without a difference at most 5 % are called different, and what is announced is found', () => {
	for (const title of ['no difference', 'each run 1 % slower, the second of a repetition 5 %'])
		assert.ok(play(title, 60, 11).different <= 0.05);
	assert.equal(play('40 % against 0 % failures', 60, 11).within5, 1);
	// 80 % less two standard errors of 100 tosses.
	assert.ok(play('a loss of 10 %', 100, 11).different >= 0.72);
});
