import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Staleness } from './staleness.js';

test('a read that shows all that was acknowledged when it began is not stale', () => {
	const staleness = new Staleness();
	staleness.read(-1, 0);
	staleness.acknowledged(1, 10);
	staleness.read(1, 12);
	// The second was acknowledged only after the read began.
	staleness.acknowledged(2, 20);
	staleness.read(1, 19);
	assert.deepEqual([staleness.counts.reads, staleness.counts.stale_reads], [3, 0]);
});

test('a stale one is as old as the first write that it misses, though later ones were acknowledged before it', () => {
	const staleness = new Staleness();
	staleness.acknowledged(1, 10);
	staleness.acknowledged(3, 20);
	staleness.acknowledged(2, 25);
	staleness.acknowledged(4, 40);
	staleness.read(1, 27);
	const { stale_reads: stale, stale_le_5: five, stale_le_10: ten, stale_le_5000: most } = staleness.counts;
	assert.deepEqual([stale, five, ten, most], [1, 0, 1, 1]);
});

test('a read that finds nothing misses the first write of all', () => {
	const staleness = new Staleness();
	staleness.acknowledged(0, 0);
	staleness.read(-1, 7000);
	assert.deepEqual([staleness.counts.stale_reads, staleness.counts.stale_le_5000], [1, 0]);
});
