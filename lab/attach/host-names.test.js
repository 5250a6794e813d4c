import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hostsOfCommand, hostsOfVariable, urlHosts } from './host-names.js';

test('the hosts of a URL are found beside user, password and port', () => {
  assert.deepEqual(urlHosts('postgres://shop:p%40ss@PgBouncer:6432/shop?sslmode=off'), ['pgbouncer']);
  assert.deepEqual(urlHosts('mongodb://u:p@m1:27017,m2:27018/?replicaSet=rs'), ['m1', 'm2']);
  assert.deepEqual(urlHosts('jdbc:postgresql://db/shop and http://[::1]:80/'), ['db', '::1']);
  assert.deepEqual(urlHosts('no://'), []);
});

test('a password with a slash or a colon does not hide the host', () => {
  assert.ok(hostsOfVariable('STORE', 'postgres://keeper:a/b@db:5432/x').includes('db'));
  assert.ok(hostsOfVariable('STORE', 'amqp://keeper:a:b@queue/x').includes('queue'));
});

test('hosts with ports, lists of them, and texts of a connection are found', () => {
  assert.deepEqual(hostsOfVariable('KAFKA', 'k1:9092,k2:9092'), ['k1', 'k2']);
  assert.deepEqual(hostsOfVariable('DSN', "host=db port=5432 password='db2'"), ['db']);
});

test('a whole value is a host only where the variable’s name speaks of one', () => {
  assert.deepEqual(hostsOfVariable('PGHOST', 'db'), ['db']);
  assert.deepEqual(hostsOfVariable('REDIS_SERVERS', 'r1 r2'), ['r1', 'r2']);
  assert.deepEqual(hostsOfVariable('ROLE', 'web'), []);
  assert.deepEqual(hostsOfVariable('PASSWORD', 'web'), []);
});

test('a command names hosts in URLs, with ports, in options and after them', () => {
  const found = hostsOfCommand(['serve', '--upstream', 'web', '--db-host=db', '--cache', 'redis://cache']);
  assert.deepEqual(found.toSorted(), ['cache', 'db', 'web']);
  assert.deepEqual(hostsOfCommand(['sh', '-c', 'wait-for db:5432 && psql -h db']), ['db']);
  assert.deepEqual(hostsOfCommand(['mysql', '-h', 'db']), ['db']);
});

test('a module of Python, a time and an image’s tag are no hosts', () => {
  assert.deepEqual(hostsOfCommand(['gunicorn', 'web:app']), []);
  assert.deepEqual(hostsOfCommand(['run', 'acme/web:3']), []);
  assert.ok(!hostsOfVariable('AT', '12:30').includes('30'));
});
