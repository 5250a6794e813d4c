import assert from 'node:assert/strict';
import { test } from 'node:test';
import { placeContainers } from '../docker/docker.js';
import { describeEdges, describeServices, drainQueue, liftQuotas } from './run-target.js';

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

test('each container is reported with what its labels say it is, those of one service in the order of their numbers', () => {
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

test('one without a label of its product has the files that it leaves, and one of several hosts has its host', () => {
  const proxy = describeServices(CONTAINERS)[2];
  assert.deepEqual(Object.keys(proxy), ['service', 'name', 'host', 'tier', 'files', 'address', 'addresses', 'cpu_quota_cores']);
  assert.ok('files' in proxy && proxy.files.includes('nginx-access.ndjson'));
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

test('where no request comes from outside, nothing is told', () => {
  assert.deepEqual(describeEdges(CONTAINERS, null), {});
});

const QUEUE = /** @type {any} */ ({ name: 'redis', service: 'redis', tier: 'queue', product: 'redis', id: 'q', address: '10.0.0.9' });

/** @param {(string | Error)[]} answers  of the queue, one after the other; the last one again and again */
async function drained(answers, signal = new AbortController().signal) {
  let asked = 0;
  /** @type {string[]} */
  const said = [];
  const open = /** @type {any} */ (
    () => ({
      execute: async () => {
        const answer = answers[Math.min(asked, answers.length - 1)];
        asked += 1;
        if (answer instanceof Error) throw answer;
        return { exitCode: 0, output: answer };
      },
    })
  );
  const result = await drainQueue([QUEUE], { say: (text) => said.push(text), signal, everyMs: 0, open });
  return { left: result?.left, asked, said };
}

test('a queue is waited for until it is empty', async () => {
  const { left, asked, said } = await drained(['12\n', '5\n', '0\n']);
  assert.deepEqual([left, asked], [0, 3]);
  assert.deepEqual(said, ['the load has ended with 12 in the queue; waiting for them to be done, for 3 minutes at most']);
});

test('one that nobody works on is given up, with what is left', async () => {
  const { left, asked } = await drained(['12\n', '7\n']);
  assert.deepEqual([left, asked], [7, 17]);
});

test('one that does not answer is not waited for without end, and what is left is not known', async () => {
  const { left, asked } = await drained([new Error('it is gone')]);
  assert.deepEqual([left, asked], [null, 5]);
});

test('an interruption ends it, and a stack without a queue has nothing to wait for', async () => {
  assert.equal((await drained(['12\n'], AbortSignal.abort())).asked, 0);
  const options = { say: () => {}, signal: new AbortController().signal };
  assert.equal(await drainQueue([/** @type {any} */ ({ tier: 'database', product: null })], options), null);
});

/**
 * An engine of two cores that keeps the quotas of its containers.
 * @param {Record<string, object>} quotas  by container
 * @param {(wanted: any) => object} [kept]  what it makes of a quota that it is told
 */
function engineWith(quotas, kept = (wanted) => wanted) {
  const engine = {
    info: async () => ({ NCPU: 2 }),
    getContainer: (/** @type {string} */ id) => ({
      inspect: async () => ({ HostConfig: quotas[id] }),
      update: async (/** @type {object} */ wanted) => {
        quotas[id] = kept(wanted);
      },
    }),
  };
  placeContainers(/** @type {any} */ (engine), Object.keys(quotas));
}

/** @param {string} id @param {string} tier @param {number | null} cpuQuotaCores */
const service = (id, tier, cpuQuotaCores) => /** @type {any} */ ({ id, name: id, tier, cpuQuotaCores });

test('the nodes have the whole host for the warm-up, and the quotas that they had for the load', async () => {
  /** @type {Record<string, object>} */
  const quotas = {
    'app-1': { CpuPeriod: 50_000, CpuQuota: 8500 },
    'app-2': { NanoCpus: 17e7 },
    mongo: { CpuPeriod: 50_000, CpuQuota: 20_000 },
    'app-3': {},
  };
  engineWith(quotas);
  const services = [
    service('app-1', 'app', 0.17),
    service('app-2', 'app', 0.17),
    service('mongo', 'database', 0.4),
    service('app-3', 'app', null),
  ];

  const bringBack = await liftQuotas(services, ['app']);
  assert.deepEqual(quotas, {
    'app-1': { CpuPeriod: 100_000, CpuQuota: 200_000 },
    'app-2': { NanoCpus: 2e9 },
    mongo: { CpuPeriod: 50_000, CpuQuota: 20_000 },
    'app-3': {},
  });
  await bringBack();
  assert.deepEqual([quotas['app-1'], quotas['app-2']], [{ CpuPeriod: 50_000, CpuQuota: 8500 }, { NanoCpus: 17e7 }]);
});

test('a node that does not have its quota back is no run', async () => {
  engineWith({ 'app-1': { CpuPeriod: 50_000, CpuQuota: 8500 } }, () => ({ CpuPeriod: 100_000, CpuQuota: 200_000 }));
  const bringBack = await liftQuotas([service('app-1', 'app', 0.17)], ['app']);
  await assert.rejects(bringBack, /app-1 was to have its quota of 0\.17 of a core back before the load, and has 2/);
});

test('where no tier is named nothing is touched', async () => {
  const quotas = { 'app-1': { CpuPeriod: 10_000, CpuQuota: 1700 } };
  engineWith(quotas);
  const bringBack = await liftQuotas([service('app-1', 'app', 0.17)], []);
  await bringBack();
  assert.deepEqual(quotas, { 'app-1': { CpuPeriod: 10_000, CpuQuota: 1700 } });
});
