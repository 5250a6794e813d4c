import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Counters, incrementsOf, risenIn } from './counters.ts';

const increments = {
	'app-1 ListenOverflows': [
		{ from: 4, to: 5, left: 2 },
		{ from: 8, to: 9, left: 1 },
	],
};

test('a counter accounts for as many failures as it rose by in that time, and no more', () => {
	const counters = new Counters(increments);
	const taken = [1, 2, 3].map(() => counters.take('app-1 ListenOverflows', 3, 6));
	assert.deepEqual(taken, [true, true, false]);
	assert.equal(counters.take('app-1 ListenOverflows', 3, 10), true);
	assert.equal(counters.take('app-1 ListenOverflows', 3, 10), false);
});

test('a counter accounts for nothing at another time, and for nothing of another service', () => {
	const counters = new Counters(increments);
	assert.equal(counters.take('app-1 ListenOverflows', 5, 8), false);
	assert.equal(counters.take('app-1 ListenOverflows', 0, 4), false);
	assert.equal(counters.take('app-2 ListenOverflows', 3, 6), false);
});

test('what was taken has risen all the same', () => {
	const counters = new Counters(increments);
	for (let at = 0; at < 3; at += 1) counters.take('app-1 ListenOverflows', 0, 10);
	assert.equal(counters.rose('app-1 ListenOverflows', 4, 5), true);
	assert.equal(counters.rose('app-1 ListenOverflows', 5, 8), false);
	assert.equal(counters.rose('app-1 RetransSegs', 4, 5), false);
});

test('what is taken from one set of counters is left in the gains that it was made of', () => {
	new Counters(increments).take('app-1 ListenOverflows', 3, 6);
	assert.equal(increments['app-1 ListenOverflows'][0].left, 2);
});

test('a counter last rose before a moment, and not after it', () => {
	const counters = new Counters(increments);
	assert.equal(counters.last('app-1 ListenOverflows', 0, 10)?.from, 8);
	assert.equal(counters.last('app-1 ListenOverflows', 0, 7)?.from, 4);
	assert.equal(counters.last('app-1 ListenOverflows', 5, 7), undefined);
	assert.equal(counters.last('app-2 ListenOverflows', 0, 10), undefined);
});

test('a counter rises from reading to reading, and a reading that lacks it is none', () => {
	const readings = [5, 5, null, 8, undefined, 8, 9].map((value, index) => ({ t: index, value }));
	assert.deepEqual(incrementsOf(readings), [
		{ from: 1, to: 3, left: 3 },
		{ from: 5, to: 6, left: 1 },
	]);
});

test('a counter that fell began anew', () => {
	assert.deepEqual(incrementsOf([9, 2, 2].map((value, index) => ({ t: index, value }))), [{ from: 0, to: 1, left: 2 }]);
	assert.deepEqual(incrementsOf([{ t: 0, value: 9 }]), []);
});

test('a counter rose by what it did in all its lives', () => {
	assert.equal(risenIn([5, 9, 2, 3].map((value, index) => ({ t: index, value }))), 4 + 2 + 1);
	assert.equal(risenIn([{ t: 0, value: undefined }]), 0);
});
