import assert from 'node:assert/strict';
import { test } from 'node:test';
import { endService, factsOf, logError, recordOf } from '../fixtures/record.js';
import { FROM } from '../fixtures/story.js';
import { SAID } from '../fixtures/tell.js';
import { AROUND_S, Counters, crashDuring, hasLostWorker, incrementsOf, overlapping, placed, whileWaiting } from './place.js';

const span = (/** @type {number} */ from, to = from) => ({ from: FROM + from, to: FROM + to });

test('a service was away from two seconds before its end to two after it was back, and no longer', () => {
  const raw = recordOf();
  endService(raw, 'app-1', 4, { back: 6 });
  const facts = factsOf(raw);
  const away = [1.9, 2.1, 5, 7.9, 8.1].map((second) => crashDuring(facts, 'app-1', span(second)));
  assert.deepEqual(away, [null, 'app-crashed', 'app-crashed', 'app-crashed', null]);
  assert.equal(crashDuring(facts, 'mongo', span(5)), null);
});

test('a user who waited through the end of a service was there when it ended', () => {
  const raw = recordOf();
  endService(raw, 'app-1', 4, { back: 4.5 });
  assert.equal(crashDuring(factsOf(raw), 'app-1', span(0, 9)), 'app-crashed');
});

test('the end of a service is called by its tier, and by the want of memory where it was killed for that', () => {
  const raw = recordOf({ balanced: true });
  for (const name of ['nginx', 'app-1', 'mongo']) endService(raw, name, 4);
  endService(raw, 'app-2', 4, { outOfMemory: true });
  const facts = factsOf(raw);
  assert.deepEqual(
    ['nginx', 'app-1', 'mongo', 'app-2'].map((name) => crashDuring(facts, name, span(5))),
    ['balancer-down', 'app-crashed', 'database-down', 'out-of-memory'],
  );
});

test('a worker was lost for those who were there up to two seconds before and after its end, and of that service alone', () => {
  const raw = recordOf({ balanced: true });
  logError(raw, [4], SAID.workerDied);
  const facts = factsOf(raw);
  const lost = [span(1.9), span(2.1), span(1, 3), span(5.9), span(6.1)].map((time) => hasLostWorker(facts, 'nginx', time));
  assert.deepEqual(lost, [false, true, true, true, false]);
  assert.equal(hasLostWorker(facts, 'app-1', span(4)), false);
});

test('times that only touch do not overlap, unless some room is given around them', () => {
  const times = [{ name: 'mongo', from: 4, to: 6 }];
  assert.equal(overlapping(times, 'mongo', { from: 6, to: 7 }), undefined);
  assert.equal(overlapping(times, 'mongo', { from: 6, to: 7 }, AROUND_S), times[0]);
  assert.equal(overlapping(times, 'mongo', { from: 5, to: 5 }), times[0]);
  assert.equal(overlapping(times, 'app-1', { from: 5, to: 5 }), undefined);
});

test('a user waited from sending to the end', () => {
  assert.deepEqual(whileWaiting(/** @type {import('./place.js').Trace} */ ({ t: 10, waited_s: 4 })), { from: 6, to: 10 });
});

test('a placement has no amplifier unless one is given', () => {
  const spot = { tier: /** @type {const} */ ('app'), service: 'app-1', cause: 'broke-off' };
  assert.deepEqual(placed(spot, 'proved', 'timed'), { ...spot, where: 'proved', why: 'timed', amplifier: null });
  assert.equal(placed(spot, 'proved', 'timed', spot).amplifier, spot);
});

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

test('a counter tells when it began to rise, of what lasted for long enough, taken or not', () => {
  const counters = new Counters({ 'store said slow': [3, 8].map((from, index) => ({ from, to: 9 + index, left: 1 })) });
  counters.take('store said slow', 4, 5);
  assert.deepEqual(counters.began('store said slow'), [3, 8]);
  assert.deepEqual(counters.began('store said slow', 4), [3]);
  assert.deepEqual(counters.began('store said shut-down'), []);
});

test('what is taken from one set of counters is left in the gains that it was made of', () => {
  new Counters(increments).take('app-1 ListenOverflows', 3, 6);
  assert.equal(increments['app-1 ListenOverflows'][0].left, 2);
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

test('a counter last rose before a moment, and not after it', () => {
  const counters = new Counters(increments);
  assert.equal(counters.last('app-1 ListenOverflows', 0, 10)?.from, 8);
  assert.equal(counters.last('app-1 ListenOverflows', 0, 7)?.from, 4);
  assert.equal(counters.last('app-1 ListenOverflows', 5, 7), undefined);
  assert.equal(counters.last('app-2 ListenOverflows', 0, 10), undefined);
});

test('a counter rose by what it did in all its lives', () => {
  const insertsOf = (/** @type {(number | undefined)[]} */ values) => {
    const raw = recordOf();
    // From the last reading before the load on.
    const rows = raw.database.slice(raw.database.findLastIndex(({ t }) => t <= FROM));
    for (const [index, row] of rows.entries()) row.operations.insert = values[Math.min(index, values.length - 1)];
    return factsOf(raw).database.inserts;
  };
  assert.equal(insertsOf([5, 9, 2, 3]), 4 + 2 + 1);
  assert.equal(insertsOf([undefined]), 0);
});
