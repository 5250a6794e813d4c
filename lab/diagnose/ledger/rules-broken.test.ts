import assert from 'node:assert/strict';
import { test } from 'node:test';
import { factsOf, logError, recordOf } from '../fixtures/record.ts';
import { FROM } from '../fixtures/story.ts';
import { SAID } from '../fixtures/tell.ts';
import { placeAll } from '../rules.ts';

/** Whether a connection that broke at a second is placed on the balancer's table, which said in these that it was full. */
function isOfTable(second: number, said: number[]) {
	const raw = recordOf({ balanced: true, kinds: { eof: { 5: 1 } } });
	logError(raw, said, SAID.full);
	for (const failed of raw.failures) failed.t = FROM + second;
	const [{ placement }] = placeAll(factsOf(raw));
	return /^connection-table-full-/.test(placement?.cause ?? '');
}

test('what the balancer says of a full table reaches beyond it at both ends', () => {
	assert.deepEqual(
		[0.9, 1.1, 3, 8.9, 9.1].map((second) => isOfTable(second, [3])),
		[false, true, true, true, false],
	);
});

test('moments that are close make one time, and a longer gap begins another', () => {
	assert.deepEqual(
		[0.9, 1.1, 7, 9.9].map((second) => isOfTable(second, [3, 8])),
		[false, true, true, true],
	);
	assert.deepEqual(
		[-0.5, 7.1, 7.9, 8.1].map((second) => isOfTable(second, [1, 10])),
		[true, false, false, true],
	);
});

test('where it says nothing nothing is placed there', () => {
	assert.equal(isOfTable(5, []), false);
});
