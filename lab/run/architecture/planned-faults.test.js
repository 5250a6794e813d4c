import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { inConf } from '../../adapters/shipped-faults/balancer.js';
import { besides, changedFolder, overrideOf } from './planned-faults.js';

const BY_NAME = { 'app-1': 'tickets-1', nginx: 'nginx-1a-tuned' };
const CONF = inConf(/worker_connections \d+;/, 'worker_connections 64;');

test('settings are given to the service that has the name in this architecture', () => {
  const services = { 'app-1': { environment: { STOCK: '1' } } };
  assert.deepEqual(overrideOf({ services }, BY_NAME, null), {
    services: { 'tickets-1': { environment: { STOCK: '1' } } },
    networks: {},
  });
});

test('a changed conf is mounted in the place of the lab’s own, beside other settings of the balancer', () => {
  const { services } = overrideOf({ services: { nginx: { ulimits: { nofile: 64 } } }, change: CONF }, BY_NAME, '/tmp/conf');
  assert.deepEqual(services['nginx-1a-tuned'], { ulimits: { nofile: 64 }, volumes: ['/tmp/conf:/etc/doubletake:ro'] });
});

test('a network that the settings name is declared', () => {
  assert.deepEqual(overrideOf({ networks: ['private'] }, BY_NAME, null).networks, { private: { labels: { 'doubletake.lab': 'yes' } } });
});

test('a change of the conf is made in a copy, with its snippets beside it', async () => {
  const folder = await mkdtemp(join(os.tmpdir(), 'inject-test-'));
  try {
    const copy = await changedFolder(CONF, folder);
    assert.match(await readFile(join(copy, '2a.conf'), 'utf8'), /worker_connections 64;/);
    assert.ok(await readFile(join(copy, 'snippets', 'http.conf'), 'utf8'));
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('without a fault Compose is told nothing', async () => {
  assert.deepEqual(await besides('2a', null, '/nowhere'), { files: [], variables: {} });
});
