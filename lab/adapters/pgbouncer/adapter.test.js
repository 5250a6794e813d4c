import assert from 'node:assert/strict';
import { test } from 'node:test';
import { serviceModel } from '../fixtures/service-model.js';
import { adapter } from './adapter.js';

test('images, commands and, of a built image, the port say that a service is PgBouncer', () => {
  for (const image of ['edoburu/pgbouncer:1.18.0', 'bitnami/pgbouncer', 'pgbouncer/pgbouncer:latest'])
    assert.deepEqual(adapter.detect(serviceModel({ image })), { tier: 'pool', reason: `image ${image}` });
  assert.equal(adapter.detect(serviceModel({ command: ['pgbouncer', '/etc/pgbouncer/pgbouncer.ini'] }))?.reason, 'command pgbouncer');
  assert.equal(adapter.detect(serviceModel({ ports: [6432] }))?.reason, 'port 6432');
});

test('PostgreSQL and exporters are not it', () => {
  for (const image of ['postgres:15', 'prometheuscommunity/pgbouncer-exporter'])
    assert.equal(adapter.detect(serviceModel({ image, ports: [6432] })), null, image);
});

test('its version is read, and nothing is laid over', () => {
  assert.equal(adapter.version?.pattern.exec('PgBouncer 1.18.0\nlibevent 2.1.12-stable')?.[1], '1.18.0');
  assert.deepEqual(adapter.overlay(serviceModel({ image: 'bitnami/pgbouncer' }), 2), {});
});
