import assert from 'node:assert/strict';
import { test } from 'node:test';
import { topologyOf } from './topology.js';

/** @type {(tiers: Record<string, string>, edges?: import('./topology.js').Edge[]) => string[]} services by name, each with its tier */
function pairs(tiers, edges) {
  const services = Object.entries(tiers).map(([name, tier]) => ({ name, tier }));
  return topologyOf({ services, edges }, 'k6').edges.map(({ from, to }) => `${from} > ${to}`);
}

test('the generator talks to the first tier that is there, and each tier to the next', () => {
  assert.deepEqual(pairs({ mongo: 'database', nginx: 'load-balancer', 'app-1': 'app', 'app-2': 'app', k6: 'generator' }), [
    'k6 > nginx',
    'nginx > app-1',
    'nginx > app-2',
    'app-1 > mongo',
    'app-2 > mongo',
  ]);
  assert.deepEqual(pairs({ 'app-1': 'app' }), ['k6 > app-1']);
  assert.deepEqual(pairs({ tokyo: 'database' }), ['k6 > tokyo']);
});

test('observers talk about the system, and not within it', () => {
  assert.deepEqual(pairs({ 'app-1': 'app', 'database-observer': 'observer' }), ['k6 > app-1']);
});

test('several balancers share the users, and each talks to every node', () => {
  assert.deepEqual(pairs({ 'lb-1': 'load-balancer', 'lb-2': 'load-balancer', 'app-1': 'app', 'app-2': 'app' }), [
    'k6 > lb-1',
    'k6 > lb-2',
    'lb-1 > app-1',
    'lb-1 > app-2',
    'lb-2 > app-1',
    'lb-2 > app-2',
  ]);
});

test('a queue stands between the nodes and the database', () => {
  assert.deepEqual(pairs({ 'app-1': 'app', kafka: 'queue', mongo: 'database' }), ['k6 > app-1', 'app-1 > kafka', 'kafka > mongo']);
});

test('where the manifest names its edges they are these and no others: a cache beside the database, a service that calls a service', () => {
  const edges = [
    { from: 'k6', to: 'front' },
    { from: 'front', to: 'back' },
    { from: 'back', to: 'redis' },
    { from: 'back', to: 'mongo' },
  ];
  const tiers = { entryProxy: 'app', back: 'app', redis: 'database', mongo: 'database' };
  assert.deepEqual(pairs(tiers, edges), ['k6 > front', 'front > back', 'back > redis', 'back > mongo']);
});

test('services of several containers have a name in common, and others none', () => {
  const services = [
    { name: 'api-1', service: 'api' },
    { name: 'api-2', service: 'api' },
    { name: 'db', service: 'db' },
    { name: 'of-an-old-record' },
  ];
  assert.deepEqual(
    [...topologyOf({ services: services.map((one) => ({ ...one, tier: 'app' })) }, 'k6').replicas],
    [['api', ['api-1', 'api-2']]],
  );
});
