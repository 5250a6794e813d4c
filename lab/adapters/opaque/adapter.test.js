import assert from 'node:assert/strict';
import { test } from 'node:test';
import { serviceModel } from '../fixtures/service-model.js';
import { adapter } from './adapter.js';

test('it claims no service and changes none', () => {
  const service = serviceModel({ image: 'shop/api', ports: [8000] });
  assert.equal(adapter.detect(service), null);
  assert.deepEqual(adapter.overlay(service, 3), {});
  assert.deepEqual([adapter.version, adapter.sample], [null, null]);
});
