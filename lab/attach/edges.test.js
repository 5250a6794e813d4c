import assert from 'node:assert/strict';
import { test } from 'node:test';
import { serviceModels } from './compose-model.js';
import { edgesOf, reachableFrom } from './edges.js';
import { configOf } from './fixtures/systems.js';

/** @param {Record<string, any>} services */
const edgesIn = (services) => edgesOf(serviceModels({ name: 'run', services })).map(({ from, to, reason }) => `${from} ${to}: ${reason}`);

test('a host in a variable is an edge, and names the variable alone', () => {
  const services = { web: { environment: { DATABASE_URL: 'postgres://u:secret@db/x' } }, db: {} };
  assert.deepEqual(edgesIn(services), ['web db: named in DATABASE_URL']);
});

test('depends_on is an edge, but not to a service that must have ended', () => {
  const depends_on = { db: { condition: 'service_healthy' }, migrate: { condition: 'service_completed_successfully' } };
  assert.deepEqual(edgesIn({ web: { depends_on }, db: {}, migrate: {} }), ['web db: depends_on']);
});

test('a service that waits for another and asks it through a third has no edge to it', () => {
  const found = edgesOf(serviceModels(configOf('shop'))).map(({ from, to }) => `${from} ${to}`);
  assert.deepEqual(found.toSorted(), ['haproxy web', 'pgbouncer postgres', 'web haproxy', 'web pgbouncer']);
});

test('a service is found by the name of its container and by an alias, in any case', () => {
  const services = {
    web: { environment: { A: 'http://Prod-DB:1/', B: 'http://store:1/' } },
    db: { container_name: 'prod-db' },
    other: { networks: { default: { aliases: ['store'] } } },
  };
  assert.deepEqual(edgesIn(services), ['web db: named in A', 'web other: named in B']);
});

test('a service that names itself, and a dependency that is not in the file, are no edges', () => {
  assert.deepEqual(edgesIn({ web: { environment: { SELF_URL: 'http://web/' }, depends_on: { gone: { required: false } } } }), []);
});

test('what requests can get to ends where the edges end, in circles too', () => {
  const edge = (/** @type {string} */ from, /** @type {string} */ to) => ({ from, to, reason: '' });
  const edges = [edge('a', 'b'), edge('b', 'c'), edge('c', 'a'), edge('d', 'a')];
  assert.deepEqual([...reachableFrom('a', edges)], ['a', 'b', 'c']);
  assert.deepEqual([...reachableFrom('e', edges)], ['e']);
});
