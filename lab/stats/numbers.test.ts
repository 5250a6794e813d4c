import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
	ascending,
	before,
	gained,
	leading,
	max,
	mean,
	median,
	present,
	quantile,
	quantilesOf,
	ratio,
	rounded,
	sum,
	upTo,
} from './numbers.ts';
import { createRandom } from './random.ts';
import { scaleOf } from './scale.ts';

test('missing values are in no figure, and nothing at all is null', () => {
	const values = [4, null, undefined, Number.NaN, Number.POSITIVE_INFINITY, 2];
	assert.deepEqual(present(values), [4, 2]);
	assert.deepEqual([mean(values), max(values), median(values), sum(values)], [3, 4, 3, 6]);
	assert.deepEqual([mean([null]), max([]), median([undefined]), sum([])], [null, null, null, 0]);
});

test('the median of an odd number of values is the middle one, unsorted as they come', () => {
	assert.equal(median([30, 1, 2]), 2);
	assert.equal(median([10, 9, 100, 1]), 9.5);
});

test('nothing is divided by zero or by what is missing', () => {
	assert.deepEqual([ratio(6, 3), ratio(0, 3), ratio(6, 0), ratio(null, 3), ratio(6, null)], [2, 0, null, null, null]);
});

test('rounding keeps what is missing missing', () => {
	assert.deepEqual(
		[rounded(1.23456), rounded(1.23456, 1), rounded(0), rounded(null), rounded(undefined), rounded(Number.NaN)],
		[1.235, 1.2, 0, null, null, null],
	);
});

test('a counter gains what it has more than before, and what did not move is left out', () => {
	assert.deepEqual(gained({ a: 5, b: 3, c: 2 }, { a: 1, b: 3 }), { a: 4, c: 2 });
	assert.deepEqual(gained({ a: 5 }), { a: 5 });
});

test('a quantile lies between the two nearest values, and none has none', () => {
	assert.deepEqual(
		[0, 0.25, 0.5, 1].map((share) => quantile([1, 2, 4, 8], share)),
		[1, 1.75, 3, 8],
	);
	assert.equal(quantile([7], 0.99), 7);
	assert.equal(quantile([], 0.5), null);
});

test('numbers are put in order by their value', () => {
	assert.deepEqual([...ascending([10, 9, 100, -1])], [-1, 9, 10, 100]);
});

test('quantiles of values in any order are those of the sorted ones', () => {
	const shares = [0, 0.1, 0.5, 0.95, 1];
	for (let size = 1; size < 200; size += 1)
		for (const values of [
			Array.from({ length: size }, (_, index) => (index * 7919) % 101),
			Array.from({ length: size }, (_, index) => -index),
			Array.from({ length: size }, (_, index) => (index % 3 === 0 ? Number.POSITIVE_INFINITY : index)),
			new Array(size).fill(4),
		])
			assert.deepEqual(
				quantilesOf(values, shares),
				shares.map((share) => quantile(ascending(values), share)),
			);
	assert.deepEqual(quantilesOf([], [0.5]), [null]);
});

const items = ['a', '2a', '2a-tuned', '2a-dist'];

test('the same seed gives the same order, another seed another one', () => {
	const orders = [1, 1, 2, 3, 4].map((seed) => createRandom(seed).shuffle(items).join());
	assert.equal(orders[0], orders[1]);
	assert.ok(new Set(orders).size > 2, orders.join(' / '));
});

test('the numbers are those of MT19937', () => {
	// np.random.RandomState(5489).randint(0, 2**32, 3, dtype=np.uint64) with NumPy 2.4.6; the first is also that of C++'s mt19937.
	// The library reads the 32 bits as a signed number, so its range begins half-way.
	const random = createRandom(5489);
	const numbers = Array.from({ length: 3 }, () => (random.below(2 ** 32) + 2 ** 31) % 2 ** 32);
	assert.deepEqual(numbers, [3499211612, 581869302, 3890346734]);
});

test('shuffling loses nothing and leaves the given list alone', () => {
	const given = Object.freeze([...items]);
	const shuffled = createRandom(7).shuffle(given);
	assert.deepEqual([...shuffled].sort(), [...items].sort());
	assert.deepEqual(given, items);
	assert.deepEqual(createRandom(7).shuffle([]), []);
});

test('every order is about equally likely', () => {
	const random = createRandom(20_261_121);
	const counts: Record<string, number> = {};
	for (let round = 0; round < 6000; round += 1) {
		const order = random.shuffle(['x', 'y', 'z']).join('');
		counts[order] = (counts[order] ?? 0) + 1;
	}
	// 1000 are expected of each of the six orders; the chi-squared quantile of 0.999 at 5 degrees of freedom is 20.5.
	const chiSquared = Object.values(counts).reduce((total, count) => total + (count - 1000) ** 2 / 1000, 0);
	assert.equal(Object.keys(counts).length, 6);
	assert.ok(chiSquared < 20.5, JSON.stringify(counts));
});

test('neighbouring seeds begin unalike', () => {
	const first = Array.from({ length: 200 }, (_, seed) => createRandom(seed).below(2));
	const ones = first.filter((value) => value === 1).length;
	const changes = first.filter((value, index) => index > 0 && value !== first[index - 1]).length;
	// Both are about 100 in 200 tosses of a fair coin; 72 to 128 is four standard deviations.
	for (const count of [ones, changes]) assert.ok(count > 72 && count < 128, `${ones} ones, ${changes} changes`);
});

test('what is no seed, and no range, is refused', () => {
	for (const seed of [-1, 0.5, Number.NaN, 2 ** 32]) assert.throws(() => createRandom(seed), /a seed is a whole number/);
	for (const n of [0, -1, 1.5]) assert.throws(() => createRandom(1).below(n), /no whole number/);
});

test('on the ratio scale, double and half are equally far from the same', () => {
	const { into, back } = scaleOf('ratio');
	assert.equal(Number(into(2)), -Number(into(0.5)));
	assert.equal(into(1), 0);
	assert.equal(back(0), 1);
	assert.ok(Math.abs(Number(back(into(7))) - 7) < 1e-12);
});

test('what has no logarithm has no ratio, but a difference', () => {
	assert.deepEqual([0, -1, null, Number.NaN].map(scaleOf('ratio').into), [null, null, null, null]);
	assert.deepEqual([0, -1, null, Number.NaN].map(scaleOf('difference').into), [0, -1, null, null]);
	assert.deepEqual([scaleOf('ratio').back(null), scaleOf('difference').back(null)], [null, null]);
});

test('places in what is in order are found before a value and after it', () => {
	assert.deepEqual([before([1, 2, 2, 3], 2), upTo([1, 2, 2, 3], 2)], [1, 3]);
	assert.equal(
		leading([1, 2, 2, 3], (one) => one < 3),
		3,
	);
});
