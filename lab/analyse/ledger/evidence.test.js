import assert from 'node:assert/strict';
import { test } from 'node:test';
import { endService, factsOf, logError, recordOf } from '../fixtures/record.js';
import { overflowQueue } from '../fixtures/record-tiers.js';
import { FROM } from '../fixtures/story.js';
import { diedAround, logEvidence, overflowEvidence, rejectedEvidence, timesAway } from './evidence.js';

test('a log line is shown once, with how often it was written in the load', () => {
  const raw = recordOf({ balanced: true });
  logError(raw, [-3, 2, 5], 'no live upstreams while connecting to upstream');
  assert.deepEqual(logEvidence(factsOf(raw), 'no_live_upstreams'), [
    { kind: 'log', source: 'nginx error log', line: '[warn] no live upstreams while connecting to upstream', count: 2 },
  ]);
  assert.deepEqual(logEvidence(factsOf(raw), 'reusing'), []);
});

test('without a balancer there is no log to quote', () => {
  assert.deepEqual(logEvidence(factsOf(recordOf()), 'reusing'), []);
});

test('a counter of the kernel is evidence when it rose in the load, for its own service alone', () => {
  const raw = recordOf({ balanced: true });
  overflowQueue(raw, 'app-1', 3);
  assert.deepEqual(overflowEvidence(factsOf(raw), 'app-1'), [
    { kind: 'counter', source: 'kernel, app-1', name: 'ListenOverflows', before: 3, after: 20 },
    { kind: 'counter', source: 'kernel, app-1', name: 'ListenDrops', before: 3, after: 20 },
  ]);
  assert.deepEqual(overflowEvidence(factsOf(raw), 'app-2'), []);
  assert.deepEqual(overflowEvidence(factsOf(raw), 'unknown'), []);
});

test('refused connections are shown even when there were none, because that clears MongoDB', () => {
  assert.deepEqual(rejectedEvidence(factsOf(recordOf())), [
    { kind: 'counter', source: 'mongod', name: 'connections refused', before: 0, after: 0 },
  ]);
  const raw = recordOf();
  raw.database = [];
  assert.deepEqual(rejectedEvidence(factsOf(raw)), []);
});

test('a service was away from two seconds before its end to two after it was back', () => {
  const raw = recordOf();
  endService(raw, 'app-1', 4, { back: 6 });
  const facts = factsOf(raw);
  const at = (/** @type {number} */ second) => diedAround(facts, 'app-1', FROM + second);
  assert.deepEqual([1.9, 2, 5, 8, 8.1].map(at), [false, true, true, true, false]);
  assert.equal(diedAround(facts, 'app-1', null), true);
  assert.equal(diedAround(facts, 'mongo', null), false);
  assert.deepEqual(timesAway(facts, 'app-1'), [{ from: FROM + 2, to: FROM + 8 }]);
  assert.deepEqual(timesAway(facts, 'mongo'), []);
});
