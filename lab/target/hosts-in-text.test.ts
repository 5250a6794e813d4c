import assert from 'node:assert/strict';
import { test } from 'node:test';
import { serviceModels } from './compose-model.ts';
import { withNamedFiles } from './machine-addresses.ts';

/** What may be the name of a service. */
const WORD = /[a-z\d][\w.-]*/gi;

/** The services that a text names, where each of its words is the name of one. */
function hosts(
	text: string,
	{
		environment = {},
		isCode = false,
		words = [text, ...Object.values(environment)].flatMap((one) => one.match(WORD) ?? []),
	}: {
		/** of the service that reads it */
		environment?: Record<string, string>;
		/** it is that of a program; else a configuration */
		isCode?: boolean;
		words?: string[];
	} = {},
) {
	const config = {
		configs: isCode ? {} : { given: { content: text } },
		services: {
			...Object.fromEntries(words.map((word) => [word, { image: 'x' }])),
			'the-reader': { environment, ...(isCode ? { build: { context: '/p' } } : { image: 'x', configs: [{ source: 'given' }] }) },
		},
	};
	const disk = {
		read: (path: string) => (path === '/p/app.js' ? text : null),
		list: () => [{ name: 'app.js', isFolder: false }],
	};
	const reader = withNamedFiles(serviceModels({ name: 'run', ...config }), config, disk).find(({ service }) => service === 'the-reader');
	assert.ok(reader);
	return [...new Set(reader.mentions.map(({ host }) => host))].toSorted();
}

test('the servers of an Nginx are found in groups, passes and variables, and a group’s own name is none', () => {
	const text = `# upstream old { server legacy:80; }
upstream backend { least_conn; server api1:3000 weight=2; server api2; server spare backup; keepalive 8; }
server {
  server_name shop.example.com;
  set $assets files;
  location / { proxy_pass http://backend; } # not http://gone:80
  location /img { proxy_pass http://$assets:8080; }
  location ~ \\.php$ { fastcgi_pass php:9000; }
  location /rpc { grpc_pass grpc://rpc:50051; }
  location /one { proxy_pass http://one/; }
  location /t { proxy_pass http://\${UPSTREAM}; }
}`;
	assert.deepEqual(hosts(text, { environment: { UPSTREAM: 'web:80' } }), ['api1', 'api2', 'files', 'one', 'php', 'rpc', 'spare', 'web']);
});

test('a variable that is set anew in each place has each host', () => {
	const text = 'location /a { set $app one; proxy_pass http://$app:80; }\nlocation /b { set $app two; proxy_pass $proto://$app:80; }';
	assert.deepEqual(hosts(text), ['one', 'two']);
});

test('a server’s name in HAProxy is no host, what follows it is', () => {
	const text = 'backend be\n  server first web1:8080 check\n  server second web2:8080 backup\n  server-template s 1-5 pool:80\n  bind *:80';
	assert.deepEqual(hosts(text), ['pool', 'web1', 'web2']);
});

test('the servers of a Caddyfile, with and without a port, and with a default', () => {
	const text =
		'{$DOMAIN} {\n\treverse_proxy /api/* api:8000 other:8000\n\treverse_proxy web\n\tphp_fastcgi php:9000\n\treverse_proxy {$TO:late:80}\n}';
	assert.deepEqual(hosts(text), ['api', 'late', 'other', 'php', 'web']);
});

test('the servers of Apache, Envoy, Traefik, Varnish and of PgBouncer', () => {
	assert.deepEqual(hosts('ProxyPass /app http://tomcat:8080/app\nSetHandler "proxy:fcgi://php:9000"\nBalancerMember http://node1'), [
		'node1',
		'php',
		'tomcat',
	]);
	const nested = 'endpoint:\n  address:\n    socket_address:\n      address: one\n      port_value: 80\n';
	assert.ok(hosts(`${nested}lb: [{ address: { socket_address: { address: two, port_value: 80 } } }]`).join().includes('one'));
	assert.ok(hosts('a: { socket_address: { address: two, port_value: 80 } }').includes('two'));
	assert.deepEqual(hosts('loadBalancer:\n  servers:\n    - url: "http://web:80"\n    - address: "db:5432"'), ['db', 'web']);
	assert.deepEqual(hosts('backend default { .host = "web"; .port = "80"; }').includes('web'), true);
	assert.ok(hosts('[databases]\nshop = host=db port=5432 dbname=shop').includes('db'));
});

test('what programs and their frameworks keep in files', () => {
	for (const text of [
		'default:\n  adapter: postgresql\n  host: db\n',
		"DATABASES = {'default': {'ENGINE': 'x', 'HOST': 'db', 'PORT': 5432}}",
		"'host' => env('DB_HOST', 'db'),",
		"define( 'DB_HOST', getenv_docker('X', 'y') ); define('DB_HOST', 'db');",
		'spring.datasource.url=jdbc:mysql://db:3306/shop',
		'{ "ConnectionStrings": { "Main": "Server=db;Database=shop" } }',
		'{ "Main": "Data Source=db;Initial Catalog=shop" }',
		"const pool = new Pool({ host: process.env.PG_HOST || 'db' });",
		'host = os.environ.get("PGHOST", "db")',
		"host: ENV.fetch('PGHOST') { 'db' }",
		"$connector['host'] = 'db';",
		"const url = 'postgres://u:p@db/shop';",
		'addr := getEnv("STORE", "db:5432")',
		"new PDO('mysql:host=db;dbname=shop')",
		'r = Store(host="db", port=1)',
	])
		assert.ok(hosts(text).includes('db'), text);
});

test('comments, packages and decorators name no host', () => {
	for (const text of [
		'# host: db',
		'// http://db:80',
		'/* http://db */',
		'<!-- http://db -->',
		"require('@db/client')",
		'@db.route("/")',
		'import db from "db"',
	])
		assert.deepEqual(hosts(text), [], text);
	assert.deepEqual(hosts('x = 1 # host: db'), []);
});

test('what a call is given may be a store', () => {
	assert.deepEqual(hosts('connect("db"); new Client(6379, \'cache\'); x = "no"', { isCode: true }), ['cache', 'db']);
});

test('a file of one long line is read to its end', () => {
	// A pattern that looks back at each place again does not come back from this within minutes.
	const long = (text: string) => text.repeat(Math.ceil((256 << 10) / text.length));
	for (const text of ['a', 'host', '<!--', '/*', 'a.', '\n', 'server ', 'x_pass ', 'f( ', 'host"', 'http:/', '${A:-', '${A']) {
		for (const isCode of [false, true]) assert.deepEqual(hosts(long(text), { isCode, words: ['db'] }), [], text);
	}
});
