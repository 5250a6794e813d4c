import assert from 'node:assert/strict';
import { test } from 'node:test';
import { change, interval, inUnit, many, ordinal, percent } from './figure-words.ts';

test('a share below one per cent keeps the digits that tell it from nothing', () => {
	assert.deepEqual([0, 0.0004, 0.177, 1].map(percent), ['0.0 %', '0.04 %', '17.7 %', '100.0 %']);
});

test('figures carry their unit, and what was not measured says so', () => {
	assert.equal(inUnit('rps', 1132.4), '1,130 requests a second');
	assert.equal(inUnit('ms', 270.4), '270 ms');
	assert.equal(inUnit('ms', 2717), '2.72 s');
	assert.equal(inUnit('share', 0.177), '17.7 %');
	assert.equal(inUnit('count', 5.312), '5.31');
	assert.equal(inUnit('count', 1_333_333), '1,333,333');
	assert.equal(inUnit('mb_per_s', 0.1664), '0.166 MB/s');
	assert.equal(inUnit('ms', null), 'nothing measured');
});

test('a ratio is so many times, a difference of shares so many points with its sign', () => {
	assert.equal(change('ratio', 1.9), '1.90 times');
	assert.equal(change('difference', -0.177), '−17.7 percentage points');
	assert.equal(change('difference', null), 'nothing measured');
	assert.equal(interval('ratio', { low: 1.8, high: 2.1 }), '1.80 to 2.10');
	assert.equal(interval('difference', { low: -0.2, high: 0.004 }), '−20.0 to +0.40');
	assert.equal(interval('ratio', { low: null, high: null }), 'no interval');
});

test('ordinals end as they are said', () => {
	assert.deepEqual([91, 92, 93, 94, 11].map(ordinal), ['91st', '92nd', '93rd', '94th', '11th']);
});

test('one thing is one, and everything else is several', () => {
	assert.deepEqual(
		[0, 1, 2, 38_268].map((value) => many(value, 'request')),
		['0 requests', '1 request', '2 requests', '38,268 requests'],
	);
});
