import assert from 'node:assert/strict';
import os from 'node:os';
import { test } from 'node:test';
import type { Machine } from './compose-changes.ts';
import type { Asked } from './copied-folders.ts';
import { COPY_MOST_BYTES } from './copied-folders.ts';
import type { Look } from './dockerfile.ts';
import { lookWith } from './dockerfile.ts';
import { copyOf } from './project-copy.ts';

const LOOK: Look = { ...lookWith(), kindOf: () => 'folder', sizeOf: () => 1000, isStore: () => false, openBy: () => null };
const MACHINE = { cores: 2, arch: 'x64', has: () => false };

/** @param parts of the file beside its services */
const copied = (services: any, asked: Partial<Asked & { machine: Machine }> = {}, parts: object = {}) =>
	copyOf(
		{ name: 'doubletake-run-1a2b', services, ...parts },
		{ data: {}, folder: '/home/ada/shop', look: LOOK, keepsData: () => false, machine: MACHINE, ...asked },
	);

const bind = (source: string, target: string, more: object = {}) => ({ type: 'bind', source, target, ...more });
const SRC = '/home/ada/shop/src';

test('a folder that a service may write to becomes a volume, for all that mount it', () => {
	const { config, folders, said } = copied({
		web: { volumes: [bind(SRC, '/app'), bind('/etc/ssl', '/ssl', { read_only: true })] },
		worker: { volumes: [bind(SRC, '/code')] },
		front: { volumes: [bind(SRC, '/static', { read_only: true })] },
	});
	const volume = { type: 'volume', source: 'doubletake-copy-1', volume: { nocopy: true } };
	assert.deepEqual(config.services.web.volumes, [
		bind('/etc/ssl', '/ssl', { read_only: true }),
		{ ...volume, target: '/app', read_only: false },
	]);
	assert.deepEqual(config.services.worker.volumes, [{ ...volume, target: '/code', read_only: false }]);
	assert.deepEqual(config.services.front.volumes, [{ ...volume, target: '/static', read_only: true }]);
	assert.deepEqual(config.volumes, { 'doubletake-copy-1': { name: 'doubletake-run-1a2b_doubletake-copy-1' } });
	assert.deepEqual([folders[0].name, folders[0].services], ['./src', ['web', 'worker']]);
	assert.deepEqual(said, ['./src: services write into a copy of the run’s; yours stays as it is.']);
});

test('no option opens a network of the run to other machines', () => {
	const mode = 'com.docker.network.bridge.gateway_mode_ipv4';
	const of = (value: string, more = {}) => ({ driver_opts: { [mode]: value, mtu: '1400' }, ...more });
	const parts = { networks: { a: of('nat-unprotected', { name: 'own' }), b: of('isolated'), c: of('routed', { driver: 'macvlan' }) } };
	const { config, said } = copied({}, {}, parts);
	assert.deepEqual([config.networks.a.driver_opts, config.networks.b.driver_opts.mtu], [{ mtu: '1400' }, '1400']);
	assert.deepEqual([config.networks.b.driver_opts[mode], config.networks.c.driver_opts], ['isolated', undefined]);
	assert.ok(said.includes(`network a: no other machine reaches it (${mode}).`));
});

test('a file is copied into a folder of the run’s', () => {
	const { changes } = copied({ web: { volumes: [bind('/home/ada/shop/a.ini', '/a.ini')] } }, { look: { ...LOOK, kindOf: () => 'file' } });
	assert.deepEqual(changes('/tmp/files').services.web.volumes, [
		bind('/tmp/files/doubletake-copy-1', '/a.ini', { read_only: false, bind: { create_host_path: false } }),
	]);
	assert.equal(changes('/tmp/files').volumes, undefined);
});

