import assert from 'node:assert/strict';
import { BlockList } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { parse } from 'yaml';
import { requestsTo } from '../../k6/lib/request-list.js';
import { ROOT } from '../base/paths.ts';
import { LAB_FILE, servicesIn } from '../catalog/shipped-services.ts';
import { saying, withDocker } from '../docker/fixtures/docker-program.ts';
import { serviceModels } from '../target/compose-model.ts';
import { runOf } from '../target/fixtures/systems.ts';
import { GENERATOR, generatorServices, overlayText } from '../target/overlay.ts';
import { plainGeneratorFor, projectGeneratorFor } from './generator.ts';
import type { UserScript } from './user-script.ts';

/** As Compose resolves it, as far as it matters here. */
const { k6, 'k6-plain': plain } = servicesIn(LAB_FILE);
const volumes = [
	{ type: 'volume', source: 'raw', target: '/raw' },
	...['lib', 'scenarios'].map((part) => ({ type: 'bind', source: join(ROOT, 'k6', part), target: `/scripts/k6/${part}`, read_only: true })),
];
const config = {
	services: {
		k6: {
			...k6,
			image: 'grafana/k6:1.1.0',
			command: ['run', '--quiet', '/scripts/k6/scenarios/requests.js'],
			environment: { ...k6.environment, TARGET: 'http://web:8000/$$x', SHAPE: 'steps', THINK_TIME_S: '0.5' },
			volumes,
		},
		'k6-plain': {
			...plain,
			image: 'grafana/k6:1.1.0',
			command: ['run', '--quiet', '/scripts/k6/scenarios/plain-requests.js'],
			environment: { ...plain.environment, TARGET: 'http://web:8000/$$x', SHAPE: 'steps' },
			volumes,
		},
	},
};

const USER_SCRIPT = {
	folder: '/shop',
	mounts: [],
	entry: '/shop/load.js',
	places: [{ source: '/shop', target: '/shop', readOnly: true }],
	aborting: [],
	scenarios: [],
	asksMachine: false,
	notes: [],
	isKnownAtOnce: true,
	shape: null as any,
};

const MARK = 'a1b2c3d4e5f6';
const WANTED = {
	...{ image: 'grafana/k6:1.1.0', target: 'http://web:8000/$x', shape: 'steps', users: 40, thinkTimeS: 0.5, seed: 7, dashboard: false },
	user: '10001:10001',
	mark: MARK,
};
/** As Compose says it to whoever asks for the settings of the shipped systems. */
const CONFIG = saying(JSON.stringify(config));

/** With the lab. */
function generatorOf({
	headers = {},
	integrity = false,
	says = CONFIG,
	models = [],
	script,
}: {
	headers?: Record<string, string>;
	integrity?: boolean;
	says?: typeof CONFIG;
	models?: any[];
	hosts?: string[];
	script?: UserScript;
} = {}) {
	const { users, thinkTimeS, shape: load, seed, dashboard, user, image } = WANTED;
	const checked = {
		load,
		users,
		thinkTimeS,
		rate: null,
		client: null,
		generators: 1,
		cutS: null,
		headers,
		mark: MARK,
		copy: { config: {} } as any,
		models,
	};
	const project = { compose: [], entry: WANTED.target, services: {}, edges: [], load: {} };
	return withDocker(says, () =>
		projectGeneratorFor({
			checked,
			project,
			settings: { seed, dashboard, integrity },
			run: { user },
			image,
			script: script ?? null,
		}),
	);
}

/** Without it. */
const plainGeneratorOf = (given?: Partial<Parameters<typeof plainGeneratorFor>[0]>) =>
	withDocker(CONFIG, () => plainGeneratorFor({ ...WANTED, ...given }));

/** Ranges of addresses that k6 is not to ask. */
async function blockedBy(given: { isInside?: boolean; blocked?: string[] }) {
	const { command = [] } = await plainGeneratorOf({ script: { ...USER_SCRIPT, ...given } });
	return command.filter((_, index) => command[index - 1] === '--blacklist-ip');
}

