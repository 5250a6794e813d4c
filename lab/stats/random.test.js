import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRandom } from './random.js';

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
  /** @type {Record<string, number>} */
  const counts = {};
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
