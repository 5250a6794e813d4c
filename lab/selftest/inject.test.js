import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { changedConf, overrideOf } from './inject.js';

const BY_NAME = { 'app-1': 'tickets-1', nginx: 'nginx-1a-tuned' };

test('settings are given to the service that has the name in this architecture', () => {
  const services = { 'app-1': { environment: { STOCK: '1' } } };
  assert.deepEqual(overrideOf({ services }, BY_NAME, null), {
    services: { 'tickets-1': { environment: { STOCK: '1' } } },
    networks: {},
  });
});

test('a changed conf is mounted in the place of the lab’s own, beside other settings of the balancer', () => {
  const { services } = overrideOf({ services: { nginx: { ulimits: { nofile: 64 } } } }, BY_NAME, '/tmp/conf');
  assert.deepEqual(services['nginx-1a-tuned'], { ulimits: { nofile: 64 }, volumes: ['/tmp/conf:/etc/doubletake:ro'] });
});

test('a network that the settings name is declared', () => {
  assert.deepEqual(overrideOf({ networks: ['private'] }, BY_NAME, null).networks, { private: { labels: { 'doubletake.lab': 'yes' } } });
});

test('a change of the conf is made in a copy, with its snippets beside it', async () => {
  const folder = await mkdtemp(join(os.tmpdir(), 'inject-test-'));
  try {
    const copy = await changedConf([/worker_connections \d+;/, 'worker_connections 64;'], folder);
    assert.match(await readFile(join(copy, '2a.conf'), 'utf8'), /worker_connections 64;/);
    assert.ok(await readFile(join(copy, 'snippets', 'http.conf'), 'utf8'));
  } finally {
    await rm(folder, { recursive: true });
  }
});
