import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readFile, realpath, rm, stat, symlink, writeFile } from 'node:fs/promises';
import os from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { NotReadyError } from '../base/errors.ts';
import type { Project, ProjectService } from '../catalog/project-schema.ts';
import type { Service } from '../docker/containers.ts';
import { serviceModels } from './compose-model.ts';
import {
	aboutUnheard,
	copiesOf,
	describeEdges,
	describeServices,
	describeSystem,
	entryServices,
	originalsOf,
	serviceOfEntry,
	writeCopies,
} from './describe.ts';
import { aboutJobs, doneJobs, rulesOf, withoutJobs } from './ends.ts';

const PROJECT: Project = {
	compose: ['compose.yaml', 'compose.load.yaml'],
	entry: 'http://Proxy:8080/',
	services: {
		proxy: { tier: 'load-balancer', product: 'haproxy', watch: 2 },
		web: { tier: 'app', product: 'opaque', watch: 1 },
		db: { tier: 'database', product: 'postgres', watch: 1 },
		mail: { tier: 'other', product: 'opaque', watch: 0 },
	},
	edges: [
		['proxy', 'web'],
		['web', 'db'],
	],
	load: { urls: ['GET /'] },
};

test('the entry’s service is found however its name is written', () => {
	assert.equal(serviceOfEntry(PROJECT, 'http://Proxy:8080/'), 'proxy');
	assert.deepEqual(entryServices(PROJECT), ['proxy']);
});

test('each of several entries is a service’s, and a request has its entry', () => {
	const several = { ...PROJECT, entry: ['http://Proxy:8080/', 'http://web:8000/', 'http://web:9000/'], edges: [] };
	assert.deepEqual(entryServices(several), ['proxy', 'web']);
	const asked = { method: 'GET', path: '/', target: 'http://web:8000/' };
	assert.deepEqual(describeSystem(several, { isFollowed: true, requests: [asked] }).requests, [{ ...asked, weight: 1 }]);
});

test('the system is its files, entry, services and requests, without headers, bodies or values of queries', () => {
	const sent = { method: 'POST', path: '/orders?card=4111&a=', headers: { Authorization: 'Bearer hunter2' }, body: '{"card":4111}' };
	const described = describeSystem(PROJECT, { isFollowed: true, requests: [{ method: 'GET', path: '/', weight: 3 }, sent] });
	assert.deepEqual(described.requests, [
		{ method: 'GET', path: '/', weight: 3 },
		{ method: 'POST', path: '/orders?card=…&a=…', weight: 1 },
	]);
	assert.deepEqual([described.files, described.entry], [['compose.yaml', 'compose.load.yaml'], 'http://Proxy:8080/']);
	assert.deepEqual(described.services.mail, { tier: 'observer', product: 'opaque', watch: 0 });
});

test('what a user says of the system is on its record, and nothing of what nobody said', () => {
	const remedies = [{ change: 'a pool of 32', causes: ['pool-wait'], variables: { POOL: '32' } }];
	const described = describeSystem({ ...PROJECT, title: 'the shop', question: 'Enough?', remedies }, { isFollowed: true });
	assert.deepEqual([described.title, described.question, described.remedies], ['the shop', 'Enough?', remedies]);
	const bare = describeSystem(PROJECT, { isFollowed: true });
	assert.deepEqual(
		[bare.title, 'question' in bare, 'remedies' in bare, 'arm' in bare],
		['compose.yaml, compose.load.yaml', false, false, false],
	);
});

test('a run of a comparison says which arm it is of, with the values that were typed for it', () => {
	const resolved = { title: 'shop with POOL=8', given: ['POOL=8'], compose: ['compose.yaml'], commit: null, absent: [], fingerprint: 'f1' };
	const arm = { id: 'POOL=8', architecture: 'shop', variables: { POOL: '8' }, resolved };
	const described = describeSystem(PROJECT, { isFollowed: true, arm });
	assert.equal(described.title, resolved.title);
	assert.deepEqual(described.arm, {
		id: 'POOL=8',
		title: 'shop with POOL=8',
		variables: { POOL: '8' },
		commit: null,
	});
});

const PATH = '/usr/local/etc/haproxy/haproxy.cfg';
const CFG = 'frontend web\n    mode http\n    bind :8080\n';

const projectOf: (watch: 1 | 2) => Project = (watch) => ({
	compose: ['compose.yaml'],
	entry: 'http://proxy:8080/',
	services: { proxy: { tier: 'load-balancer', product: 'haproxy', watch } },
	edges: [],
	load: { urls: ['GET /'] },
});

const modelsOf = (service: any) => serviceModels({ services: { proxy: { image: 'haproxy:2.6', ...service } } });

const mounted: (source: string, target: string, type?: string) => any = (source, target, type = 'bind') => ({
	volumes: [{ type, source, target, read_only: true }],
});

