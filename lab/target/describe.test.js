import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeArm, describeSystem, entryServices, serviceOfEntry } from './describe.js';

/** @type {import('../catalog/project-schema.js').Project} */
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

test('the entry’s service is found however its name is written', () => {
  assert.equal(serviceOfEntry(PROJECT, 'http://Proxy:8080/'), 'proxy');
  assert.deepEqual(entryServices(PROJECT), ['proxy']);
});

test('each of several entries is a service’s, and a request has its entry', () => {
  const several = { ...PROJECT, entry: ['http://Proxy:8080/', 'http://web:8000/', 'http://web:9000/'], edges: [] };
  assert.deepEqual(entryServices(several), ['proxy', 'web']);
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

test('what a user says of the system is on its record, and nothing of what nobody said', () => {
  const remedies = [{ change: 'a pool of 32', causes: ['pool-wait'], variables: { POOL: '32' } }];
  const described = describeSystem({ ...PROJECT, title: 'the shop', question: 'Enough?', remedies }, [], { edges: [], services: {} });
  assert.deepEqual([described.title, described.question, described.remedies], ['the shop', 'Enough?', remedies]);
  assert.ok(!('title' in describeSystem(PROJECT, [], { edges: [], services: {} })));
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
