import assert from 'node:assert/strict';
import { test } from 'node:test';
import { serviceModels } from './compose-model.js';
import { withToldPorts } from './told-ports.js';

/** @param {any} service */
function portsOf(service) {
  const config = { name: 'run', services: { web: service } };
  return withToldPorts(serviceModels(config), config)[0].ports;
}

test('a port is told by labels for a proxy, by variables, and by a health check', () => {
  assert.deepEqual(portsOf({ image: 'a', labels: { 'traefik.http.services.web.loadbalancer.server.port': '2368' } }), [2368]);
  assert.deepEqual(portsOf({ image: 'a', labels: { 'caddy.reverse_proxy': '{{upstreams 3000}}' } }), [3000]);
  assert.deepEqual(portsOf({ image: 'a', environment: { VIRTUAL_PORT: '8090' } }), [8090]);
  assert.deepEqual(portsOf({ image: 'a', environment: { PORT: '4000', DB_PORT: '5432' } }), [4000]);
  assert.deepEqual(portsOf({ image: 'a', healthcheck: { test: ['CMD', 'curl', '-f', 'http://localhost:9000/health'] } }), [9000]);
  assert.deepEqual(portsOf({ image: 'ghost:5-alpine' }), [2368]);
});

test('what the file says stays, and what is no port is none', () => {
  assert.deepEqual(portsOf({ image: 'a', expose: ['80'], environment: { PORT: '4000' } }), [80]);
  assert.deepEqual(portsOf({ image: 'a', environment: { PORT: 'tcp://10.0.0.1:80', HTTP_PORT: '0', WEB_PORT: '70000' } }), []);
});
