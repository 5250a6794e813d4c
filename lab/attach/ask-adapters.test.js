import assert from 'node:assert/strict';
import { test } from 'node:test';
import { questionsFor, readProductVersions } from './ask-adapters.js';

/** @typedef {import('./project-schema.js').ProjectService} ProjectService */

/** @param {Record<string, ProjectService>} services @returns {import('./project-schema.js').Project} */
const projectOf = (services) => ({ compose: [], entry: '', services, edges: [], load: {} });

/** @type {(service: string, name?: string, changes?: Partial<import('../measure/containers.js').Service>) => import('../measure/containers.js').Service} */
const container = (service, name = service, changes = {}) => ({
  ...{ service, name, tier: 'database', address: '', addresses: [], cpuQuotaCores: null },
  ...{ id: name, pid: 1, image: '', imageId: '', ...changes },
});

/** A container that prints this whatever it is asked. @type {(outputs: Record<string, string>) => (service: { id: string }) => any} */
const printing = (outputs) => (service) => ({
  execute: async () => {
    if (outputs[service.id] === undefined) throw new Error('no such program');
    return { exitCode: 0, output: outputs[service.id] };
  },
});

const PROJECT = projectOf({
  proxy: { tier: 'load-balancer', product: 'haproxy', watch: 1 },
  web: { tier: 'app', product: 'opaque', watch: 1 },
  db: { tier: 'database', product: 'postgres', watch: 1 },
  old: { tier: 'database', product: 'postgres', watch: 0 },
  cache: { tier: 'cache', product: 'redis', watch: 1 },
});

test('each product tells its version, and one that does not is unknown', async () => {
  const outputs = {
    proxy: 'HAProxy version 2.6.12-1+deb12u1 2023/12/16',
    'db-1': 'postgres (PostgreSQL) 15.4',
    'db-2': 'asked once is enough',
    old: 'postgres (PostgreSQL) 13.2',
  };
  const containers = [
    container('proxy'),
    container('web'),
    container('db', 'db-1'),
    container('db', 'db-2'),
    container('old'),
    container('cache'),
  ];
  assert.deepEqual(await readProductVersions(containers, PROJECT, printing(outputs)), {
    haproxy: '2.6.12-1+deb12u1',
    postgres: '15.4, 13.2',
    redis: 'unknown',
  });
});

test('a container that has ended is not asked', async () => {
  assert.deepEqual(await readProductVersions([container('db', 'db', { pid: 0 })], PROJECT, printing({})), {});
});

test('each container is asked for its state where its product has something to ask at that level', () => {
  const containers = ['proxy', 'web', 'old', 'new'].map((name) => container(name));
  const generator = container('doubletake-k6', 'k6', { tier: 'generator' });
  const all = [...containers, container('db', 'db-1'), container('db', 'db-2'), container('cache'), generator];
  const names = (/** @type {any} */ project) => questionsFor(all, project, printing({})).map(({ name }) => name);
  assert.deepEqual(names(PROJECT), ['db-1', 'db-2', 'cache']);
  const services = { ...PROJECT.services, proxy: { ...PROJECT.services.proxy, watch: /** @type {const} */ (2) } };
  assert.deepEqual(names(projectOf(services)), ['proxy', 'db-1', 'db-2', 'cache']);
});