test('the copy is made of the file that is mounted, of one in a folder that is mounted, or of the image’s own', () => {
	const fileOf = (service: any) => originalsOf(modelsOf(service), projectOf(2)).map(({ path, file }) => [path, file]);
	assert.deepEqual(fileOf(mounted('/home/ada/haproxy.cfg', PATH)), [[PATH, '/home/ada/haproxy.cfg']]);
	assert.deepEqual(fileOf(mounted('/home/ada/conf', '/usr/local/etc/haproxy/')), [[PATH, '/home/ada/conf/haproxy.cfg']]);
	assert.deepEqual(fileOf({}), [[PATH, null]]);
});

test('below level 2 nothing is copied', () => {
	assert.deepEqual(originalsOf(modelsOf({}), projectOf(1)), []);
});

test('a configuration that lies in a volume, or that Compose lays, is refused', () => {
	const volume = modelsOf(mounted('conf', '/usr/local/etc/haproxy', 'volume'));
	assert.throws(
		() => originalsOf(volume, projectOf(2)),
		/services\.proxy\.watch: level 2 expected a file of this machine .* found a volume/,
	);
	const laid = modelsOf({ configs: [{ source: 'cfg', target: PATH }] });
	assert.throws(() => originalsOf(laid, projectOf(2)), /found an entry of "configs"/);
});

test('a configuration that lies elsewhere than in the folder that is mounted is refused', async () => {
	const scratch = await realpath(await mkdtemp(join(os.tmpdir(), 'doubletake-test-')));
	try {
		await mkdir(join(scratch, 'conf'));
		await writeFile(join(scratch, 'keys'), CFG);
		await symlink('../keys', join(scratch, 'conf/haproxy.cfg'));
		const target = dirname(PATH);
		const ask = (more: object) => () => originalsOf(modelsOf({ ...mounted(join(scratch, 'conf'), target), ...more }), projectOf(2));
		assert.throws(ask({}), /level 2 expected a file in .*\/conf; found .*\/conf\/haproxy\.cfg, which leads to .*\/keys\./);
		assert.throws(ask({ command: ['haproxy', '-f', `${target}/../keys`] }), /found .*\/keys, which leads to .*\/keys\./);
	} finally {
		await rm(scratch, { recursive: true });
	}
});

test('a copy is made of what is there, each change is reported, and it lies in a folder that is the lab’s alone', async () => {
	const scratch = await mkdtemp(join(os.tmpdir(), 'doubletake-test-'));
	try {
		await writeFile(join(scratch, 'own.cfg'), CFG);
		const originals = originalsOf(modelsOf(mounted(join(scratch, 'own.cfg'), PATH)), projectOf(2));
		const copies = await copiesOf(originals, async () => '');
		const [{ service, name, text, changes }] = copies;
		assert.deepEqual([service, name], ['proxy', 'haproxy.cfg']);
		assert.match(text, /X-Request-Id/);
		assert.ok(changes.length > 0);
		await writeCopies(copies, join(scratch, 'copies'));
		const path = join(scratch, 'copies', service, name);
		assert.equal(await readFile(path, 'utf8'), text);
		// Its program may run as any user; nobody else comes through the folder around it.
		assert.equal((await stat(path)).mode & 0o777, 0o644);
		assert.equal((await stat(scratch)).mode & 0o777, 0o700);
	} finally {
		await rm(scratch, { recursive: true });
	}
});

test('a configuration that is not there is refused, wherever it was looked for', async () => {
	const refused = (service: any) => copiesOf(originalsOf(modelsOf(service), projectOf(2)), async () => '');
	await assert.rejects(refused({}), (error) => error instanceof NotReadyError && /in its image; found none/.test(error.message));
	await assert.rejects(refused(mounted('/no/such/haproxy.cfg', PATH)), /configuration at \/no\/such\/haproxy\.cfg; found none/);
});

const models = serviceModels({
	name: 'run',
	services: { api: { restart: 'always' }, migrate: { restart: 'on-failure' }, web: {} },
});
const project: Project = {
	compose: ['compose.yaml'],
	entry: 'http://web:80/',
	services: { web: { tier: 'app', product: 'opaque', watch: 0 }, migrate: { tier: 'other', product: 'opaque', watch: 0 } },
	edges: [],
	load: {},
};

test('only what no request passes may end', () => {
	const { mayEnd } = rulesOf(models, project);
	// One that doubletake.yaml does not name is passed by none.
	assert.deepEqual(['web', 'migrate', 'api'].map(mayEnd), [false, true, true]);
});

test('a service comes back as its file says', () => {
	const { comesBack } = rulesOf(models, project);
	assert.deepEqual(
		[comesBack('api', 0), comesBack('migrate', 1), comesBack('migrate', 0), comesBack('web', 1)],
		[true, true, false, false],
	);
});

