import assert from 'node:assert/strict';
import { test } from 'node:test';
import { keptInside, machineHosts } from './own-script.js';

const SCRIPT = /** @type {import('./own-script.js').OwnScript} */ (/** @type {unknown} */ ({ isInside: true }));
const withSubnets = (/** @type {string[]} */ ...subnets) => ({
  networks: { default: { ipam: { config: subnets.map((subnet) => ({ subnet })) } } },
});

test('a load stays at private addresses where the networks of the file are private, and the script names no other host', () => {
  const isKept = (/** @type {import('./own-script.js').OwnScript | null} */ script, /** @type {any} */ config) =>
    keptInside(script, config)?.isInside;
  assert.equal(isKept(SCRIPT, {}), true);
  assert.equal(isKept(SCRIPT, withSubnets('172.20.0.0/16', 'fd00:1::/64')), true);
  assert.equal(isKept(SCRIPT, withSubnets('10.0.0.0/8', '30.1.0.0/16')), false);
  assert.equal(isKept({ ...SCRIPT, isInside: false }, {}), false);
  assert.equal(keptInside(null, {}), null);
});

test('names that a script leads to its own machine are known, and no others', () => {
  const hosts = {
    'Shop.test': '127.0.0.1:8080',
    'api.test': '127.0.0.1',
    'six.test': '[::1]:80',
    '*.x.test': '127.0.0.1',
    'far.test': '192.0.2.1',
  };
  assert.deepEqual(machineHosts(hosts), { 'shop.test': '8080', 'api.test': '', 'six.test': '80' });
});
