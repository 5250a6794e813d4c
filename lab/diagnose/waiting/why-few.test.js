/**
 * Services that work on few at a time and wait for nobody, as small records.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { each, MadeStack, said, told } from './fixtures/made-stack.js';

const ALONE_S = 0.25;
const GIVEN_UP = /** @type {const} */ ({ end: 'given-up', by: 'client' });

/** Calm, then some that are answered late in a rhythm, and others that are given up. @param {{ every?: number, calmEvery?: number, together?: number, took?: number }} given together: so many are answered at a time */
function inRhythm({ every = ALONE_S + 0.005, calmEvery = 0.5, together = 1, took = 2 }) {
  const stack = new MadeStack(40);
  each(-8, 8, calmEvery, (at) => stack.call('k6 web', at, at + ALONE_S));
  each(10, 38, every, (at) => each(0, together * 0.001, 0.001, (by) => stack.call('k6 web', at - took + by, at + by)));
  each(8, 36, 1, (at) => stack.call('k6 web', at, at + 3, GIVEN_UP));
  stack.reads('web', () => ({ cores: 0.05 }));
  return stack;
}

test('answers that follow each other no sooner than one takes alone tell of one at a time', () => {
  const { findings } = inRhythm({}).follow();
  assert.deepEqual(findings.map(said), ['web: workers-taken']);
  assert.equal(findings[0].title, 'worked on one request at a time, while others stood before it');
});

test('and three by three of three', () => {
  const { findings } = inRhythm({ together: 3 }).follow();
  assert.equal(findings[0].title, 'worked on 3 requests at a time, while others stood before them');
});

test('but neither answers that come slower, nor as many as in calm seconds', () => {
  assert.deepEqual(told(inRhythm({ every: 0.6 })), ['web: stands']);
  assert.deepEqual(told(inRhythm({ calmEvery: ALONE_S + 0.005 })), ['web: stands']);
});

test('nor those that did not wait', () => {
  assert.deepEqual(told(inRhythm({ took: ALONE_S })), ['web: stands']);
});

/** Calls that are given up once it is asked so often, each tried again. @param {{ late?: number, every?: number }} given  late: what the last that are answered take */
function overrunBy({ late = 0.4, every = 0.05 }) {
  const stack = new MadeStack(40);
  each(-8, 10, 0.2, (at) => {
    stack.call('k6 shop', at, at + 0.16);
    stack.call('shop stock', at + 0.001, at + 0.15);
  });
  each(10, 12, 0.1, (at) => {
    stack.call('k6 shop', at, at + late + 0.01);
    stack.call('shop stock', at + 0.001, at + late);
  });
  each(12, 38, every, (at) => {
    stack.call('k6 shop', at, at + 0.602, { status: 503 });
    stack.call('shop stock', at + 0.001, at + 0.601, GIVEN_UP);
  });
  stack.reads('stock', () => ({ cores: 0.05 }));
  return stack;
}

test('who is asked more than it answers in time works on what was given up', () => {
  const { findings } = overrunBy({}).follow();
  assert.deepEqual(findings.map(said), ['stock: workers-taken']);
  assert.ok(findings[0].title?.startsWith('was asked more than it could answer in the 600 ms for which shop waits'));
});

test('but not where the last were answered as soon as ever, nor where it is asked no more often', () => {
  assert.deepEqual(told(overrunBy({ late: 0.15 })), ['stock: hung']);
  assert.deepEqual(told(overrunBy({ every: 0.2 })), ['stock: hung']);
});

test('nor on a machine that is full, where who uses little may get no more', () => {
  const stack = overrunBy({});
  stack.machine((second) => (second > 9 ? 0.95 : 0.2));
  assert.deepEqual(told(stack), ['stock: hung']);
});