test('private addresses can be asked, and none of the public ones', async () => {
	const list = new BlockList();
	for (const range of await blockedBy({ isInside: true })) {
		const [address, bits] = range.split('/');
		list.addSubnet(address, Number(bits), address.includes(':') ? 'ipv6' : 'ipv4');
	}
	const inside = ['10.1.2.3', '172.16.0.1', '172.31.255.255', '192.168.0.1', '127.0.0.1', '169.254.1.1', '100.64.0.1', '100.127.255.255'];
	const outside = [
		'1.1.1.1',
		'9.255.255.255',
		'11.0.0.0',
		'93.184.216.34',
		'100.63.255.255',
		'100.128.0.0',
		'126.255.255.255',
		'128.0.0.1',
	];
	const further = ['169.253.255.255', '169.255.0.1', '172.15.255.255', '172.32.0.0', '192.167.255.255', '192.169.0.0', '223.255.255.255'];
	for (const address of inside) assert.equal(list.check(address), false, address);
	for (const address of [...outside, ...further]) assert.equal(list.check(address), true, address);
	assert.equal(list.check('2606:4700::1', 'ipv6'), true);
	assert.equal(list.check('fd00::1', 'ipv6'), false);
});

test('what the script blocks itself stays blocked', async () => {
	const ranges = await blockedBy({ isInside: true, blocked: ['10.9.0.0/16', '1.0.0.0/8'] });
	assert.equal(ranges.at(-1), '10.9.0.0/16');
	assert.equal(ranges.filter((range) => range === '1.0.0.0/8').length, 1);
});

test('a load that may go anywhere is told nothing', async () => {
	assert.deepEqual(await blockedBy({ blocked: ['10.0.0.0/8'] }), []);
});

test('the generator has the settings of the shipped systems, and what the user’s load needs besides', async () => {
	const { image, user, command, environment } = await generatorOf();
	assert.deepEqual([image, user], ['grafana/k6:1.1.0', '10001:10001']);
	assert.deepEqual(command, ['run', '--quiet', '/scripts/k6/scenarios/requests.js']);
	for (const name of Object.keys(k6.environment)) assert.ok(name in environment, name);
	assert.equal(environment.K6_LOG_OUTPUT, 'file=/raw/k6.log,level=error');
	assert.equal(environment.TARGET, 'http://web:8000/$x');
	assert.deepEqual([environment.USERS, environment.SEED, environment.REQUESTS_FILE], ['40', '7', '/requests.json']);
});

test('of several each is told its part, and where it writes; none is called as one that makes the load alone', async () => {
	const models = serviceModels({ services: { web: { image: 'web', networks: { default: null } } } });
	const generator = { ...(await generatorOf()), parts: 2 };
	const project = { compose: [], entry: 'http://web:80/', services: {}, edges: [], load: {} };
	const { services } = parse(overlayText({ models, project, parts: {}, run: { ...runOf(), generator } }), { logLevel: 'silent' });
	assert.deepEqual(Object.keys(services), ['web', ...generatorServices(2)]);
	const second = services['doubletake-k6-2'];
	assert.equal(
		second.command.join(' '),
		'run --quiet --paused --execution-segment 1/2:1 --execution-segment-sequence 0,1/2,1 /scripts/k6/scenarios/requests.js',
	);
	assert.deepEqual([second.environment.RECORD_FOLDER, second.environment.USERS], ['/raw/k6-2', '40']);
	assert.equal(second.labels['doubletake.name'], 'k6-2');
});

test('it may write to the record alone, and reads the requests from a mount of their own', async () => {
	const { mounts } = await generatorOf();
	assert.deepEqual(mounts, [
		{ source: join(ROOT, 'k6/lib'), target: '/scripts/k6/lib', readOnly: true },
		{ source: join(ROOT, 'k6/scenarios'), target: '/scripts/k6/scenarios', readOnly: true },
		{ source: 'raw:', target: '/raw', readOnly: false },
		{ source: 'raw:requests.json', target: '/requests.json', readOnly: true },
	]);
});

test('the values of headers are in its environment, as the scenario reads them', async () => {
	const headers = { Authorization: 'Bearer $x "y"' };
	const { environment } = await generatorOf({ headers });
	const list = [{ method: 'GET', path: '/', given: ['Authorization'] }];
	const [{ request }] = requestsTo('http://web', list, JSON.parse(environment.REQUEST_HEADERS));
	assert.deepEqual(request.headers, headers);
});

test('it knows the mark of the run, and writes down what was answered well where that is asked for, whatever the shell has', async () => {
	const shellHas = { services: { ...config.services, k6: { ...config.services.k6, environment: { ...k6.environment, INTEGRITY: '1' } } } };
	for (const [integrity, given] of [
		[true, '1'],
		[false, ''],
	] as [boolean, string][]) {
		const { environment } = await generatorOf({ integrity, says: saying(JSON.stringify(shellHas)) });
		assert.deepEqual([environment.INTEGRITY, environment.REQUEST_MARK], [given, MARK]);
	}
	assert.equal((await plainGeneratorOf({})).environment.REQUEST_MARK, MARK);
});

