import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ServiceModel } from './contract.ts';
import { serviceModel } from './fixtures/service-model.ts';
import type { Labelled, Marks } from './found-servers.ts';
import { detectMarked, relaysSocket, routesBy, routesIn, runsNoServer, writesRoutes } from './found-servers.ts';
import { detectProxy, optionValues } from './proxy-detection.ts';
import { imageName, imageTag, programsOf } from './recognise.ts';

const service = (more?: Partial<ServiceModel>) => serviceModel({ service: 'edge', ...more });

const TRAITS = { images: /^haproxy$/, program: 'haproxy', options: ['-f'], folders: /^\/etc\/haproxy$/ };

test('an image is known by its name, whatever its registry, tag or digest', () => {
	const isKnownAs = (name: string, image: string) =>
		detectProxy(service({ image }), { ...TRAITS, images: new RegExp(`^${name}$`) }) !== null;
	for (const image of [
		'haproxy',
		'haproxy:2.6',
		'library/haproxy:lts',
		'docker.io/library/haproxy:2.6-alpine',
		'localhost:5000/haproxy:x',
		'haproxy@sha256:00aa',
	])
		assert.ok(isKnownAs('haproxy', image), image);
	assert.ok(isKnownAs('haproxytech/haproxy-alpine', 'haproxytech/haproxy-alpine:2.6'));
	assert.ok(isKnownAs('team/haproxy', 'registry.example.com:443/team/haproxy'));
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

test('where a configuration lies tells a proxy that listens, but not one beside a runtime', () => {
	const mounts = [{ type: 'bind', source: '/p', target: '/etc/haproxy', readOnly: true }];
	for (const lying of [{ mounts }, { files: ['/etc/other', '/etc/haproxy'] }]) {
		const found = (image: string, ports: number[]) => detectProxy(service({ image, ports, ...lying }), TRAITS)?.reason;
		assert.equal(found('acme/edge', [80]), 'its configuration at /etc/haproxy');
		assert.deepEqual([found('acme/edge', []), found('acme/php', [80])], [undefined, undefined]);
	}
});

const MARKS = { images: /^store$/, programs: /^stored$/, clients: /^store-cli$/, ports: [7000] };

const markIn = (model: ServiceModel, marks: Marks) => detectMarked('database', model, marks)?.reason ?? null;

test('an image is known by its name, whatever its registry, owner, tag and digest', () => {
	for (const image of ['store', 'store:15', 'registry:5000/bitnami/store:15.2-debian', 'store@sha256:00ff'])
		assert.equal(imageName(image), 'store', image);
	assert.equal(imageTag('registry:5000/bitnami/store:15.2@sha256:00ff'), '15.2');
	assert.equal(imageTag('registry:5000/store'), '');
});

test('a program is found behind an entrypoint, a shell, and what only starts another one', () => {
	for (const command of [
		['stored', '-c', 'a=1'],
		['/usr/local/bin/docker-entrypoint.sh', 'stored'],
		['tini', '-g', '--', '/usr/bin/stored'],
		['gosu', 'other', 'stored'],
		['/entrypoint.sh', 'sh', '-ec', 'exec stored -D /data'],
	])
		assert.deepEqual(programsOf(command), ['stored'], command.join(' '));
	assert.deepEqual(programsOf(['sh', '-c', 'MODE=1 mkdir x && exec stored']), ['mkdir', 'stored']);
});

test('a command of options or scripts alone names no program', () => {
	for (const command of [[], ['-c', 'max_connections=20'], ['docker-entrypoint.sh', '--appendonly', 'yes'], ['sh', '-e', 'run.sh']])
		assert.deepEqual(programsOf(command), [], command.join(' '));
});

test('words of a shell are no programs, and what they lead to is', () => {
	const script =
		'until pg_isready -h db; do sleep 1; done\n# and then\nfor one in *.sql; do psql -f $one; done; if true; then (exec stored) fi';
	assert.deepEqual(programsOf(['sh', '-c', script]), ['pg_isready', 'sleep', 'psql', 'true', 'stored']);
});

const isJob = (name: string) => /backup|seed/.test(name);
const sh = (script: string) => ['sh', '-c', script];

for (const [command, reason] of [
	[sh('while :; do mariadb-dump -h db --all-databases > /backup/$(date +%s).sql; sleep 86400; done'), 'it runs mariadb-dump, a client'],
	[['/bin/bash', '-c', 'mysqldump -h db shop | gzip > /b/shop.gz'], 'it runs mysqldump, a client'],
	[['docker-entrypoint.sh', 'mysql', '-h', 'db'], 'it runs mysql, a client'],
	[['sleep', 'infinity'], 'it runs sleep, no server'],
	[['tail', '-f', '/dev/null'], 'it runs tail, no server'],
	[['crond', '-f', '-l', '8'], 'it runs crond, no server'],
	[['bash'], 'it runs a shell'],
	[['/bin/sh', '/scripts/backup.sh'], 'it runs backup.sh, by its name a job'],
	[['/backup.sh', '--all'], 'it runs backup.sh, by its name a job'],
	[sh('while true; do /backup.sh; sleep 3600; done'), 'it runs backup.sh, by its name a job'],
	[['/opt/kafka/bin/kafka-topics.sh', '--create'], 'it runs kafka-topics, a client'],
] as [string[], string][])
	test(`no server: ${command.join(' ')}`, () => assert.equal(runsNoServer(command, isJob), reason));

for (const command of [
	[],
	['--character-set-server=utf8mb4'],
	['docker-entrypoint.sh', 'mariadbd'],
	['docker-entrypoint.sh', '--appendonly', 'yes'],
	['mysqld_safe'],
	['/usr/local/bin/start-backup-primary.sh'],
	['/scripts/replica.sh'],
	['supervisord', '-n'],
	['pg_autoctl', 'run'],
	sh('chown -R redis /data && exec redis-server'),
	sh('sleep 5 && /docker-entrypoint.sh'),
	sh('mongod --replSet rs0 & sleep 5; mongosh --eval "rs.initiate()"; wait'),
	sh('until pg_isready -h primary; do sleep 1; done; pg_basebackup -h primary -D /data && exec docker-entrypoint.sh postgres'),
])
	test(`it may be the server: ${command.join(' ')}`, () => assert.equal(runsNoServer(command, isJob), null));

test('the image says it first, then the command', () => {
	assert.equal(markIn(serviceModel({ image: 'owner/store:2', ports: [7000] }), MARKS), 'image owner/store:2');
	assert.equal(markIn(serviceModel({ command: ['stored'] }), MARKS), 'command stored');
	assert.equal(markIn(serviceModel({ image: 'debian:12', command: ['stored'] }), MARKS), 'command stored');
});

test('the port says it only where image and command say nothing', () => {
	assert.equal(markIn(serviceModel({ ports: [80, 7000] }), MARKS), 'port 7000');
	assert.equal(markIn(serviceModel({ command: ['./run.sh'], ports: [7000] }), MARKS), 'port 7000');
	assert.equal(markIn(serviceModel({ command: ['node', 'server.js'], ports: [7000] }), MARKS), null);
	assert.equal(markIn(serviceModel({ image: 'shop/api', ports: [7000] }), MARKS), null);
});

test('a service that only asks the product is not the product', () => {
	assert.equal(markIn(serviceModel({ image: 'store:15', command: ['store-cli', 'seed'] }), MARKS), null);
	assert.equal(markIn(serviceModel({ command: ['node', 'migrate.js', 'stored'] }), MARKS), null);
});

test('a folder that is the product’s own says it, unless other ports show that an image has it all', () => {
	const mounts = [{ type: 'volume', source: 'data', target: '/var/lib/store/data', readOnly: false }];
	const marks = { ...MARKS, data: /^\/var\/lib\/store(\/|$)/ };
	assert.equal(markIn(serviceModel({ image: 'acme/x', mounts }), marks), 'it keeps its data at /var/lib/store/data');
	assert.equal(markIn(serviceModel({ image: 'acme/x', mounts, ports: [7000] }), marks), 'it keeps its data at /var/lib/store/data');
	assert.equal(markIn(serviceModel({ image: 'acme/x', mounts, ports: [80] }), marks), null);
	assert.equal(markIn(serviceModel({ image: 'acme/x', mounts, command: ['true'] }), marks), null);
});

const SOCKET = { type: 'bind', source: '/var/run/docker.sock', target: '/tmp/docker.sock', readOnly: true };

const one = (service: string, more: Partial<Labelled> = {}): Labelled => ({
	...{
		service,
		image: `acme/${service}`,
		command: [],
		environment: {},
		ports: [],
		dependsOn: [],
		mounts: [],
		networks: ['default'],
		replicas: 1,
	},
	...{ labels: {}, published: [], ...more },
});
const traefik = one('edge', { image: 'traefik:v3.3', published: [80], mounts: [SOCKET] });

const routeOf = (proxy: Labelled, labels: Record<string, string>) => {
	const [route] = routesIn([proxy, one('web', { labels })], 'shop');
	return route && [route.from, route.to, route.hosts, route.paths];
};

test('rules of routers say who is asked, by which host and path', () => {
	const of = (rule: string) => routeOf(traefik, { 'traefik.http.routers.web.rule': rule });
	assert.deepEqual(of('Host(`shop.test`)'), ['edge', 'web', ['shop.test'], ['/']]);
	assert.deepEqual(of('Host("a.test") || Host(`b.test`, `c.test`)')?.[2], ['a.test', 'b.test', 'c.test']);
	assert.deepEqual(of('Host(`a.test`) && PathPrefix(`/api`) && !Path(`/api/x`)'), ['edge', 'web', ['a.test'], ['/api']]);
	assert.deepEqual(of('HostRegexp(`.+`) && Method(`GET`)'), ['edge', 'web', [], ['/']]);
	assert.deepEqual(routeOf(traefik, { 'traefik.frontend.rule': 'Host:a.test,b.test;PathPrefix:/x' }), [
		'edge',
		'web',
		['a.test', 'b.test'],
		['/x'],
	]);
});

test('without a rule the default one counts, with the names that its owner knows', () => {
	assert.deepEqual(routeOf(traefik, { 'traefik.enable': 'true' })?.[2], ['web-shop']);
	const ruled = { ...traefik, command: ['--providers.docker.defaultRule=Host(`{{ normalize .Name }}.test`)'] };
	assert.deepEqual(routeOf(ruled, { 'traefik.enable': 'true' })?.[2], ['web-shop.test']);
});

test('what is switched off, or has no label, is nobody’s server; nor is the proxy’s own page', () => {
	assert.equal(routeOf(traefik, { 'traefik.enable': 'false', 'traefik.http.routers.web.rule': 'Host(`a.test`)' }), undefined);
	assert.equal(routeOf(traefik, { 'com.example': 'x' }), undefined);
	const labels = { 'traefik.http.routers.page.rule': 'Host(`page.test`)', 'traefik.http.routers.page.service': 'api@internal' };
	assert.deepEqual(routesIn([{ ...traefik, labels }], 'shop'), []);
});

test('VIRTUAL_HOST says it too, for one port or for several', () => {
	const proxy = one('edge', { image: 'nginxproxy/nginx-proxy:1.6', published: [80] });
	const of = (environment: Record<string, string>) => routesIn([proxy, one('web', { environment })], 'shop')[0];
	assert.deepEqual(of({ VIRTUAL_HOST: 'a.test,*.b.test,~^x' })?.hosts, ['a.test', 'www.b.test']);
	assert.deepEqual(of({ VIRTUAL_HOST: 'a.test', VIRTUAL_PATH: '/api/' })?.paths, ['/api/']);
	const several = of({ VIRTUAL_HOST_MULTIPORTS: 'a.test:\n  "/":\n    port: 80\n  "/api": { port: 90 }\n' });
	assert.deepEqual([several?.hosts, several?.paths], [['a.test'], ['/', '/api']]);
	assert.equal(of({}), undefined);
});

test('addresses of sites say it as well', () => {
	const proxy = one('edge', { image: 'lucaslorentz/caddy-docker-proxy:2.9', published: [80] });
	assert.deepEqual(routeOf(proxy, { caddy: 'http://a.test, b.test:8443', 'caddy.reverse_proxy': '{{upstreams 80}}' }), [
		'edge',
		'web',
		['a.test', 'b.test'],
		['/'],
	]);
	assert.deepEqual(routeOf(proxy, { caddy_0: ':80', 'caddy_0.handle_path': '/api/*' }), ['edge', 'web', [], ['/api/']]);
	assert.equal(routeOf(proxy, { caddy: '(snippet)' }), undefined);
});

test('of a program that nobody knows its socket says that it finds its servers', () => {
	const edge = one('edge', { published: [80], mounts: [SOCKET] });
	assert.deepEqual(routeOf(edge, { 'traefik.http.routers.web.rule': 'Host(`a.test`)' })?.slice(0, 3), ['edge', 'web', ['a.test']]);
	assert.equal(routeOf({ ...edge, mounts: [] }, { caddy: 'a.test' }), undefined);
});

test('what passes the socket on to others is known by its name', () => {
	for (const image of [
		'tecnativa/docker-socket-proxy:0.3',
		'lscr.io/linuxserver/socket-proxy',
		'ghcr.io/tecnativa/docker-socket-proxy:edge',
	])
		assert.ok(relaysSocket(one('x', { image, mounts: [SOCKET] })), image);
	assert.ok(relaysSocket(one('dockerproxy', { mounts: [SOCKET] })));
	assert.ok(!relaysSocket(one('socket-proxy')) && !relaysSocket(one('portainer', { mounts: [SOCKET] })));
});

test('variables that say whom to send what are kept, and no other', () => {
	for (const name of ['VIRTUAL_HOST', 'VIRTUAL_PORT', 'LETSENCRYPT_HOST', 'HTTPS_METHOD', 'SERVICE_80_NAME'])
		assert.ok(routesBy(name), name);
	for (const name of ['PASSWORD', 'DATABASE_URL', 'HTTPS_PROXY', 'MY_VIRTUAL_HOST', 'LETSENCRYPT_EMAIL']) assert.ok(!routesBy(name), name);
});

test('a program of its own that writes a proxy’s configuration makes a proxy of what reads it', () => {
	const conf = { type: 'volume', source: 'conf', target: '/etc/nginx/conf.d', readOnly: false };
	const nginx = one('nginx', { image: 'nginx:1.27', published: [80], mounts: [conf] });
	const web = one('web', { environment: { VIRTUAL_HOST: 'a.test' } });
	const generator = one('gen', { image: 'nginxproxy/docker-gen:0.14', mounts: [conf, SOCKET] });
	assert.deepEqual([generator, { ...generator, mounts: [conf] }, nginx].map(writesRoutes), [true, false, false]);
	assert.deepEqual(
		routesIn([nginx, generator, web]).map(({ from, to, hosts }) => [from, to, hosts]),
		[['nginx', 'web', ['a.test']]],
	);
	const byVolumes = { ...one('gen', { image: 'acme/gen', command: ['docker-gen', '-watch'], mounts: [SOCKET] }), looksInto: ['nginx'] };
	assert.equal(routesIn([nginx, byVolumes, web]).length, 1);
	assert.deepEqual(routesIn([nginx, one('gen', { image: 'nginxproxy/docker-gen', mounts: [SOCKET] }), web]), []);
});
