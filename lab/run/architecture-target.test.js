import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readSettings } from '../options/settings.js';
import { architectureTarget } from './architecture-target.js';

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
