import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { NotReadyError } from '../base/errors.ts';
import { dangersOf, refuseDangers } from './dangers.ts';
import { configOf } from './fixtures/systems.ts';

const found = (config: any) => dangersOf(config).map(({ service, severity, what }) => `${service} ${severity}: ${what}`);

/** of a variable of a service */
const outside: (name: string, value: string) => string[] = (name, value) =>
	found({ name: 'run', services: { web: { environment: { [name]: value } } } });

test('a host that is asked is found where nothing else of the file has its name', () => {
	for (const [name, value] of [
		['DB_HOST', 'db.prod.example.com'],
		['DB_HOSTS', 'db, db.prod.example.com'],
		['PGHOST', '10.0.0.7'],
		['KAFKA', 'k1.example.com:9092,k2:9092'],
		['KAFKA', 'k1:9092,k2.example.com:9092'],
		['API', 'https://api.example.com/v1'],
	])
		assert.deepEqual(outside(name, value), [`web warn: names a host outside of this file in ${name}`], value);
});

test('by which names a service itself is asked is no host that it asks', () => {
	for (const name of ['ALLOWED_HOSTS', 'VIRTUAL_HOST', 'HOSTNAME', 'ADMIN_EMAIL'])
		assert.deepEqual(outside(name, 'shop.example.com'), [], name);
	assert.deepEqual(outside('ALLOWED_HOSTS', 'shop.example.com:443'), []);
	assert.deepEqual(outside('ADMIN_EMAIL', 'ada@example.com'), []);
});

test('a name that is an address leads out of the run, whoever has it there', () => {
	for (const name of ['172.17.0.1', '0xAC110001', '172.1114113', '0254.17.1', '2886795265', '0', 'localhost', '1.0', '172.17.0.1.', '::1'])
		for (const services of [{ [name]: {} }, { x: { container_name: name } }, { x: { networks: { n: { aliases: [name] } } } }])
			assert.match(found({ services }).join(), /refuse: is called /, name);
	for (const name of ['web', 'web.1', '1.2.3.4.5', 'v10.0', 'localhost-1', '7'])
		assert.deepEqual(found({ services: { [name]: {} } }), [], name);
});

test('a volume and a network that are new for the run are no danger', () => {
	assert.deepEqual(found(configOf('shop')), []);
});

test('a build from a large folder is refused, unless what is large is left out', (t) => {
	const context = mkdtempSync(join(os.tmpdir(), 'doubletake-context-'));
	t.after(() => rmSync(context, { recursive: true }));
	const [file, services] = [join(context, 'data.img'), { web: { build: { context } } }];
	writeFileSync(file, '');
	truncateSync(file, 2e10);
	const refused = [`web refuse: is built from at least 20.0 GB in ${context}, most of it ${file}`];
	const foundWith = (ignored: string) => {
		writeFileSync(join(context, '.dockerignore'), ignored);
		return found({ services });
	};
	for (const ignored of ['', '#data.img', 'data', '*.img\n!data.img']) assert.deepEqual(foundWith(ignored), refused, ignored);
	for (const ignored of ['/data.img', '*.img', '**/*']) assert.deepEqual(foundWith(ignored), [], ignored);
	foundWith('*');
	writeFileSync(join(context, 'Dockerfile.dockerignore'), '#');
	assert.deepEqual(found({ services }), refused);
	assert.deepEqual(dangersOf({ services }, { isAllowed: () => true }), []);
});

test('more containers than a network takes are refused', () => {
	const services = { web: {}, jobs: { deploy: { replicas: 100_000 } } };
	assert.deepEqual(found({ services }), ['jobs refuse: has 100000 of 100001 containers']);
});

test('a host outside of the file is told by its variable', () => {
	assert.deepEqual(found(configOf('notes')), ['api warn: names a host outside of this file in STRIPE_URL']);
});

test('all of the machine, or of its user, is not to be written to; other folders are copied', () => {
	const of = (source: string) => found({ name: 'run', services: { one: { volumes: [{ type: 'bind', source, target: '/t' }] } } });
	for (const source of ['/', '/var', os.homedir()])
		assert.deepEqual(of(source), [`one refuse: can write to ${source} of this machine (mounted at /t)`]);
	assert.deepEqual(of(`${os.homedir()}/shop`), []);
});

test('a socket of another program of the machine is told', () => {
	const volumes = [{ type: 'bind', source: '/run/mysqld/mysqld.sock', target: '/s', read_only: true }];
	assert.deepEqual(found({ name: 'run', services: { one: { volumes } } }), ['one warn: mounts /run/mysqld/mysqld.sock']);
});

test('everything that a hostile file holds is found', () => {
	assert.deepEqual(found(configOf('hostile')), [
		'1.0 refuse: is called 1.0',
		'constructor refuse: mounts /var/run/docker.sock of this machine',
		'constructor refuse: can read / of this machine (mounted at /rootfs)',
		'constructor refuse: uses the volumes of a container that is not the run’s',
		'constructor refuse: is privileged',
		'constructor refuse: shares with this machine its processes',
		'constructor warn: uses /dev/kvm of this machine',
		'constructor warn: has a name for this machine',
		'null warn: names a host outside of this file in PAYMENTS',
	]);
});

test('devices are read as older versions of Compose give them', () => {
	assert.deepEqual(found({ name: 'run', services: { one: { devices: ['/dev/dri:/dev/dri:rwm'] } } }), [
		'one warn: uses /dev/dri of this machine',
	]);
});

