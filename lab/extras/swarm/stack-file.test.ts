import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stackOf } from './stack-file.ts';

/** As `docker compose config --format json` prints it. */
const NGINX = {
	profiles: ['arch-2a'],
	command: null,
	entrypoint: ['nginx', '-c', '/etc/doubletake/2a.conf'],
	image: 'doubletake/nginx:1',
	labels: { 'doubletake.tier': 'load-balancer', 'doubletake.name': 'nginx' },
	networks: { lab: { aliases: ['nginx'] } },
	depends_on: { '2a-app-1': { condition: 'service_started', required: true } },
	cpu_period: 10_000,
	cpu_quota: 2500,
	mem_limit: '268435456',
	ports: [{ host_ip: '127.0.0.1', target: 8080, published: '8080' }],
	read_only: true,
	restart: 'no',
	security_opt: ['no-new-privileges:true'],
	tmpfs: ['/tmp'],
	user: '10001:10001',
	volumes: [
		{ type: 'volume', source: 'raw', target: '/raw', volume: {} },
		{ type: 'bind', source: '/lab/nginx', target: '/etc/doubletake', read_only: true },
	],
};
const APP = {
	image: 'doubletake/app:1',
	labels: { 'doubletake.tier': 'app', 'doubletake.name': 'app-1' },
	networks: { lab: { aliases: ['app-1'] } },
	cpu_period: 10_000,
	cpu_shares: 512,
};
const MODEL = {
	services: { '2a-nginx': NGINX, '2a-app-1': APP },
	networks: { lab: { name: 'doubletake_lab', ipam: {}, labels: { 'doubletake.lab': 'yes' } } },
	volumes: { raw: { name: 'doubletake_raw', driver_opts: { type: 'tmpfs' }, labels: { 'doubletake.lab': 'yes' } } },
};
const FILES: Record<string, string> = { '/lab/nginx/2a.conf': 'events {}', '/lab/nginx/snippets/main.conf': 'worker_processes 1;' };

const made = (model: any = MODEL, files = FILES) =>
	stackOf(model, {
		filesIn: (folder) => Object.keys(files).flatMap((file) => (file.startsWith(`${folder}/`) ? [file.slice(folder.length + 1)] : [])),
		read: (file) => files[file],
	});

test('every service is that of the Compose file', () => {
	const { services } = made().stack;
	assert.deepEqual(Object.keys(services), Object.keys(MODEL.services));
	const { entrypoint, labels, networks, read_only: isReadOnly, user, image, command } = services['2a-nginx'];
	assert.deepEqual([entrypoint, labels, networks, image], [NGINX.entrypoint, NGINX.labels, NGINX.networks, NGINX.image]);
	assert.deepEqual([isReadOnly, user, command], [true, '10001:10001', undefined]);
});

test('a tier is placed by the label of its hosts, and reached by the names of its containers', () => {
	const { deploy } = made().stack.services['2a-app-1'];
	assert.deepEqual(deploy.placement.constraints, ['node.labels.doubletake.app == yes']);
	assert.equal(deploy.endpoint_mode, 'dnsrr');
});

test('quotas and memory are limits of a stack, and none is given where there was none', () => {
	const { services } = made().stack;
	assert.deepEqual(services['2a-nginx'].deploy.resources.limits, { cpus: '0.25', memory: '268435456' });
	assert.deepEqual(services['2a-app-1'].deploy.resources.limits, {});
});

test('a folder that is read goes with the stack, file by file, under names that change with the files', () => {
	const { stack } = made();
	const { configs } = stack.services['2a-nginx'];
	assert.deepEqual(
		configs.map(({ target }: { target: string }) => target),
		['/etc/doubletake/2a.conf', '/etc/doubletake/snippets/main.conf'],
	);
	for (const { source, target } of configs) assert.equal(stack.configs[source].file, target.replace('/etc/doubletake', '/lab/nginx'));
	const changed = made(MODEL, { ...FILES, '/lab/nginx/2a.conf': 'events { worker_connections 8; }' }).stack.services['2a-nginx'].configs;
	assert.notEqual(changed[0].source, configs[0].source);
	assert.equal(changed[1].source, configs[1].source);
});

test('memory and volumes are mounts of a stack, and its network is one that other containers may join', () => {
	const { services, networks, volumes } = made().stack;
	assert.deepEqual(services['2a-nginx'].volumes, [
		{ type: 'volume', source: 'raw', target: '/raw' },
		{ type: 'tmpfs', target: '/tmp' },
	]);
	assert.deepEqual(networks.lab, { driver: 'overlay', attachable: true, labels: { 'doubletake.lab': 'yes' } });
	assert.deepEqual(volumes.raw, { labels: { 'doubletake.lab': 'yes' }, driver_opts: { type: 'tmpfs' } });
});

test('what a stack ignores is said, with the reason', () => {
	assert.deepEqual(
		made().ignored.map(({ service, field }) => `${service} ${field}`),
		['2a-nginx ports', '2a-nginx security_opt', '2a-app-1 cpu_shares'],
	);
	const { ignored } = made({ ...MODEL, services: { '2a-app-1': { ...APP, cpu_shares: null, gpus: 'all' } } });
	assert.deepEqual(ignored, [{ service: '2a-app-1', field: 'gpus', why: 'Doubletake does not know whether a stack has it' }]);
});