test('what is not there, or too large, is empty, and a sentence says why', () => {
	const services = { web: { volumes: [bind(SRC, '/app')] } };
	const missing = copied(services, { look: { ...LOOK, kindOf: () => null } });
	assert.deepEqual(missing.said, ['./src (is not there): empty in the run; yours stays as it is.']);
	const large = copied(services, { look: { ...LOOK, sizeOf: () => COPY_MOST_BYTES + 1 } });
	assert.deepEqual([large.folders[0].data, large.said.length], ['empty', 1]);
	assert.match(large.said[0], /is more than is left of the 2 GB that a run copies/);
});

test('all folders of a run together have a bound', () => {
	const volumes = ['a', 'b', 'c'].map((name) => bind(`/home/ada/shop/${name}`, `/${name}`));
	const { folders } = copied({ web: { volumes } }, { look: { ...LOOK, sizeOf: () => 0.9 * 1e9 } });
	assert.deepEqual(
		folders.map(({ data }) => data),
		['copy', 'copy', 'empty'],
	);
});

test('a database’s folder that is open is empty, and code that is mounted by a running stack is copied', () => {
	const open = { ...LOOK, openBy: () => 'shop-db-1 has it open' };
	const services = { web: { volumes: [bind(SRC, '/app')] }, db: { volumes: [bind('/home/ada/shop/pg', '/data')] } };
	const { folders, said } = copied(services, { look: open, keepsData: (service) => service === 'db' });
	assert.deepEqual(
		folders.map(({ data }) => data),
		['copy', 'empty'],
	);
	assert.equal(said[1], './pg (shop-db-1 has it open): empty in the run; yours stays as it is.');
});

test('what a database is given to start with is copied though a running stack has it mounted', () => {
	const open = { ...LOOK, openBy: () => 'shop-db-1 has it open' };
	const targets = ['/docker-entrypoint-initdb.d', '/etc/mysql/conf.d', '/usr/local/etc/redis', '/var/lib/mysql'];
	const volumes = targets.map((target, index) => bind(`/home/ada/shop/${index}`, target));
	const { folders } = copied({ db: { volumes } }, { look: open, keepsData: () => true });
	assert.deepEqual(
		folders.map(({ data }) => data),
		['copy', 'copy', 'copy', 'empty'],
	);
});

test('what the user chose for a folder counts', () => {
	const services = { web: { volumes: [bind(SRC, '/app'), bind('/mnt/media', '/media')] } };
	const { folders, config, said } = copied(services, { data: { './src': 'empty', '/mnt/media': 'live' } });
	assert.deepEqual(
		folders.map(({ data }) => data),
		['empty', 'live'],
	);
	assert.deepEqual(config.services.web.volumes[0], bind('/mnt/media', '/media'));
	assert.deepEqual(said, [
		'./src: empty in the run; yours stays as it is.',
		'/mnt/media: services write into your own (data: live), and what a run writes stays there.',
	]);
});

test('a name under data that no service may write to is told', () => {
	const { said } = copied({ web: {} }, { data: { './srv': 'empty' } });
	assert.deepEqual(said, ['data, ./srv: no service may write there, so that it changes nothing.']);
});

test('a volume that is a folder by another name is copied as one', () => {
	const device = '/home/ada/shop/pg';
	const parts = { volumes: { pg: { name: 'doubletake-run-1a2b_pg', driver_opts: { type: 'none', o: 'bind', device } } } };
	const { folders, config, changes } = copied({ db: { volumes: [{ type: 'volume', source: 'pg', target: '/data' }] } }, {}, parts);
	assert.deepEqual([folders[0].source, folders[0].volume], [device, 'pg']);
	assert.deepEqual(config.volumes.pg, { name: 'doubletake-run-1a2b_pg' });
	assert.equal(changes('').volumes.pg.tag, '!override');
});

