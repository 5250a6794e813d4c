import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeEdges, describeServices } from './describe-services.js';

/** @typedef {import('../docker/containers.js').Service} Service */

/** @type {(service: string, name: string, own: Partial<Service>) => Service} */
const container = (service, name, own) => ({
  ...{ service, name, tier: 'app', product: 'opaque', watch: 1, address: '10.0.0.3', addresses: ['10.0.0.3'], cpuQuotaCores: null },
  ...{ id: `id-${name}`, pid: 1, image: 'secret.example/image', imageId: 'sha256:0' },
  ...own,
});

const CONTAINERS = [
  container('doubletake-k6', 'k6', { tier: 'generator', product: 'k6', watch: 0 }),
  container('web', 'web-10', {}),
  container('web', 'web-2', {}),
  container('proxy', 'proxy', { tier: 'load-balancer', product: null, watch: 0, host: 'h2' }),
  container('db', 'db', { tier: 'database', product: 'postgres', address: '10.0.0.5', addresses: ['10.0.0.5', '10.0.1.5'] }),
];

test('each container is told with what its labels say it is, those of one service in the order of their numbers', () => {
  const described = describeServices(CONTAINERS);
  assert.deepEqual(
    described.map(({ name }) => name),
    ['db', 'k6', 'proxy', 'web-2', 'web-10'],
  );
  assert.deepEqual(described[0], {
    ...{ service: 'db', name: 'db', tier: 'database', product: 'postgres', watch: 1 },
    ...{ address: '10.0.0.5', addresses: ['10.0.0.5', '10.0.1.5'], cpu_quota_cores: null },
  });
});

test('one that no adapter reads has no product, and one of several hosts has its host', () => {
  const proxy = describeServices(CONTAINERS)[2];
  assert.deepEqual(Object.keys(proxy), ['service', 'name', 'host', 'tier', 'address', 'addresses', 'cpu_quota_cores']);
});

const EDGES = /** @type {const} */ ([
  ['proxy', 'web'],
  ['web', 'db'],
]);

test('edges are between containers, and the generator’s come first', () => {
  assert.deepEqual(
    describeEdges(CONTAINERS, { entries: ['proxy'], edges: EDGES }).edges?.map(({ from, to }) => `${from} ${to}`),
    ['k6 proxy', 'proxy web-2', 'proxy web-10', 'web-2 db', 'web-10 db'],
  );
});

test('each of several entries has an edge to each of its containers', () => {
  assert.deepEqual(
    describeEdges(CONTAINERS, { entries: ['proxy', 'web'], edges: [] }).edges?.map(({ to }) => to),
    ['proxy', 'web-2', 'web-10'],
  );
});

test('where the tiers alone say who asks whom, nothing is told', () => {
  assert.deepEqual(describeEdges(CONTAINERS, null), {});
});
