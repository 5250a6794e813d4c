import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nearest } from './nearest.js';

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