test('the engine’s socket, all of the machine and of its user are left to be refused; the kernel’s folders are only read', () => {
	const kept = ['/var/run/docker.sock', '/', os.homedir()].map((source, index) => bind(source, `/${index}`));
	const { folders, config } = copied({ agent: { volumes: [...kept, bind('/sys', '/sys')] } });
	assert.deepEqual(folders, []);
	assert.deepEqual(config.services.agent.volumes, [...kept, bind('/sys', '/sys', { read_only: true })]);
});

test('networks and volumes that were there before are new ones of the run', () => {
	const parts = {
		networks: {
			proxy: { name: 'traefik', external: true },
			back: { name: 'fixed', internal: true },
			own: { name: 'doubletake-run-1a2b_own' },
		},
		volumes: {
			pg: { name: 'prod', external: true },
			share: { name: 'doubletake-run-1a2b_share', driver_opts: { type: 'nfs', device: ':/x' } },
		},
	};
	const { config, said } = copied({ web: { networks: { proxy: { ipv4_address: '10.1.1.2' }, back: null } } }, {}, parts);
	assert.deepEqual(config.networks.proxy, { name: 'doubletake-run-1a2b_proxy' });
	assert.deepEqual(config.networks.back, { name: 'doubletake-run-1a2b_back', internal: true });
	assert.deepEqual(config.volumes.pg, { name: 'doubletake-run-1a2b_pg' });
	assert.deepEqual(config.volumes.share, { name: 'doubletake-run-1a2b_share' });
	assert.deepEqual(config.services.web.networks, { proxy: {}, back: null });
	assert.deepEqual(said, [
		'New in each run, in place of yours by that name: network proxy; network back; volume pg, which is empty; volume share, which is empty.',
	]);
});

test('a volume of the file is told to be empty, with who has its data there', () => {
	const data = { type: 'volume', source: 'db-data', target: '/var/lib/data' };
	const volumes = {
		'db-data': { name: 'doubletake-run-1a2b_db-data' },
		cache: { name: 'doubletake-run-1a2b_cache', driver_opts: { type: 'tmpfs', device: 'tmpfs' } },
		idle: { name: 'doubletake-run-1a2b_idle' },
	};
	const services = {
		db: { volumes: [data] },
		backup: { volumes: [{ ...data, read_only: true }] },
		web: {
			volumes: [
				{ type: 'volume', source: 'cache', target: '/tmp' },
				{ type: 'volume', target: '/anonymous' },
			],
		},
	};
	assert.deepEqual(copied(services, {}, { volumes }).said, [
		'New when the run begins, empty or as its image fills it, whatever your own stack holds there: volume db-data (db).',
	]);
	assert.deepEqual(copied(services).said, []);
});

test('services on the machine’s network have one of the run, and find each other there', () => {
	const { config, said } = copied({
		one: { network_mode: 'host' },
		two: { network_mode: 'host', hostname: 'two' },
		db: { networks: { back: null } },
	});
	assert.deepEqual(config.services.one, { networks: { default: {} } });
	assert.deepEqual(config.services.two, { network_mode: 'service:one' });
	assert.deepEqual(config.networks, { default: { name: 'doubletake-run-1a2b_default' } });
	const agent = copied({ agent: { network_mode: 'host', privileged: true }, web: { network_mode: 'host' } });
	assert.equal(agent.config.services.agent.network_mode, 'service:web');
	assert.match(said[0], /^one, two: on a network of the run in place of the machine’s/);
});

test('what this machine does not have is left out, and told', () => {
	const reservations = { devices: [{ driver: 'nvidia', count: 1, capabilities: ['gpu'] }] };
	const services = {
		ml: { deploy: { resources: { limits: { cpus: '8' }, reservations } }, runtime: 'nvidia' },
		cam: { devices: [{ source: '/dev/video0', target: '/dev/video0' }, '/dev/null:/dev/null'] },
	};
	const { config, said } = copied(services, { machine: { cores: 2, arch: 'x64', has: (path) => path === '/dev/null' } });
	assert.deepEqual(config.services.ml, { deploy: { resources: { limits: { cpus: '2' }, reservations: {} } } });
	assert.deepEqual(config.services.cam.devices, ['/dev/null:/dev/null']);
	assert.deepEqual(said, [
		'ml: without the GPU that it asks for, of which this machine has none.',
		'ml: limited to 2 cores in place of 8: this machine has no more.',
		'cam: without /dev/video0, which this machine does not have.',
	]);
	assert.deepEqual(copied(services, { machine: { cores: 8, arch: 'x64', has: () => true } }).said, []);
});

