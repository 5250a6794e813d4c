import assert from 'node:assert/strict';
import { test } from 'node:test';
import { architectures } from '../../catalog/architectures.js';
import { readSettings } from '../../options/settings.js';
import { wayOf } from '../../target/describe.js';
import { architectureTarget, projectOf } from './scenario-target.js';

/** @type {(names: string[]) => any} */
const hostsCalled = (names) => ({ names, outages: [] });

test('what a run is told of the machine and the load stands in the target, before anything is made', () => {
  const settings = readSettings('2a', { LOAD: 'smoke', BUSY: 'allow', DASHBOARD: '1', CAPTURE: '1', FAULT: 'kill app-2@3s+2s' });
  const { project, group, capture, settings: asked } = architectureTarget({ settings });
  assert.deepEqual([project, group, capture, asked], ['doubletake', '2a', true, settings]);
  assert.equal(architectureTarget({ settings, group: 'selftest' }).group, 'selftest');
});

test('on a Swarm nothing is published here, and a fault names a host that there is', async () => {
  const settings = readSettings('2a', { LOAD: 'smoke', FAULT: 'drain host2@3s+2s' }, { command: 'swarm' });
  assert.deepEqual(await architectureTarget({ settings, hosts: hostsCalled(['host1', 'host2']) }).published(), []);
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
