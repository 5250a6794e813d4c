import assert from 'node:assert/strict';
import { test } from 'node:test';
import { serviceModel } from '../fixtures/service-model.js';
import { adapter } from './adapter.js';

/** @param {Partial<import('../contract.js').ServiceModel>} [more] */
const service = (more) => serviceModel({ service: 'edge', image: 'haproxy:2.6', ...more });

test('HAProxy is detected by its images and by its command, and nothing else is', () => {
  for (const image of ['haproxy', 'haproxy:2.6-alpine', 'haproxytech/haproxy-debian:2.6'])
    assert.equal(adapter.detect(service({ image }))?.tier, 'load-balancer', image);
  assert.ok(adapter.detect(service({ image: '', command: ['haproxy', '-db', '-f', '/etc/haproxy/haproxy.cfg'] })));
  for (const image of ['', 'nginx', 'prom/haproxy-exporter']) assert.equal(adapter.detect(service({ image })), null, image);
});

test('each level says what it gives, and the second is not offered where no copy can be laid over', () => {
  assert.deepEqual(
    adapter.watches(service()).map(({ level }) => level),
    [0, 1, 2],
  );
  const several = service({ command: ['haproxy', '-f', '/a.cfg', '-f', '/b.cfg'] });
  assert.deepEqual(
    adapter.watches(several).map(({ level }) => level),
    [0, 1],
  );
});

test('only with consent a changed copy is laid over the configuration', () => {
  assert.deepEqual(
    [0, 1].map((level) => adapter.overlay(service(), /** @type {0 | 1} */ (level))),
    [{}, {}],
  );
  assert.deepEqual(adapter.overlay(service(), 2), {
    mounts: [{ source: 'raw:haproxy.cfg', target: '/usr/local/etc/haproxy/haproxy.cfg', readOnly: true }],
  });
});

test('the version is what the program says of itself', () => {
  assert.equal(
    adapter.version?.pattern.exec('HAProxy version 2.6.12-1+deb12u1 2023/12/16 - https://haproxy.org/')?.[1],
    '2.6.12-1+deb12u1',
  );
  assert.equal(adapter.version?.pattern.exec('HA-Proxy version 2.2.9 2021/02/06')?.[1], '2.2.9');
});
