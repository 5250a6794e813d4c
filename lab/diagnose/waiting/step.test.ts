import assert from 'node:assert/strict';
import { test } from 'node:test';
import { slownessOf } from './step.ts';
import { tookText } from './text.ts';

/** A call of an edge: when it began, seconds, how long it went on, and how it ended. */
type Made = [began: number, took: number, end?: string];

/**
 * @param made in the order of their beginnings
 * @returns as much of the record as is asked
 */
const seenIn = (made: Made[]): any => ({
	began: Float64Array.from(made, ([began]) => began),
	over: Float64Array.from(made, ([began, took]) => began + took),
	calls: made.map(([, , end = 'answered']) => ({ end })),
	isAttempt: () => false,
	onEdge: () => [...made.keys()],
	load: { warmupFrom: 0 },
});

const SECONDS = [1, 2, 3, 4, 5, 6, 7, 8, 9];
const quick = SECONDS.map((second) => [second, 0.02] as Made);
/** Nobody answers it, and nobody fails for that. */
const hung: Made = [0.5, 14.5, 'given-up'];
const calm = SECONDS.map((second) => second + 0.01);
const moments = SECONDS.map((second) => 20 + second + 0.5);
const later = (end: string) => SECONDS.map((second) => [20 + second, 4, end] as Made);

const slowIn = (made: Made[], still: number[] = calm) => slownessOf({ seen: seenIn(made), service: 'lb', moments, calm: still }, 'web');

test('what nobody answered is no usual time of a callee, and is not said to have taken one', () => {
	const slow = slowIn([hung, ...quick, ...later('given-up')]);
	assert.deepEqual([slow.isSlower, slow.isCalm, slow.calm_s.toFixed(3)], [true, true, '0.020']);
	assert.equal(tookText('web', slow), 'A call to web had no answer after 4.00 s, and one within 20 ms in calm seconds.');
	assert.match(
		tookText('web', slowIn([hung, ...quick, ...later('given-up')], [])),
		/no answer after 4\.00 s, the quickest tenth of those that were answered one within 20 ms\.$/,
	);
});

test('calls that were answered are compared with each other', () => {
	const slow = slowIn([hung, ...quick, ...later('answered')]);
	assert.deepEqual([slow.isSlower, slow.isAnswered], [true, true]);
	assert.equal(tookText('web', slow), 'A call to web took 4.00 s, and 20 ms in calm seconds.');
});

test('where none was answered there is nothing to compare with', () => {
	assert.equal(tookText('web', slowIn([hung, ...later('given-up')])), 'A call to web had no answer after 4.00 s; none to it was answered.');
});
