import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { inConf } from '../../adapters/shipped-faults/balancer.js';
import { saying, withDocker } from '../../docker/fixtures/docker-program.js';
import { besides } from './planned-faults.js';

const CONF = inConf(/worker_connections \d+;/, 'worker_connections 64;');
/** As Compose has resolved an architecture: its services, with the names that the lab gives them. */
const CONFIG = {
  services: {
    'tickets-1': { labels: { 'doubletake.name': 'app-1' } },
    'nginx-1a-tuned': { labels: { 'doubletake.name': 'nginx' } },
  },
};

/**
 * What Compose is told of a fault.
 * @param {Partial<import('../../adapters/faults.js').Put>} how
 * @param {(folder: string, told: any) => Promise<void> | void} check  folder: in which its files are; told: by the one that is laid over
 */
async function told(how, check) {
  const folder = await mkdtemp(join(os.tmpdir(), 'inject-test-'));
  try {
    const put = /** @type {any} */ ({ how, service: 'nginx' });
    const { files, variables } = await withDocker(saying(JSON.stringify(CONFIG)), () => besides('1a-tuned', put, folder));
    assert.deepEqual([files.length, variables], [1, how.variables ?? {}]);
    await check(folder, JSON.parse(await readFile(files[0], 'utf8')));
  } finally {
    await rm(folder, { recursive: true });
  }
}

test('settings are given to the service that has the name in this architecture', () =>
  told({ services: { 'app-1': { environment: { STOCK: '1' } } }, variables: { STOCK: '1' } }, (_, all) =>
    assert.deepEqual(all, { services: { 'tickets-1': { environment: { STOCK: '1' } } }, networks: {} }),
  ));

test('a changed conf is mounted in the place of the lab’s own, beside other settings of the balancer', () =>
  told({ services: { nginx: { ulimits: { nofile: 64 } } }, change: CONF }, (folder, { services }) =>
    assert.deepEqual(services['nginx-1a-tuned'], { ulimits: { nofile: 64 }, volumes: [`${join(folder, 'nginx')}:/etc/doubletake:ro`] }),
  ));

test('a network that the settings name is declared', () =>
  told({ networks: ['private'] }, (_, { networks }) => assert.deepEqual(networks, { private: { labels: { 'doubletake.lab': 'yes' } } })));

test('a change of the conf is made in a copy, with its snippets beside it', () =>
  told({ change: CONF }, async (folder) => {
    assert.match(await readFile(join(folder, 'nginx', '2a.conf'), 'utf8'), /worker_connections 64;/);
    assert.ok(await readFile(join(folder, 'nginx', 'snippets', 'http.conf'), 'utf8'));
  }));

test('without a fault Compose is told nothing', async () => {
  assert.deepEqual(await besides('2a', null, '/nowhere'), { files: [], variables: {} });
});
