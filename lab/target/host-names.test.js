import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hostsAskedBy, hostsOfCommand, hostsOfVariable, urlHosts } from './host-names.js';

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

test('a host that is asked is found where nothing else of the file has its name', () => {
  assert.deepEqual(hostsAskedBy('DB_HOST', 'db.prod.example.com'), ['db.prod.example.com']);
  assert.deepEqual(hostsAskedBy('PGHOST', '10.0.0.7'), ['10.0.0.7']);
  assert.deepEqual(hostsAskedBy('KAFKA', 'k1.example.com:9092,k2.example.com:9092'), ['k1.example.com', 'k2.example.com']);
  assert.deepEqual(hostsAskedBy('API', 'https://api.example.com/v1'), ['api.example.com']);
});

test('by which names a service itself is asked is no host that it asks', () => {
  for (const name of ['ALLOWED_HOSTS', 'VIRTUAL_HOST', 'HOSTNAME', 'ADMIN_EMAIL'])
    assert.deepEqual(hostsAskedBy(name, 'shop.example.com'), [], name);
  assert.deepEqual(hostsAskedBy('ADMIN_EMAIL', 'ada@example.com'), []);
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

test('of a list of URLs each has a host, and a source of data is one', () => {
  assert.deepEqual(urlHosts('http://es1:9200,http://es2:9200'), ['es1', 'es2']);
  assert.deepEqual(hostsOfVariable('ConnectionString', 'Data Source=db;Initial Catalog=shop'), ['db']);
});

test('by a name of a Swarm’s a service is reached under its own', () => {
  assert.deepEqual(hostsOfVariable('API_HOST', 'tasks.api'), ['api']);
});

test('who may ask a service, and where users come back to, is nobody that it asks', () => {
  for (const name of ['CORS_ORIGINS', 'ALLOWED_HOSTS', 'TRUSTED_PROXIES', 'CSRF_TRUSTED_ORIGINS', 'REDIRECT_URL', 'OAUTH_CALLBACK_URL'])
    assert.deepEqual(hostsOfVariable(name, 'http://web:3000'), [], name);
});
