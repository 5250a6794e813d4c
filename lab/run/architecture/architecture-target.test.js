import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { inConf } from '../../adapters/shipped-faults/balancer.js';
import { architectures } from '../../catalog/architectures.js';
import { readSettings } from '../../options/settings.js';
import { wayOf } from '../../target/describe.js';
import { architectureTarget, changedFolder, overrideOf, projectOf } from './architecture-target.js';

/** @type {(names: string[]) => any} */
const hostsCalled = (names) => ({ names, outages: [] });

test('what a run is told of the machine and the load stands in the target, before anything is made', () => {
  const settings = readSettings('2a', { LOAD: 'smoke', BUSY: 'allow', DASHBOARD: '1', CAPTURE: '1', FAULT: 'kill app-2@3s+2s' });
  const { project, group, busy, dashboard, capture, faults } = architectureTarget({ settings });
  assert.deepEqual([project, group, busy, dashboard, capture], ['doubletake', '2a', 'allow', true, true]);
  assert.deepEqual(
    faults.map(({ text }) => text),
    ['kill app-2@3s+2s'],
  );
  assert.equal(architectureTarget({ settings, group: 'selftest' }).group, 'selftest');
});

test('on a Swarm nothing is published here, and a fault names a host that there is', async () => {
  const settings = readSettings('2a', { LOAD: 'smoke', FAULT: 'drain host2@3s+2s' }, true);
  assert.deepEqual(await architectureTarget({ settings, hosts: hostsCalled(['host1', 'host2']) }).needs.published(), []);
  assert.throws(() => architectureTarget({ settings, hosts: hostsCalled(['host1']) }), /expected one of the hosts host1 .*; found "host2"/);
});

test('an architecture says what a user’s doubletake.yaml says: services, who asks whom, where users enter', () => {
  const { services, edges, compose } = projectOf('2a');
  assert.deepEqual(compose, ['compose/2a/compose.yaml']);
  assert.deepEqual(services['2a-nginx'], { tier: 'load-balancer', product: 'nginx', watch: 0 });
  assert.deepEqual(wayOf(projectOf('2a')), {
    entries: ['2a-nginx'],
    edges: [
      ['2a-nginx', '2a-app-1'],
      ['2a-nginx', '2a-app-2'],
      ['2a-app-1', '2a-mongo'],
      ['2a-app-2', '2a-mongo'],
    ],
  });
  // What its own file says of that stands before the tiers.
  assert.deepEqual(edges.length, 4);
  assert.ok(projectOf('2a-list').edges.some(([from, to]) => from === '2a-list-consumer' && to === '2a-list-mongo'));
});

test('users enter an architecture at the service of its entry’s name, which is one of it', () => {
  for (const [id, { entry }] of Object.entries(architectures)) {
    const project = projectOf(id);
    for (const service of entry === undefined ? [] : wayOf(project).entries) assert.ok(Object.hasOwn(project.services, service), id);
  }
});

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