test('an address of the file is kept, unless it is in use on this machine', () => {
	const parts = { networks: { back: { name: 'doubletake-run-1a2b_back', ipam: { config: [{ subnet: '172.29.77.0/24' }] } } } };
	const services = { web: { networks: { back: { ipv4_address: '172.29.77.5' } } } };
	assert.deepEqual(copied(services, {}, parts).config.services, services);
	const { config, said } = copied(services, { look: { ...LOOK, takenSubnets: ['172.29.0.0/16'] } }, parts);
	assert.deepEqual([config.services.web.networks, config.networks.back.ipam], [{ back: {} }, undefined]);
	assert.deepEqual(said, ['network back: its addresses are in use on this machine, so that its services have others in the run.']);
});

test('no container has the address of another machine, whatever its network is called', () => {
	const isMoved = (subnet: string, name = 'shop_lan') => {
		const parts = { networks: { back: { name, ipam: { config: [{ subnet }] } } } };
		return copied({ web: { networks: { back: { ipv4_address: '1.1.1.1' } } } }, {}, parts)
			.said.join()
			.includes('those of other machines');
	};
	for (const subnet of ['1.1.1.0/24', '169.254.169.0/24', '172.0.0.0/8', '2606:4700::/32', '10.0.0.0/x', 'x'])
		assert.ok(isMoved(subnet), subnet);
	for (const subnet of ['172.31.255.0/24', '203.0.113.0/24', 'fd00:1::/64']) assert.ok(!isMoved(subnet), subnet);
	assert.ok(isMoved('1.1.1.0/24', 'doubletake-run-1a2b_back'));
});

test('two subnets overlap where one holds the other', () => {
	const isKept = (subnet: string, taken: string) => {
		const parts = { networks: { back: { name: 'doubletake-run-1a2b_back', ipam: { config: [{ subnet }] } } } };
		const services = { web: { networks: { back: { ipv4_address: '10.0.0.5' } } } };
		return copied(services, { look: { ...LOOK, takenSubnets: [taken] } }, parts).config.networks.back.ipam !== undefined;
	};
	assert.ok(!isKept('10.0.0.0/8', '10.255.3.0/24') && !isKept('172.29.77.128/25', '172.29.77.0/24'));
	assert.ok(isKept('10.0.0.0/24', '10.0.1.0/24') && isKept('fd00::/64', '10.0.0.0/8'));
});

test('what asks for a model goes without it', () => {
	const { config, said } = copied({ web: { models: { llm: null } } });
	assert.deepEqual([config.services.web, said], [{}, ['web: without the models that it asks for: a run starts none.']]);
});

test('a secret that is not there is made up, and one that is stays', () => {
	const parts = { secrets: { a: { file: '/home/ada/shop/a.txt' }, b: { file: '/home/ada/shop/b.txt' }, c: { external: true } } };
	const kindOf = (path: string) => (path.endsWith('a.txt') ? ('file' as const) : null);
	const { secrets, changes, said } = copied({ web: {} }, { look: { ...LOOK, kindOf } }, parts);
	assert.deepEqual(secrets, ['b', 'c']);
	assert.deepEqual(changes('/tmp/files').secrets.b.toJSON(), { file: '/tmp/files/secret-b' });
	assert.deepEqual(said, ['Not there, and made up for the run: the secret b, the secret c.']);
});

