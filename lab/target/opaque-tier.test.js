import assert from 'node:assert/strict';
import { test } from 'node:test';
import { serviceModels } from './compose-model.js';
import { edgesOf } from './edges.js';
import { opaqueTier } from './opaque-tier.js';

/** @type {(services: Record<string, any>, name?: string) => import('./opaque-tier.js').Guess} */
function guess(services, name = 'one') {
  const models = serviceModels({ name: 'run', services });
  const model = models.find(({ service }) => service === name);
  assert.ok(model);
  return opaqueTier(model, edgesOf(models));
}

test('of a service that stays the image comes first, without its digest', () => {
  assert.deepEqual(guess({ one: { image: 'mysql:8@sha256:00', expose: ['6379'] } }), { tier: 'database', reason: 'image mysql:8' });
  assert.deepEqual(guess({ one: { image: 'adminer' } }), { tier: null, reason: 'image adminer, a tool for operators' });
});

test('before all a name says that a service is a job that ends, unless the file starts it again', () => {
  const command = ['npm', 'run', 'migrate'];
  for (const name of [
    'migrate',
    'db-migrations',
    'minio_init',
    'mongo-init-replica',
    'createbuckets',
    'create-site',
    'seed-data',
    'configurator',
  ])
    assert.deepEqual(guess({ [name]: { command } }, name), { tier: null, reason: 'its name, of a job that ends' }, name);
  assert.equal(guess({ setup: { command, restart: 'always' } }, 'setup').tier, 'app');
  assert.equal(guess({ initiative: { command } }, 'initiative').tier, 'app');
});

test('then the program that the command starts, behind a script too', () => {
  assert.deepEqual(guess({ one: { command: ['/usr/sbin/haproxy', '-f', 'x'] } }), { tier: 'load-balancer', reason: 'it runs haproxy' });
  assert.equal(guess({ one: { entrypoint: ['docker-entrypoint.sh'], command: ['redis-server'] } }).tier, 'cache');
});

test('then a port, then the name', () => {
  assert.deepEqual(guess({ one: { image: 'acme/x', expose: ['80', '4222'] } }), { tier: 'queue', reason: 'it listens on port 4222' });
  assert.deepEqual(guess({ postgres: {} }, 'postgres'), { tier: 'database', reason: 'its name' });
});

test('then the direction: what keeps a volume and asks nobody is a database', () => {
  const volumes = [{ type: 'volume', source: 'data', target: '/data' }];
  assert.equal(guess({ one: { volumes }, web: { depends_on: { one: {} } } }).tier, 'database');
  assert.equal(guess({ one: {}, web: { depends_on: { one: {} } } }).tier, 'app');
  assert.equal(guess({ one: { volumes } }).tier, 'app');
});

test('what is reached through the network of another is no database for the volume that it keeps', () => {
  const one = { network_mode: 'service:vpn', depends_on: { vpn: {} }, volumes: [{ type: 'volume', source: 'config', target: '/config' }] };
  assert.deepEqual(guess({ one, vpn: {} }), { tier: 'app', reason: 'it is reached through the network of vpn' });
});

test('what publishes a port and depends on others is an app, and the reason says both', () => {
  const services = { one: { ports: [{ target: 3000, protocol: 'tcp' }], depends_on: { store: {} } }, store: {} };
  assert.deepEqual(guess(services), { tier: 'app', reason: 'it publishes port 3000 and it depends on store' });
});

test('what nothing is known of is an app, and the reason says that nothing is known', () => {
  assert.deepEqual(guess({ one: { image: 'acme/x' } }), { tier: 'app', reason: 'nothing says what it is' });
});

test('a known folder of data says what a store is, unless the program does nothing or users come in', () => {
  const volumes = [{ type: 'volume', source: 'data', target: '/var/lib/mysql' }];
  assert.deepEqual(guess({ one: { image: 'acme/x', volumes } }), { tier: 'database', reason: 'where it keeps its data' });
  assert.equal(guess({ one: { image: 'busybox', command: ['true'], volumes } }).tier, 'app');
  assert.equal(guess({ one: { image: 'acme/all-in-one', volumes, ports: [{ target: 80, protocol: 'tcp' }] } }).tier, 'app');
});

test('what is asked in HTTP, or published where HTTP is usual, is no database for its volume', () => {
  const volumes = [{ type: 'volume', source: 'models', target: '/cache' }];
  const asks = { environment: { MODEL_URL: 'http://one:3003' } };
  const services = { one: { image: 'acme/learning', volumes }, web: asks };
  const models = serviceModels({ name: 'run', services });
  assert.equal(opaqueTier(models[0], edgesOf(models), new Set(['one'])).tier, 'app');
  assert.equal(opaqueTier(models[0], edgesOf(models)).tier, 'database');
  assert.equal(guess({ one: { volumes, ports: [{ target: 8000, protocol: 'tcp' }] }, agent: { depends_on: { one: {} } } }).tier, 'app');
});

test('a tool that runs on the image of a language is known by its name', () => {
  assert.equal(guess({ flower: { image: 'python:3.12' } }, 'flower').tier, null);
  assert.equal(guess({ seq: { image: 'redis:7' } }, 'seq').tier, 'cache');
});