test('a script of the user’s own is run in its folder, by the wrapper around it, and its thresholds are judged', async () => {
	const mounts = [{ source: '/shop', target: '/shop', readOnly: true }];
	const script = { ...USER_SCRIPT, mounts };
	const { entrypoint, folder, command, environment, mounts: all } = await generatorOf({ script });
	assert.deepEqual([entrypoint, folder, command], [['sh'], '/shop', ['-c', 'exec k6 run --quiet - </doubletake-wrapper.js']]);
	assert.equal(environment.K6_NO_THRESHOLDS, 'false');
	assert.equal(environment.K6_INSECURE_SKIP_TLS_VERIFY, 'true');
	const inside = { script: { ...script, isInside: true } };
	assert.match(String((await generatorOf(inside)).command), /run --quiet --blacklist-ip 1\.0\.0\.0\/8 .* - <\/doubletake-wrapper\.js/);
	assert.equal(environment.LOCAL_ADDRESSES, undefined);
	const models = [{ service: 'nginx', networkMode: '', openAt: { 8080: 80 } }];
	const asking = await generatorOf({ models, script: { ...script, asksMachine: true } });
	assert.equal(asking.environment.LOCAL_ADDRESSES, '{"8080":"nginx:80"}');
	assert.ok((await plainGeneratorOf(inside)).command?.includes('--blacklist-ip'));
	assert.deepEqual(all.slice(-2), [{ source: 'raw:', target: '/raw', readOnly: false }, ...mounts]);
});

test('without the lab the same requests are sent, and k6 has no setting, log or page of the lab’s', async () => {
	const headers = { Authorization: 'Bearer x' };
	const wanted = { headers };
	const { image, user, command, environment, mounts } = await plainGeneratorOf(wanted);
	const lab = await generatorOf(wanted);
	assert.deepEqual([image, user, mounts], [lab.image, lab.user, lab.mounts]);
	assert.deepEqual(command, ['run', '--quiet', '/scripts/k6/scenarios/plain-requests.js']);
	for (const name of ['TARGET', 'SHAPE', 'THINK_TIME_S', 'USERS', 'SEED', 'REQUESTS_FILE', 'REQUEST_HEADERS', 'RECORD_FOLDER'])
		assert.equal(environment[name], lab.environment[name], name);
	assert.deepEqual(
		Object.keys(environment).filter((name) => /^(K6_|GO)/.test(name)),
		Object.keys(plain.environment).filter((name) => /^(K6_|GO)/.test(name)),
	);
	assert.equal(environment.K6_LOG_OUTPUT, 'none');
});

test('without the lab a script is run as it is: no wrapper, no copy, the environment that it has beside the lab', async () => {
	const mounts = [
		{ source: '/shop', target: '/shop', readOnly: true },
		{ source: '/tmp/script-0.js', target: '/doubletake-wrapper.js', readOnly: true },
	];
	const wanted = { script: { ...USER_SCRIPT, mounts } };
	const generator = await plainGeneratorOf(wanted);
	assert.deepEqual(generator.command, ['run', '--quiet', '--summary-export', '/raw/k6-summary.json', '/shop/load.js']);
	assert.deepEqual([generator.folder, generator.entrypoint], ['/shop', undefined]);
	assert.deepEqual(generator.mounts, [{ source: 'raw:', target: '/raw', readOnly: false }, mounts[0]]);
	const { environment } = await generatorOf(wanted);
	for (const [name, value] of Object.entries(environment))
		if (!/^(K6_|GO)/.test(name)) assert.equal(generator.environment[name], value, name);
});

test('it has the rights, the weight and the limits that it has there', async () => {
	const models = serviceModels({ services: { web: { image: 'web', networks: { default: null } } } });
	const generator = { ...(await generatorOf()), page: true };
	const services = { web: { tier: 'app' as const, product: 'opaque', watch: 0 as const } };
	const project = { compose: [], entry: 'http://web:80/', services, edges: [], load: {} };
	const text = overlayText({ models, project, parts: {}, run: { ...runOf(), generator } });
	const own = parse(text, { logLevel: 'silent' }).services[GENERATOR];
	for (const key of ['cpu_shares', 'mem_limit', 'tmpfs', 'read_only', 'cap_drop', 'security_opt', 'ports', 'restart'])
		assert.deepEqual(own[key], k6[key], key);
	// A run of a user's own has a project of its own, which no other run shares.
	const { 'doubletake.run': _, ...labels } = k6.labels;
	// Beside services that all have a product.
	assert.deepEqual(own.labels, { ...labels, 'doubletake.product': 'k6' });
});
