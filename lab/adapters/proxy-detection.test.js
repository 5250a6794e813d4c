import assert from 'node:assert/strict';
import { test } from 'node:test';
import { serviceModel } from './fixtures/service-model.js';
import { detectProxy, imagePath, optionValues } from './proxy-detection.js';

/** @param {Partial<import('./contract.js').ServiceModel>} [more] */
const service = (more) => serviceModel({ service: 'edge', ...more });

const TRAITS = { images: /^haproxy$/, program: 'haproxy', options: ['-f'] };

test('an image is known by its name, whatever its registry, tag or digest', () => {
  assert.deepEqual(
    [
      'haproxy',
      'haproxy:2.6',
      'library/haproxy:lts',
      'docker.io/library/haproxy:2.6-alpine',
      'localhost:5000/haproxy:x',
      'haproxy@sha256:00aa',
      'haproxytech/haproxy-alpine:2.6',
      'registry.example.com:443/team/haproxy',
    ].map(imagePath),
    ['haproxy', 'haproxy', 'haproxy', 'haproxy', 'haproxy', 'haproxy', 'haproxytech/haproxy-alpine', 'team/haproxy'],
  );
});

test('a service is detected by its image, and the reason names it', () => {
  assert.deepEqual(detectProxy(service({ image: 'haproxy:2.6' }), TRAITS), { tier: 'load-balancer', reason: 'image haproxy:2.6' });
});

test('a service that is built is detected by its command, as words or as a text for a shell', () => {
  const found = { tier: 'load-balancer', reason: 'command haproxy -f' };
  assert.deepEqual(detectProxy(service({ command: ['/usr/sbin/haproxy', '-W', '-db', '-f', '/etc/haproxy.cfg'] }), TRAITS), found);
  assert.deepEqual(detectProxy(service({ command: ['sh', '-c', 'exec haproxy -db -f /etc/haproxy.cfg'] }), TRAITS), found);
});

test('a program that is only an argument, or another image, is not taken for the proxy', () => {
  assert.equal(detectProxy(service({ command: ['node', 'app.js', '--behind', 'haproxy'] }), TRAITS), null);
  assert.equal(detectProxy(service({ image: 'prom/haproxy-exporter:1' }), TRAITS), null);
  assert.equal(detectProxy(service(), TRAITS), null);
});

test('all values of an option are found, in each of its spellings', () => {
  const command = ['haproxy', '-f', '/a.cfg', "-f '/b.cfg'", '--config=/c', '--config', '/d', '-f'];
  assert.deepEqual(optionValues(service({ command }), 'haproxy', ['-f']), ['/a.cfg', '/b.cfg']);
  assert.deepEqual(optionValues(service({ command }), 'haproxy', ['--config']), ['/c', '/d']);
});

test('an option of the shell that starts the program is not the program’s, and without the program’s name all are', () => {
  assert.deepEqual(optionValues(service({ command: ['sh', '-c', 'exec caddy run -c /etc/Caddyfile'] }), 'caddy', ['-c']), [
    '/etc/Caddyfile',
  ]);
  assert.deepEqual(optionValues(service({ command: ['-c', '/etc/envoy.yaml'] }), 'envoy', ['-c']), ['/etc/envoy.yaml']);
});

test('where a configuration is mounted tells a proxy that listens, but not one beside a runtime', () => {
  const traits = { ...TRAITS, folders: /^\/etc\/haproxy$/ };
  const mounts = [{ type: 'bind', source: '/p', target: '/etc/haproxy', readOnly: true }];
  const found = (/** @type {string} */ image, /** @type {number[]} */ ports) =>
    detectProxy(service({ image, ports, mounts }), traits)?.reason;
  assert.equal(found('acme/edge', [80]), 'its configuration at /etc/haproxy');
  assert.deepEqual([found('acme/edge', []), found('acme/php', [80])], [undefined, undefined]);
});
