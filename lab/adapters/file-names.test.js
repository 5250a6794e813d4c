import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isNamedAsFile } from './file-names.js';

test('a file is told from a folder by its name', () => {
  for (const path of ['/shop/nginx.conf', './acme.json', '/etc/caddy/Caddyfile', 'init.SQL', '/shop/.env'])
    assert.ok(isNamedAsFile(path), path);
  for (const path of ['/shop/conf.d', './example.com', './data', '/srv/app.v2']) assert.ok(!isNamedAsFile(path), path);
});
