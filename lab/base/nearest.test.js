import assert from 'node:assert/strict';
import { test } from 'node:test';
import { instead, nearest } from './nearest.js';

test('a slip of the keys leads to the word that was meant', () => {
  const known = ['compose', 'entry', 'services', 'edges', 'load'];
  assert.equal(nearest('entyr', known), 'entry');
  assert.equal(nearest('service', known), 'services');
  assert.equal(nearest('Load', known), 'load');
  assert.equal(nearest('loadbalancer', ['app', 'load-balancer']), 'load-balancer');
});

test('a word that is like none leads to none', () => {
  assert.equal(nearest('replicas', ['tier', 'product', 'watch']), null);
  assert.equal(nearest('x', ['y']), null);
  assert.equal(nearest('x', []), null);
});

test('a part of a longer word leads to the first that has it', () => {
  const known = ['failure_rate', 'latency_ms_p95_ok', 'latency_ms_p95_all'];
  assert.equal(nearest('p95', known), 'latency_ms_p95_ok');
  assert.equal(nearest('P95', known), 'latency_ms_p95_ok');
  assert.equal(nearest('p9', known), null);
});

test('what to do names the word that was meant, where there is one', () => {
  assert.equal(instead('smok', ['ramp', 'smoke'], 'use one of them.'), 'write "smoke" instead of "smok".');
  assert.equal(instead('tsunami', ['ramp', 'smoke'], 'use one of them.'), 'use one of them.');
});
