import assert from 'node:assert/strict';
import { test } from 'node:test';
import { serviceModel } from '../fixtures/service-model.js';
import { adapter } from './adapter.js';

test('a service is Nginx by its image or its command', () => {
  for (const image of ['nginx:1.27-alpine', 'docker.io/library/nginx', 'nginxinc/nginx-unprivileged:stable'])
    assert.deepEqual(adapter.detect(serviceModel({ image })), { tier: 'load-balancer', reason: `image ${image}` });
  const built = serviceModel({ command: ['nginx', '-g', 'daemon off;'] });
  assert.deepEqual(adapter.detect(built), { tier: 'load-balancer', reason: 'command nginx -g' });
  for (const image of ['nginx/nginx-prometheus-exporter', 'shop/nginx-config']) assert.equal(adapter.detect(serviceModel({ image })), null);
});

test('at level 2 the changed copy lies over its configuration', () => {
  const service = serviceModel({ image: 'nginx' });
  assert.deepEqual(adapter.overlay(service, 2), {
    mounts: [{ source: 'raw:nginx.conf', target: '/etc/nginx/nginx.conf', readOnly: true }],
  });
});

test('its version is what it says of itself', () => {
  assert.equal(adapter.version?.pattern.exec('nginx version: nginx/1.22.1')?.[1], '1.22.1');
});

test('the lab is given what it lays over', () => {
  assert.equal(adapter.configuration?.name, 'nginx.conf');
});
