import assert from 'node:assert/strict';
import { test } from 'node:test';
import { publicNames } from './public-names.js';

test('names that variables give to the system itself are taken, and no service, address or secret', () => {
  const environment = {
    ALLOWED_HOSTS: 'shop.example.com, 127.0.0.1,web',
    APP_URL: 'https://www.example.com/start',
    NEXTCLOUD_TRUSTED_DOMAINS: 'cloud.example.org',
    DATABASE_URL: 'postgres://user:secret.word@db.example.com/x',
    API_KEY: 'abc.def.ghi',
  };
  assert.deepEqual(
    publicNames([{ environment, names: ['web'], mounts: [], published: [] }], () => null),
    ['localhost', 'shop.example.com', 'www.example.com', 'cloud.example.org'],
  );
});

test('files that a service with a published port mounts name sites, and no files or comments', () => {
  const text =
    '# for old.example.net\nshop.localhost, www.shop.example {\n  tls /tls/cert.pem\n  proxy web:3000\n}\nlog /var/log/access.log';
  const mounts = [{ type: 'bind', source: '/x/Sites', target: '/etc/Sites', readOnly: true }];
  const named = (/** @type {number[]} */ published) =>
    publicNames([{ environment: {}, names: ['edge', 'web'], mounts, published }], (path) => (path === '/x/Sites' ? text : null));
  assert.deepEqual(named([80]), ['localhost', 'shop.localhost', 'www.shop.example']);
  assert.deepEqual(named([]), ['localhost']);
});
