import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isNamedAsFile } from './file-names.ts';
import { siteNames, tlsPorts } from './site-names.ts';

test('names of sites are read from the configurations of proxies, in their order, each once', () => {
	const configurations: [string, string[]][] = [
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

test('ports at which TLS is spoken are read from the configurations of proxies, and no others', () => {
	const configurations: [string, number[]][] = [
		[
			'server { listen 80; }\nserver {\n  listen 8443 ssl;\n  listen [::]:8443 http2 ssl;\n  # listen 9443 ssl;\n  listen 1.2.3.4:444 ssl; }',
			[8443, 444],
		],
		['frontend a\n  bind *:80\n  bind :8443 ssl crt /c.pem alpn h2\n  server b web:443 ssl verify none\n', [8443]],
		['<VirtualHost *:8080>\n</VirtualHost>\n<VirtualHost *:8443>\n  SSLEngine on\n</VirtualHost>', [8443]],
		[
			'https://shop.test:8443 {\n  reverse_proxy https://web:9443 {\n  }\n}\n:444 {\n  tls internal\n}\n:8080 {\n  respond ok\n}\n',
			[8443, 444],
		],
		[
			'listeners:\n- address: { socket_address: { port_value: 8080 } }\n- address: { socket_address: { port_value: 8443 } }\n  filter_chains:\n  - transport_socket: { typed_config: { "@type": x.DownstreamTlsContext } }\nclusters:\n- socket_address: { port_value: 9443 }\n  transport_socket: { "@type": x.UpstreamTlsContext }',
			[8443],
		],
	];
	for (const [text, ports] of configurations) assert.deepEqual(tlsPorts(text), ports, text);
});

test('a file is told from a folder by its name', () => {
	for (const path of ['/shop/nginx.conf', './acme.json', '/etc/caddy/Caddyfile', 'init.SQL', '/shop/.env'])
		assert.ok(isNamedAsFile(path), path);
	for (const path of ['/shop/conf.d', './example.com', './data', '/srv/app.v2']) assert.ok(!isNamedAsFile(path), path);
});
