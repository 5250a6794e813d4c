import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeArm, describeContainers, describeEdges, describeSystem, entryServices, serviceOfEntry } from './describe.js';

/** @type {import('./project-schema.js').Project} */
const PROJECT = {
  compose: ['compose.yaml', 'compose.load.yaml'],
  entry: 'http://Proxy:8080/',
  services: {
    proxy: { tier: 'load-balancer', product: 'haproxy', watch: 2 },
    web: { tier: 'app', product: 'opaque', watch: 1 },
    db: { tier: 'database', product: 'postgres', watch: 1 },
    mail: { tier: 'other', product: 'opaque', watch: 0 },
  },
  edges: [
    ['proxy', 'web'],
    ['web', 'db'],
  ],
  load: { urls: ['GET /'] },
};

/** @type {(service: string, name: string, tier: string, address: string) => import('../measure/containers.js').Service} */
const container = (service, name, tier, address) => ({
  ...{ service, name, tier, product: null, address, addresses: [address], cpuQuotaCores: null },
  watch: 0,
  ...{ id: `id-${name}`, pid: 1, image: 'secret.example/image', imageId: 'sha256:0' },
});

const CONTAINERS = [
  container('doubletake-k6', 'k6', 'generator', '10.0.0.9'),
  container('web', 'web-10', 'app', '10.0.0.4'),
  container('web', 'web-2', 'app', '10.0.0.3'),
  container('proxy', 'proxy', 'load-balancer', '10.0.0.2'),
  container('db', 'db', 'database', '10.0.0.5'),
  container('new', 'new', 'observer', '10.0.0.6'),
];

test('each container is told with what its service is, the containers of one service in the order of their numbers', () => {
  const described = describeContainers(CONTAINERS, PROJECT);
  assert.deepEqual(
    described.map(({ name, tier, product, watch }) => [name, tier, product, watch]),
    [
      ['db', 'database', 'postgres', 1],
      ['k6', 'generator', 'k6', 0],
      ['new', 'observer', 'opaque', 0],
      ['proxy', 'load-balancer', 'haproxy', 2],
      ['web-2', 'app', 'opaque', 1],
      ['web-10', 'app', 'opaque', 1],
    ],
  );
  assert.deepEqual(described[0], {
    ...{ service: 'db', name: 'db', tier: 'database', product: 'postgres', watch: 1 },
    ...{ address: '10.0.0.5', addresses: ['10.0.0.5'], cpu_quota_cores: null },
  });
});

test('edges are between containers, and the generator’s come first', () => {
  assert.deepEqual(
    describeEdges(CONTAINERS, PROJECT).map(({ from, to }) => `${from} ${to}`),
    ['k6 proxy', 'proxy web-2', 'proxy web-10', 'web-2 db', 'web-10 db'],
  );
});

test('an entry of several containers has an edge to each', () => {
  const edges = describeEdges(CONTAINERS, { ...PROJECT, entry: 'http://web:8000/', edges: [] });
  assert.deepEqual(edges, [
    { from: 'k6', to: 'web-2' },
    { from: 'k6', to: 'web-10' },
  ]);
});

test('the entry’s service is found however its name is written', () => {
  assert.equal(serviceOfEntry(PROJECT, 'http://Proxy:8080/'), 'proxy');
  assert.deepEqual(entryServices(PROJECT), ['proxy']);
});

test('each of several entries has its edge from the generator, and a request its entry', () => {
  const several = { ...PROJECT, entry: ['http://Proxy:8080/', 'http://web:8000/', 'http://web:9000/'], edges: [] };
  assert.deepEqual(entryServices(several), ['proxy', 'web']);
  assert.deepEqual(
    describeEdges(CONTAINERS, several).map(({ to }) => to),
    ['proxy', 'web-2', 'web-10'],
  );
  const asked = { method: 'GET', path: '/', target: 'http://web:8000/' };
  assert.deepEqual(describeSystem(several, [asked], { edges: [], services: {} }).requests, [{ ...asked, weight: 1 }]);
});

test('the system is its files, entry, services and requests, without headers, bodies or values of queries', () => {
  const sent = { method: 'POST', path: '/orders?card=4111&a=', headers: { Authorization: 'Bearer hunter2' }, body: '{"card":4111}' };
  const described = describeSystem(PROJECT, [{ method: 'GET', path: '/', weight: 3 }, sent], { edges: [], services: {} });
  assert.deepEqual(described.requests, [
    { method: 'GET', path: '/', weight: 3 },
    { method: 'POST', path: '/orders?card=…&a=…', weight: 1 },
  ]);
  assert.deepEqual([described.files, described.entry], [['compose.yaml', 'compose.load.yaml'], 'http://Proxy:8080/']);
  assert.deepEqual(described.services.mail, { tier: 'observer', product: 'opaque', watch: 0 });
});

test('a run of a comparison says which side it is of, with the values that were typed for it', () => {
  const own = { title: 'shop with POOL=8', given: ['POOL=8'], compose: ['compose.yaml'], commit: null, absent: [], fingerprint: 'f1' };
  assert.deepEqual(describeArm({ id: 'POOL=8', architecture: 'shop', variables: { POOL: '8' }, own }), {
    id: 'POOL=8',
    title: 'shop with POOL=8',
    variables: { POOL: '8' },
    commit: null,
  });
});
