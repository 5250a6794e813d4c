import assert from 'node:assert/strict';
import { test } from 'node:test';
import './fixtures/k6-modules.js';

/** @type {number[]} */
const slept = [];
Object.assign(globalThis, { stubs: { k6: { sleep: (/** @type {number} */ seconds) => slept.push(seconds) } } });
Date.now = () => 1_800_000_003_500;
/** @type {string[]} */
const lines = [];
console.error = (/** @type {string} */ text) => lines.push(text);
const { untilStart, waitAtStartBarrier: waitForBeat } = await import('./start-barrier.js');

test('a generator waits for the next beat of its clock, as all others do', () => {
	assert.equal(untilStart(1_800_000_003_500, 10), 6.5);
	assert.equal(untilStart(1_800_000_009_999, 10).toFixed(3), '0.001');
	waitForBeat('10');
	assert.deepEqual(slept, [6.5]);
	assert.deepEqual(lines, ['{"event":"waited","ms":6500}']);
});

test('one that makes the load alone waits for nobody', () => {
	slept.length = 0;
	waitForBeat(undefined);
	waitForBeat('');
	assert.deepEqual(slept, []);
});