test('all that a stack makes bears the lab’s label, or it could not be told from somebody else’s and would stay', () => {
	const bare = { ...MODEL, networks: { lab: {} }, volumes: { raw: {} } };
	for (const model of [MODEL, bare]) {
		const { services, networks, volumes, configs } = made(model).stack;
		const labels = [
			...Object.values<any>(services).map(({ deploy }) => deploy.labels),
			...[networks, volumes, configs].flatMap((parts) => Object.values<any>(parts).map((part) => (part as any).labels)),
		];
		assert.equal(labels.length, 6);
		for (const one of labels) assert.equal(one?.['doubletake.lab'], 'yes');
	}
});

/** As somebody else might have written it. */
const SHOP = {
	services: {
		web: {
			image: 'web:1',
			labels: {},
			networks: { default: null, back: { aliases: ['front'], ipv4_address: '10.0.0.7' } },
			links: ['db:store', 'db'],
			tmpfs: ['/tmp', '/cache:uid=7,mode=0700'],
			shm_size: '67108864',
			healthcheck: { test: ['CMD', 'true'], start_interval: '1s' },
			configs: [{ source: 'site', target: '/site.conf', uid: '7', mode: '0400' }, { source: 'said' }],
			secrets: [{ source: 'key', mode: 0o440 }, { source: 'token' }],
			volumes: [{ type: 'bind', source: '/lab/nginx/2a.conf', target: '/site.conf', read_only: true }],
		},
		db: {
			image: 'db:1',
			labels: {},
			networks: { back: null },
			volumes: [{ type: 'volume', source: 'data', target: '/data', volume: { nocopy: true } }],
			deploy: {
				mode: 'global',
				placement: { constraints: ['node.role == manager'], max_replicas_per_node: 1 },
				resources: { limits: { pids: 9, devices: [] } },
			},
		},
	},
	networks: { default: {}, back: { internal: true } },
	volumes: { data: { name: 'run_data' } },
	configs: { site: { file: '/lab/nginx/snippets/main.conf' }, said: { content: 'hello' } },
	secrets: { key: { file: '/lab/key' }, token: { file: '/lab/token' } },
};

const shop = (more: object = {}) => stackOf(SHOP, { filesIn: () => [''], read: (file) => FILES[file.replace(/\/$/, '')], ...more });

test('a service is known on its networks by the names that links give it, and has no address of its own', () => {
	const { services, networks } = shop().stack;
	assert.deepEqual(services.db.networks, { back: { aliases: ['store'] } });
	assert.deepEqual(services.web.networks, { default: null, back: { aliases: ['front'] } });
	assert.deepEqual([networks.back.internal, networks.default.internal], [true, undefined]);
});

test('memory with an owner is a volume that each container has for itself, and without one a mount', () => {
	const { services, volumes } = shop().stack;
	assert.deepEqual(services.web.volumes, [
		{ type: 'tmpfs', target: '/tmp' },
		{ type: 'volume', source: 'memory-web-2', target: '/cache', volume: { nocopy: true } },
		{ type: 'tmpfs', target: '/dev/shm', tmpfs: { size: 67_108_864 } },
	]);
	const { name, driver_opts: options } = volumes['memory-web-2'];
	assert.deepEqual([name, options], ['memory-web-2-{{.Task.Slot}}', { type: 'tmpfs', device: 'tmpfs', o: 'uid=7,mode=0700' }]);
});

test('a config is its file or its content, with its owner, and takes the place of a file that is mounted there', () => {
	const { services, configs, secrets } = shop().stack;
	const [site, said, ...others] = services.web.configs;
	assert.deepEqual(others, []);
	assert.deepEqual(site, { source: site.source, target: '/site.conf', uid: '7', mode: 0o400 });
	assert.deepEqual([said.target, said.mode, configs[said.source].content], ['/said', 0o444, 'hello']);
	assert.equal(configs[site.source].file, '/lab/nginx/snippets/main.conf');
	assert.deepEqual([services.web.secrets, secrets.key.file], [[{ source: 'key', mode: 0o440 }, { source: 'token' }], '/lab/key']);
});

test('a volume that this machine has is taken as it is, and any other is made', () => {
	assert.deepEqual(shop().stack.volumes.data, { labels: { 'doubletake.lab': 'yes' } });
	assert.deepEqual(shop({ here: ['data'] }).stack.volumes.data, { external: true, name: 'run_data' });
	assert.deepEqual(shop().stack.services.db.volumes, [{ type: 'volume', source: 'data', target: '/data', volume: { nocopy: true } }]);
});

test('what a file says of a Swarm is kept but for what the lab decides', () => {
	const { stack, ignored } = shop({ constraintsOf: () => ['node.hostname == one'] });
	const { placement, resources, mode } = stack.services.db.deploy;
	assert.deepEqual(placement, { constraints: ['node.hostname == one'], max_replicas_per_node: 1 });
	assert.deepEqual([resources.limits, mode], [{ pids: 9 }, undefined]);
	assert.deepEqual(stack.services.web.healthcheck, { test: ['CMD', 'true'] });
	assert.deepEqual(
		ignored.map(({ service, field }) => `${service} ${field}`),
		['db deploy.mode'],
	);
});
