import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eachSecond, FROM, WINDOW } from './fixtures/hop-files.js';
import { countersOf, growing, limitOf, longestGap, sampledExtent, unsampled } from './sampled.js';

/** @param {any} sample */
const count = (sample) => sample.count;

test('a counter is told from the last sample before the load to its end', () => {
  const samples = [-5, -1, 1, 9, 12].map((second) => ({ t: FROM + second, count: second + 10 }));
  assert.deepEqual(
    growing(samples, WINDOW, count).map(({ t, value }) => [t - FROM, value]),
    [
      [-1, 9],
      [1, 11],
      [9, 19],
    ],
  );
});

test('a counter that falls began anew, and what it had reached stays counted', () => {
  const values = [100, 140, 5, 25, 3].map((value, second) => ({ t: FROM + second, count: value }));
  assert.deepEqual(
    growing(values, WINDOW, count).map(({ value }) => value),
    [100, 140, 145, 165, 168],
  );
});

test('samples without the counter are passed over, and a counter that none has is left out', () => {
  const samples = [{ t: FROM, count: 1 }, { t: FROM + 1 }, { t: FROM + 2, count: null }, { t: FROM + 3, count: 4 }];
  assert.deepEqual(
    growing(samples, WINDOW, count).map(({ value }) => value),
    [1, 4],
  );
  assert.deepEqual(Object.keys(countersOf(samples, WINDOW, { known: count, unknown: (sample) => sample.other })), ['known']);
});

test('a limit has its size and what was used of it in the load', () => {
  const samples = eachSecond({ most: 20 }, (second) => ({ used: second }));
  const [{ size, used }] = limitOf(
    'slots',
    samples,
    WINDOW,
    (sample) => sample.most,
    (sample) => sample.used,
  );
  assert.equal(size, 20);
  assert.deepEqual(
    used.map((point) => point.used),
    [1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
  );
});

test('what has no size, or none above zero, is no limit', () => {
  for (const most of [undefined, 0, -1])
    assert.deepEqual(
      limitOf(
        'slots',
        eachSecond({ most, used: 1 }),
        WINDOW,
        (sample) => sample.most,
        (sample) => sample.used,
      ),
      [],
    );
});

test('samples of each second cover the load', () => {
  assert.equal(sampledExtent(eachSecond({}), WINDOW), 'full');
  assert.deepEqual(unsampled('db', eachSecond({}), WINDOW, 'psql is not there'), []);
});

test('a gap at the beginning, inside or at the end leaves the load covered in part', () => {
  const seconds = eachSecond({});
  for (const samples of [seconds.slice(6), [...seconds.slice(0, 4), ...seconds.slice(9)], seconds.slice(0, 6)]) {
    assert.equal(sampledExtent(samples, WINDOW), 'partial');
    assert.match(unsampled('db', samples, WINDOW, 'psql is not there')[0], /^db told nothing of its state for up to [56] s/);
  }
  assert.equal(longestGap(seconds.slice(6), WINDOW), 5);
});

test('no sample in the load covers nothing, and it is said why', () => {
  assert.equal(sampledExtent([], WINDOW), 'none');
  assert.equal(sampledExtent([{ t: FROM - 1 }], WINDOW), 'none');
  assert.match(unsampled('db', [], WINDOW, 'psql is not there')[0], /^db told nothing of its state \(psql is not there\)/);
});
