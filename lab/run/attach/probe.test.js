import assert from 'node:assert/strict';
import { test } from 'node:test';
import { probedOf } from './probe.js';

test('the probe sends what changes nothing, a part of a long list, and the root where there is none', () => {
  const get = { method: 'GET', path: '/items' };
  assert.deepEqual(probedOf([{ method: 'POST', path: '/orders' }, get]), [get]);
  assert.equal(probedOf(Array.from({ length: 100 }, (_, index) => ({ method: 'GET', path: `/${index}` }))).length, 20);
  assert.deepEqual(probedOf([{ method: 'DELETE', path: '/' }]), [{ method: 'GET', path: '/' }]);
});
