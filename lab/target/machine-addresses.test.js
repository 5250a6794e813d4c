import assert from 'node:assert/strict';
import { test } from 'node:test';
import { machineAddresses, placesOnMachine } from './machine-addresses.js';

test('a port of the machine is the service that is published there', () => {
  const places = placesOnMachine([
    { service: 'nginx', openAt: { 8080: 80 }, networkMode: '' },
    { service: 'web', openAt: {}, networkMode: '' },
    { service: 'agent', openAt: { 9000: 9000 }, networkMode: 'host' },
  ]);
  assert.deepEqual(places, { 8080: 'nginx:80' });
  const script =
    "const base = __ENV.BASE || 'http://localhost:8080'; http.get(`http://127.0.0.1:9000/items`); http.get('http://localhost.test/');";
  assert.deepEqual(machineAddresses(script, places), [
    { address: 'localhost:8080', place: 'nginx:80' },
    { address: '127.0.0.1:9000', place: null },
  ]);
});
