import assert from 'node:assert/strict';
import { test } from 'node:test';
import { queueText } from './queue-words.js';

const queue = {
  accepted: 1000,
  completed: 900,
  completed_in_load: 400,
  failed: 10,
  left: 40,
  lost: 50,
  unlogged: 5,
  lag_ms: { p50: 100, p95: 4000, p99: 5000, max: 6000 },
  backlog: [0, 300, 120],
  oldest_s: [0, 2.5, 1],
  drained_after_s: null,
};

test('accepted and done are two figures, and what was lost is said', () => {
  const text = String(queueText({ queue, duration_s: 10 })).replaceAll(/\s/gu, ' ');
  assert.match(text, /^1,000 writes were accepted, 100 rps; 40 rps were done while the load went on\. /);
  assert.match(text, /900 were done \(90 %\), 10 failed, and are gone, 40 are still in the queue, 50 were lost\./);
  assert.match(text, /The backlog reached 300, its oldest waited 2\.5 s\. /);
});

test('beside writes that are gone by their ids nobody says that none was lost', () => {
  const given = { queue: { ...queue, failed: 0, lost: 0 }, duration_s: 10 };
  assert.match(String(queueText(given)), /, 0 were lost\./);
  const gone = { count: 5, at_least: false, text: '5 accepted writes are gone.', to_do: [] };
  assert.doesNotMatch(String(queueText({ ...given, gone_writes: gone })), /0 were lost/);
});

test('what is not known is said to be so, and without a queue there is nothing to say', () => {
  const text = String(queueText({ queue: { ...queue, left: null, lost: null }, duration_s: 10 }));
  assert.match(text, /how many are still in the queue is not known, how many were lost is not known/);
  assert.equal(queueText({ queue: null, duration_s: 10 }), null);
  assert.equal(queueText({ duration_s: 10 }), null);
});