test('a job that others wait for may end, whatever doubletake.yaml takes it for, and so may what nobody can ask', () => {
	const found = serviceModels({
		name: 'run',
		services: {
			web: { expose: ['80'], depends_on: { seed: { condition: 'service_completed_successfully' } } },
			seed: { expose: ['81'] },
			fixtures: {},
			api: {},
			loop: { restart: 'always' },
			store: {},
		},
	});
	const service = (tier: any) => ({ tier, product: 'opaque', watch: 0 as const });
	const given = {
		...project,
		services: {
			loop: service('app'),
			web: service('load-balancer'),
			seed: service('app'),
			fixtures: service('app'),
			api: service('app'),
			store: service('database'),
		},
		edges: [
			['web', 'fixtures'],
			['web', 'api'],
			['api', 'store'],
		] as [string, string][],
	};
	const proposal = { services: {}, edges: [{ from: 'web', to: 'fixtures', reason: 'assumed' }] };
	const { mayEnd, isJob } = rulesOf(found, given, proposal);
	assert.deepEqual(['web', 'seed', 'fixtures', 'api', 'store', 'loop'].map(mayEnd), [false, true, true, false, false, false]);
	assert.deepEqual(['seed', 'fixtures'].map(isJob), [true, false]);
	const { services, edges } = withoutJobs(given, ['fixtures']);
	assert.deepEqual([services.fixtures.tier, services.api.tier, edges.length], ['other', 'app', 2]);
});

test('what ended before the load is a job that is done, unless doubletake.yaml says so already', () => {
	const stack = [
		{ service: 'web', pid: 0 },
		{ service: 'web', pid: 7 },
		{ service: 'migrate', pid: 0 },
		{ service: 'fixtures', pid: 0 },
	];
	const given = { ...project, services: { ...project.services, fixtures: project.services.web } };
	assert.deepEqual(doneJobs(stack, given), ['fixtures']);
	assert.match(aboutJobs(['fixtures']).join(), /^fixtures ended well before the load/);
	assert.deepEqual(aboutJobs([]), []);
});

const container: (service: string, name: string, own: Partial<Service>) => Service = (service, name, own) => ({
	...{ service, name, tier: 'app', product: 'opaque', watch: 1, address: '10.0.0.3', addresses: ['10.0.0.3'], cpuQuotaCores: null },
	...{ id: `id-${name}`, pid: 1, image: 'secret.example/image', imageId: 'sha256:0' },
	...own,
});

const CONTAINERS = [
	container('doubletake-k6', 'k6', { tier: 'generator', product: 'k6', watch: 0 }),
	container('web', 'web-10', {}),
	container('web', 'web-2', {}),
	container('proxy', 'proxy', { tier: 'load-balancer', product: null, watch: 0, host: 'h2' }),
	container('db', 'db', { tier: 'database', product: 'postgres', address: '10.0.0.5', addresses: ['10.0.0.5', '10.0.1.5'] }),
];

test('each container is reported with what its labels say it is, those of one service in the order of their numbers', () => {
	const described = describeServices(CONTAINERS);
	assert.deepEqual(
		described.map(({ name }) => name),
		['db', 'k6', 'proxy', 'web-2', 'web-10'],
	);
	assert.deepEqual(described[0], {
		...{ service: 'db', name: 'db', tier: 'database', product: 'postgres', watch: 1 },
		...{ address: '10.0.0.5', addresses: ['10.0.0.5', '10.0.1.5'], cpu_quota_cores: null },
	});
});

test('one without a label of its product has the files that it leaves, and one of several hosts has its host', () => {
	const proxy = describeServices(CONTAINERS)[2];
	assert.deepEqual(Object.keys(proxy), ['service', 'name', 'host', 'tier', 'files', 'address', 'addresses', 'cpu_quota_cores']);
	assert.ok('files' in proxy && proxy.files.includes('nginx-access.ndjson'));
});

const EDGES = [
	['proxy', 'web'],
	['web', 'db'],
] as const;

test('edges are between containers, and the generator’s come first', () => {
	assert.deepEqual(
		describeEdges(CONTAINERS, { entries: ['proxy'], edges: EDGES }).edges?.map(({ from, to }) => `${from} ${to}`),
		['k6 proxy', 'proxy web-2', 'proxy web-10', 'web-2 db', 'web-10 db'],
	);
});

test('each of several entries has an edge to each of its containers', () => {
	assert.deepEqual(
		describeEdges(CONTAINERS, { entries: ['proxy', 'web'], edges: [] }).edges?.map(({ to }) => to),
		['proxy', 'web-2', 'web-10'],
	);
});

test('where no request comes from outside, nothing is told', () => {
	assert.deepEqual(describeEdges(CONTAINERS, null), {});
});

type WatchedService = ProjectService;

const watched: (tier: WatchedService['tier'], watch: 0 | 1) => WatchedService = (tier, watch) => ({ tier, product: 'opaque', watch });

test('a run says which services on the way of requests keep no log, where there are any', () => {
	const services = { lb: watched('load-balancer', 0), web: watched('app', 1), job: watched('other', 0), db: watched('database', 0) };
	const [said, ...others] = aboutUnheard({ services });
	assert.match(said, /^No log is kept of lb, db \(watch: 0\): what was said there is not known/);
	assert.deepEqual(others, []);
	assert.deepEqual(aboutUnheard({ services: { web: services.web, job: services.job } }), []);
});