test('a part of a folder that the run has a copy of is of that copy', () => {
	const services = {
		app: { volumes: [bind(SRC, '/app'), bind(`${SRC}/uploads`, '/uploads')] },
		web: { volumes: [bind(`${SRC}/public`, '/html', { read_only: true }), bind(`${SRC}/a.ini`, '/a.ini', { read_only: true })] },
	};
	const look = {
		...LOOK,
		volumesRoot: '/var/lib/docker/volumes',
		kindOf: (path: string) => (path.endsWith('.ini') ? 'file' : 'folder'),
	};
	const { config, changes, folders, said } = copied(services, { look: look as any });
	const deviceOf = (part: string) => `/var/lib/docker/volumes/doubletake-run-1a2b_doubletake-copy-1/_data/${part}`;
	const { volumes } = changes('/tmp/files');
	assert.deepEqual(volumes['doubletake-copy-1'], {});
	assert.deepEqual(volumes['doubletake-copy-2'].driver_opts, { type: 'none', o: 'bind', device: deviceOf('uploads') });
	assert.deepEqual(volumes['doubletake-copy-part-1'].driver_opts.device, deviceOf('public'));
	const [html, ini] = config.services.web.volumes;
	assert.deepEqual([html.source, html.read_only], ['doubletake-copy-part-1', true]);
	assert.match(ini.source, /\/doubletake-copy-part-2$/);
	assert.deepEqual(
		folders.filter(({ services: writing }) => writing.length > 0).map(({ name }) => name),
		['./src', './src/uploads'],
	);
	assert.deepEqual(said, ['./src, ./src/uploads: services write into a copy of the run’s; yours stays as it is.']);
});

test('a mount that is not there is left out of the changes too', () => {
	const look = { ...LOOK, kindOf: (path: string) => (path.endsWith('.conf') ? null : ('folder' as const)) };
	const volumes = [bind('/home/ada/shop/nginx.conf', '/etc/nginx.conf', { read_only: true }), bind(SRC, '/app')];
	const { config, changes, said } = copied({ web: { volumes } }, { look });
	assert.equal(changes('/tmp/files').services.web.volumes.tag, '!override');
	assert.deepEqual(
		config.services.web.volumes.map(({ target }: any) => target),
		['/app'],
	);
	assert.match(said[0], /^\.\/nginx\.conf is not there: web runs without it/);
});

test('logs that the lab could not have back are the engine’s, and models are none', () => {
	const services = { web: { logging: { driver: 'none' } }, api: { logging: { driver: 'syslog' } }, db: { logging: { driver: 'local' } } };
	const { said, config } = copied(services, {}, { models: { llm: { model: 'ai/smol' } } });
	assert.deepEqual(said, ['Kept by the engine for the run, and sent nowhere: the logs of web (none), api (syslog).']);
	assert.equal(config.models, undefined);
});

test('two volumes of one folder have one copy, and a device without a slash is told as the engine sees it', () => {
	const volume = (name: string, device: string) => ({
		name: `doubletake-run-1a2b_${name}`,
		driver_opts: { type: 'none', o: 'bind', device },
	});
	const mount = (source: string) => ({ type: 'volume', source, target: `/${source}` });
	const services = { web: { volumes: [mount('one'), mount('two')] }, job: { volumes: [{ ...mount('two'), read_only: true }] } };
	const { config, said } = copied(services, {}, { volumes: { one: volume('one', './pg'), two: volume('two', '/pg') } });
	const copy = { type: 'volume', source: 'one', volume: { nocopy: true }, target: '/two' };
	assert.deepEqual(config.services.web.volumes, [mount('one'), { ...copy, read_only: false }]);
	assert.deepEqual(config.services.job.volumes, [{ ...copy, read_only: true }]);
	assert.equal(config.volumes.one.driver_opts, undefined);
	assert.ok(said.some((text) => text.startsWith('volume one: its device ./pg is /pg to the engine')));
	assert.ok(!said.some((text) => text.startsWith('volume two: its device')));
});
