import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hostsOfCommand, hostsOfVariable, publicNames, urlHosts } from './host-names.ts';

test('the hosts of a URL are found beside user, password and port', () => {
	assert.deepEqual(urlHosts('postgres://shop:p%40ss@PgBouncer:6432/shop?sslmode=off'), ['pgbouncer']);
	assert.deepEqual(urlHosts('mongodb://u:p@m1:27017,m2:27018/?replicaSet=rs'), ['m1', 'm2']);
	assert.deepEqual(urlHosts('jdbc:postgresql://db/shop and http://[::1]:80/'), ['db', '::1']);
	assert.deepEqual(urlHosts('no://'), []);
});

test('a password with a slash or a colon does not hide the host', () => {
	assert.ok(hostsOfVariable('STORE', 'postgres://keeper:a/b@db:5432/x').includes('db'));
	assert.ok(hostsOfVariable('STORE', 'amqp://keeper:a:b@queue/x').includes('queue'));
});

test('hosts with ports, lists of them, and texts of a connection are found', () => {
	assert.deepEqual(hostsOfVariable('KAFKA', 'k1:9092,k2:9092'), ['k1', 'k2']);
	assert.deepEqual(hostsOfVariable('DSN', "host=db port=5432 password='db2'"), ['db']);
});

test('a whole value is a host only where the variable’s name speaks of one', () => {
	assert.deepEqual(hostsOfVariable('PGHOST', 'db'), ['db']);
	assert.deepEqual(hostsOfVariable('REDIS_SERVERS', 'r1 r2'), ['r1', 'r2']);
	assert.deepEqual(hostsOfVariable('ROLE', 'web'), []);
	assert.deepEqual(hostsOfVariable('PASSWORD', 'web'), []);
});

test('a command names hosts in URLs, with ports, in options and after them', () => {
	const found = hostsOfCommand(['serve', '--upstream', 'web', '--db-host=db', '--cache', 'redis://cache']);
	assert.deepEqual(found.toSorted(), ['cache', 'db', 'web']);
	assert.deepEqual(hostsOfCommand(['sh', '-c', 'wait-for db:5432 && psql -h db']), ['db']);
	assert.deepEqual(hostsOfCommand(['mysql', '-h', 'db']), ['db']);
});

test('a module of Python, a time and an image’s tag are no hosts', () => {
	assert.deepEqual(hostsOfCommand(['gunicorn', 'web:app']), []);
	assert.deepEqual(hostsOfCommand(['run', 'acme/web:3']), []);
	assert.ok(!hostsOfVariable('AT', '12:30').includes('30'));
});

test('of a list of URLs each has a host, and a source of data is one', () => {
	assert.deepEqual(urlHosts('http://es1:9200,http://es2:9200'), ['es1', 'es2']);
	assert.deepEqual(hostsOfVariable('ConnectionString', 'Data Source=db;Initial Catalog=shop'), ['db']);
});

test('by a name of a Swarm’s a service is reached under its own', () => {
	assert.deepEqual(hostsOfVariable('API_HOST', 'tasks.api'), ['api']);
});

test('who may ask a service, and where users come back to, is nobody that it asks', () => {
	for (const name of ['CORS_ORIGINS', 'ALLOWED_HOSTS', 'TRUSTED_PROXIES', 'CSRF_TRUSTED_ORIGINS', 'REDIRECT_URL', 'OAUTH_CALLBACK_URL'])
		assert.deepEqual(hostsOfVariable(name, 'http://web:3000'), [], name);
});

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

test('a word that is longer than a name takes no longer than others', () => {
	const mounts = [{ type: 'bind', source: '/x/words', target: '/words', readOnly: true }];
	const named = publicNames([{ environment: {}, names: ['web'], mounts, published: [80] }], () => `${'a'.repeat(1e6)} -shop.example.`);
	assert.deepEqual(named, ['localhost', 'shop.example']);
});

test('files that a service with a published port mounts name sites, and no files or comments', () => {
	const text =
		'# for old.example.net\nshop.localhost, www.shop.example {\n  tls /tls/cert.pem\n  proxy web:3000\n}\nlog /var/log/access.log';
	const mounts = [{ type: 'bind', source: '/x/Sites', target: '/etc/Sites', readOnly: true }];
	const named = (published: number[]) =>
		publicNames([{ environment: {}, names: ['edge', 'web'], mounts, published }], (path) => (path === '/x/Sites' ? text : null));
	assert.deepEqual(named([80]), ['localhost', 'shop.localhost', 'www.shop.example']);
	assert.deepEqual(named([]), ['localhost']);
});
