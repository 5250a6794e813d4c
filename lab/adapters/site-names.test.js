import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isNamedAsFile, siteNames } from './site-names.js';

test('names of sites are read from the configurations of proxies, in their order, each once', () => {
  /** @type {[string, string[]][]} */
  const configurations = [
    [
      'server { listen 80; server_name shop.test www.shop.test; }\n# server_name old.test;\nserver { server_name _ localhost ~^x api.shop.test; }',
      ['shop.test', 'www.shop.test', 'api.shop.test'],
    ],
    ['<VirtualHost *:80>\n  ServerName shop.test\n  ServerAlias www.shop.test *.shop.test\n</VirtualHost>', ['shop.test', 'www.shop.test']],
    ['frontend web\n  acl is_api hdr(host) -i api.test\n  use_backend b if { req.hdr(host) -i Shop.test }\n', ['api.test', 'shop.test']],
    ['http:\n  routers:\n    a:\n      rule: Host(`a.test`) || Host("b.test")\n    c: { rule: "!Host(`c.test`)" }\n', ['a.test', 'b.test']],
    ['{\n  email me@x.test\n}\nhttps://shop.test, api.test:8080 {\n  reverse_proxy web:80\n}\n(snippet) {\n}\n', ['shop.test', 'api.test']],
    ['{"virtual_hosts": [{"domains": ["*"]}, {"domains": ["a.test", "a.test:80"]}]}', ['a.test']],
  ];
  for (const [text, names] of configurations) assert.deepEqual(siteNames(text), names, text);
});

test('other names in a configuration are none of its sites', () => {
  const text =
    'upstream app { server web.internal:80; }\nlocation / { proxy_pass http://web.internal; root /var/www/site.html; }\nhttp {\n}\n';
  assert.deepEqual(siteNames(text), []);
});

test('a file is told from a folder by its name', () => {
  for (const path of ['/shop/nginx.conf', './acme.json', '/etc/caddy/Caddyfile', 'init.SQL', '/shop/.env'])
    assert.ok(isNamedAsFile(path), path);
  for (const path of ['/shop/conf.d', './example.com', './data', '/srv/app.v2']) assert.ok(!isNamedAsFile(path), path);
});