test('what reaches beyond the run is found, however the file says it', () => {
	const of = (service: object) => found({ name: 'run', services: { one: service } });
	assert.deepEqual(of({ use_api_socket: true }), ['one refuse: is given the engine’s socket (use_api_socket)']);
	assert.deepEqual(of({ pid: 'container:db', ipc: 'host' }), [
		'one refuse: sees the processes of a container that is not the run’s',
		'one refuse: shares with this machine its shared memory',
	]);
	assert.deepEqual(of({ cap_add: ['NET_BIND_SERVICE', 'LINUX_IMMUTABLE', 'CAP_SYS_ADMIN'] }), [
		'one refuse: may do what only the machine itself may (LINUX_IMMUTABLE, CAP_SYS_ADMIN)',
	]);
	for (const gpu of [{ gpus: [{ count: -1 }] }, { deploy: { resources: { reservations: { devices: [{ capabilities: ['gpu'] }] } } } }])
		assert.deepEqual(of(gpu), ['one warn: uses a GPU or another device of this machine']);
	for (const extra_hosts of [['db.prod=10.1.2.3', 'me=127.0.0.1'], ['db.prod:10.1.2.3'], { 'db.prod': ['10.1.2.3'], me: ['::1'] }])
		assert.deepEqual(of({ extra_hosts }), ['one warn: has names for other machines (db.prod)']);
	assert.deepEqual(of({ build: { context: '/src', extra_hosts: ['db.prod=10.1.2.3', 'us=host-gateway'] } }), [
		'one warn: is built with names for other machines (db.prod, this machine)',
	]);
	const networks = { default: { ipv4_address: '172.28.0.10' } };
	assert.deepEqual(of({ networks, dns: ['127.0.0.11', '172.28.0.10', '9.9.9.9'] }), ['one warn: asks name servers of its own (9.9.9.9)']);
});

test('what a service shares with its own stack, or needs for itself, is no danger', () => {
	const one = { pid: 'service:two', ipc: 'shareable', cap_add: ['NET_ADMIN'], gpus: [], extra_hosts: ['me=127.0.0.1', 'me6=::1'] };
	assert.deepEqual(found({ name: 'run', services: { one } }), []);
});

test('hosts of the file itself and of the container itself are not outside', () => {
	const environment = { A: 'http://127.0.0.1:1/', B: 'http://0.0.0.0/', C: 'http://web.internal/', D: 'http://localhost/' };
	const networks = { default: { aliases: ['web.internal'] } };
	const config = { name: 'run', networks: { default: { name: 'run_default' } }, services: { one: { environment, networks } } };
	assert.deepEqual(found(config), []);
});

test('containers outside of the run are refused', () => {
	const config = { name: 'run', services: { web: { external_links: ['shop_db_1:db'] } } };
	assert.deepEqual(found(config), ['web refuse: reaches shop_db_1:db, which the run does not make']);
});

test('a database in production is reported, whether a URL or a host alone names it', () => {
	const environment = { DB_HOST: 'db.prod.example.com', DB_PASSWORD: 'a.b.c', ALLOWED_HOSTS: 'shop.example.com' };
	assert.deepEqual(found({ name: 'run', services: { web: { environment } } }), ['web warn: names a host outside of this file in DB_HOST']);
});

test('what gets certificates from an authority is reported, because each run asks anew', () => {
	const command = ['--certificatesresolvers.le.acme.email=ada@example.com'];
	assert.deepEqual(found({ name: 'run', services: { edge: { command }, web: { image: 'acme/web' } } }), [
		'edge warn: seems to get certificates from an authority',
	]);
});

test('a run with refused dangers does not start, and the message has all of them and what to do', () => {
	const dangers = dangersOf(configOf('hostile'));
	assert.throws(
		() => refuseDangers(dangers, { allowData: false }),
		(error) => {
			assert.ok(error instanceof NotReadyError);
			for (const { service, what, remedy, severity } of dangers) {
				assert.equal(error.message.includes(`${service} ${what}: `), severity === 'refuse', what);
				if (severity === 'refuse') assert.ok(error.message.includes(remedy));
			}
			assert.match(error.message, /--allow/);
			return true;
		},
	);
});

test('a run starts when the user allows it, and when there are only warnings', () => {
	const dangers = dangersOf(configOf('hostile'));
	assert.doesNotThrow(() => refuseDangers(dangers, { allowData: true }));
	assert.doesNotThrow(() => refuseDangers(dangers.filter(({ severity }) => severity === 'warn')));
	assert.doesNotThrow(() => refuseDangers([]));
});

test('what a provider makes outside of the run is refused', () => {
	const services = { db: { provider: { type: 'cloud' } } };
	assert.deepEqual(found({ name: 'run', services }), ['db refuse: is made by the provider cloud']);
});

test('a label of SELinux is not given to what lies outside of the folder', () => {
	const mounting = (source: string) => ({
		services: { web: { volumes: [{ type: 'bind', source, target: '/x', read_only: true, bind: { selinux: 'Z' } }] } },
	});
	const said = (source: string) => dangersOf(mounting(source), { folder: '/srv/shop' }).map(({ severity, what }) => `${severity} ${what}`);
	assert.ok(said('/srv/other').includes('refuse labels /srv/other anew'));
	assert.deepEqual(said('/srv/shop/conf'), []);
});

test('a profile of seccomp outside of the folder is refused, whatever stands in it', (t) => {
	const outer = mkdtempSync(join(os.tmpdir(), 'doubletake-profile-'));
	t.after(() => rmSync(outer, { recursive: true }));
	writeFileSync(join(outer, 'auth.json'), '{"auths":{}}');
	const services = { web: { image: 'web', security_opt: [`seccomp=${join(outer, 'auth.json')}`] } };
	const said = (around: any) => dangersOf({ services }, around).map(({ severity }) => severity);
	assert.deepEqual(said({ folder: '/srv/shop' }), ['refuse']);
	assert.deepEqual(said({ folder: '/srv/shop', isAllowed: () => true }), []);
	assert.deepEqual(said({ folder: outer }), []);
});
