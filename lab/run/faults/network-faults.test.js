import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NotReadyError } from '../../base/errors.js';
import { checkReach, deviceOf } from './network-faults.js';

test('the way to a neighbour is its device, and what lies behind a gateway is no neighbour', () => {
  assert.equal(deviceOf('172.18.0.3 dev eth1 src 172.18.0.2 uid 0 \\    cache \n'), 'eth1');
  assert.equal(deviceOf('10.0.0.3 via 172.18.0.1 dev eth0 src 172.18.0.2 uid 0 \\    cache \n'), null);
  assert.equal(deviceOf(''), null);
});

test('a container whose network is not on this machine is reported before the load', async () => {
  await assert.rejects(
    checkReach({ name: 'app-1', id: 'c0ffee', pid: 2 ** 30, addresses: [] }, ['ip'], 'ip'),
    (error) => error instanceof NotReadyError && /reach the network of app-1/.test(error.message),
  );
});

test('a process of this machine that has the number of a container elsewhere is not that container', async () => {
  await assert.rejects(
    checkReach({ name: 'app-1', id: 'c0ffee', pid: process.pid, addresses: [] }, ['ip'], 'ip'),
    (error) => error instanceof NotReadyError && /no process of it on this machine/.test(error.message),
  );
});
