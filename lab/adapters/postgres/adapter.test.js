import assert from 'node:assert/strict';
import { test } from 'node:test';
import { serviceModel } from '../fixtures/service-model.js';
import { adapter } from './adapter.js';

test('images, commands and, of a built image, the port say that a service is PostgreSQL', () => {
  for (const image of [
    'postgres',
    'postgres:15-alpine',
    'postgis/postgis:15-3.3',
    'timescale/timescaledb:latest-pg15',
    'timescale/timescaledb-ha:pg15',
    'bitnami/postgresql:15',
    'pgvector/pgvector:pg16',
    'supabase/postgres:15',
  ])
    assert.deepEqual(adapter.detect(serviceModel({ image })), { tier: 'database', reason: `image ${image}` });
  const command = ['/usr/lib/postgresql/15/bin/postgres', '-D', '/data'];
  assert.equal(adapter.detect(serviceModel({ command }))?.reason, 'command postgres');
  assert.equal(adapter.detect(serviceModel({ ports: [5432] }))?.reason, 'port 5432');
});

test('what only speaks with PostgreSQL is not it', () => {
  for (const image of ['prometheuscommunity/postgres-exporter', 'postgrest/postgrest', 'edoburu/pgbouncer', 'dpage/pgadmin4'])
    assert.equal(adapter.detect(serviceModel({ image, ports: [5432] })), null, image);
  assert.equal(adapter.detect(serviceModel({ image: 'postgres:15', command: ['psql', '-f', 'seed.sql'] })), null);
});

test('level 2 is offered where the command can be added to, and laid over with consent alone', () => {
  const official = serviceModel({ image: 'postgres:15' });
  assert.deepEqual(
    adapter.watches(official).map(({ level }) => level),
    [0, 1, 2],
  );
  assert.deepEqual(
    adapter.watches(serviceModel({ image: 'bitnami/postgresql:15' })).map(({ level }) => level),
    [0, 1],
  );
  assert.deepEqual(adapter.overlay(official, 1), {});
  assert.equal(adapter.overlay(official, 2).command?.[0], 'postgres');
  assert.deepEqual(adapter.overlay(serviceModel({ image: 'bitnami/postgresql:15' }), 2), {});
});

test('its version is read from the server', () => {
  assert.equal(adapter.version?.pattern.exec('postgres (PostgreSQL) 15.14 (Debian 15.14-0+deb12u1)')?.[1], '15.14');
});
