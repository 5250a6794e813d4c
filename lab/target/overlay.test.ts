import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isScalar, parseDocument } from 'yaml';
import { NotReadyError } from '../base/errors.ts';
import { serviceModels } from './compose-model.ts';
import { detectTiers } from './detect.ts';
import { adapters, configOf, runOf } from './fixtures/systems.ts';
import { chooseProject } from './init.ts';
import { GENERATOR, overlayText, rawFoldersOf } from './overlay.ts';

type Options = Parameters<typeof overlayText>[0];

function textOf(
	config: any,
	{
		parts = {},
		run = {},
		entry,
		hosts,
	}: { parts?: Options['parts']; run?: Partial<Options['run']>; entry?: string; hosts?: Record<string, string> } = {},
): string {
	const models = serviceModels(config);
	const project = chooseProject(detectTiers(models, adapters()), models);
	return overlayText({ models, project: { ...project, hosts, entry: entry ?? project.entry }, parts, run: { ...runOf(), ...run } });
}

/** As Compose reads it: a reset takes away. */
const read = (text: string) => parseDocument(text, { customTags: [{ tag: '!reset', resolve: () => null }] });

function fileOf(...given: Parameters<typeof textOf>): any {
	const document = read(textOf(...given));
	assert.deepEqual(document.errors, []);
	return document.toJS();
}

test('what would tie two projects together, or hide an end, is taken away from every service', () => {
	const document = read(textOf(configOf('hostile')));
	for (const service of ['1.0', '0x1f', 'constructor', 'null', 'y'])
		for (const name of ['container_name', 'ports', 'restart']) {
			const node = document.getIn(['services', service, name], true);
			assert.ok(isScalar(node), `${service} ${name}`);
			assert.deepEqual([node.tag, node.value], ['!reset', null]);
		}
});

test('the tag stands in the text as Compose reads it', () => {
	const lines = textOf(configOf('shop')).split('\n');
	assert.ok(lines.includes('    ports: !reset null'));
	assert.ok(lines.includes('    container_name: !reset null'));
	assert.ok(lines.includes('    restart: !reset null'));
});

test('every service has the labels by which the lab knows it', () => {
	const { services } = fileOf(configOf('notes'));
	assert.deepEqual(services.mongo.labels, {
		'doubletake.tier': 'database',
		'doubletake.name': 'mongo',
		'doubletake.product': 'mongo',
		'doubletake.watch': '1',
	});
	assert.deepEqual(services.worker.labels, {
		'doubletake.tier': 'other',
		'doubletake.name': 'worker',
		'doubletake.product': 'opaque',
		'doubletake.watch': '0',
	});
});

test('a service that the project file does not name is watched as other, even if it has the name of a part of every object', () => {
	const config = configOf('hostile');
	const models = serviceModels(config);
	const project = chooseProject(detectTiers(models, adapters()), models);
	const services = Object.fromEntries(Object.entries(project.services).filter(([name]) => name !== 'constructor'));
	const file = read(overlayText({ models, project: { ...project, services }, parts: {}, run: runOf() })).toJS();
	assert.equal(file.services.constructor.labels['doubletake.tier'], 'other');
	assert.equal(file.services.constructor.labels['doubletake.product'], 'opaque');
	assert.deepEqual(Object.keys(file.services.constructor).toSorted(), ['container_name', 'labels', 'logging', 'ports', 'restart']);
});

test('who asked a service by its container’s name still can', () => {
	const { services } = fileOf(configOf('hostile'));
	assert.deepEqual(services.y.networks, { back: { aliases: ['prod-db'] } });
	assert.deepEqual(services['1.0'].networks, { back: { aliases: ['prod-front'] }, edge: { aliases: ['prod-front'] } });
	assert.equal(fileOf(configOf('shop')).services.web.networks, undefined);
});

test('in a file of a Swarm the containers of a service have the name that they have there', () => {
	const config = configOf('shop');
	config.services.web.deploy = { replicas: 2, update_config: { parallelism: 1 } };
	const { services } = fileOf(config);
	assert.deepEqual(services.web.networks, { default: { aliases: ['tasks.web'] } });
	const named = configOf('shop');
	named.services.web.command = ['serve', '--peers', 'tasks.web:7000'];
	assert.deepEqual(fileOf(named).services.haproxy.networks, { default: { aliases: ['tasks.haproxy'] } });
});

test('users find an entry by the hosts for which it sends requests on', () => {
	const { services } = fileOf(configOf('shop'), {
		hosts: { localhost: 'http://haproxy:8080/', 'shop.test': 'http://haproxy:8080/', 'api.test': 'http://haproxy:8080/' },
	});
	assert.deepEqual(services.haproxy.networks, { default: { aliases: ['shop.test', 'api.test'] } });
	assert.equal(services.web.networks, undefined);
});

test('a restart policy under deploy is taken away where there is one', () => {
	assert.match(textOf(configOf('hostile')), /^ {6}restart_policy: !reset null$/m);
	assert.doesNotMatch(textOf(configOf('shop')), /restart_policy/);
});

test('a log that the file sends elsewhere goes to the engine', () => {
	const config = configOf('shop');
	config.services.web.logging = { driver: 'syslog', options: { 'syslog-address': 'udp://logs.example.com:514' } };
	const text = textOf(config);
	assert.doesNotMatch(text, /logging: !reset/);
	assert.ok(!text.includes('logs.example.com'));
});

test('an interface that the file names is left to the engine, and no other option of the network', () => {
	const config = configOf('shop');
	config.networks.default.driver_opts = { 'com.docker.network.bridge.name': 'br-shop', 'com.docker.network.driver.mtu': '1400' };
	assert.match(textOf(config), /^ {2}default:\n {4}driver_opts:\n {6}"com\.docker\.network\.bridge\.name": !reset null$/m);
	assert.deepEqual(fileOf(config).networks.default, { driver_opts: { 'com.docker.network.bridge.name': null } });
});

test('a subnet of the file is left to the engine, unless a service has an address in it', () => {
	const config = configOf('shop');
	config.networks.default.ipam = { config: [{ subnet: '172.28.0.0/16' }] };
	assert.match(textOf(config), /^networks:\n {2}default:\n {4}ipam: !reset null$/m);
	config.services.web.networks = { default: { ipv4_address: '172.28.0.10' } };
	assert.equal(fileOf(config).networks, undefined);
});

test('what an adapter asks for is merged into its service, which writes and reads where the lab does not write', () => {
	const parts = {
		haproxy: {
			environment: { LEVEL: '1' },
			mounts: [
				{ source: 'raw:', target: '/lab', readOnly: false },
				{ source: 'raw:haproxy/log', target: '/log', readOnly: false },
				{ source: '/opt/lab/it.cfg', target: '/etc/it.cfg', readOnly: true },
				{ source: 'raw:haproxy.cfg', target: '/etc/haproxy.cfg', readOnly: true },
			],
		},
	};
	const { haproxy } = fileOf(configOf('shop'), { parts }).services;
	const { servicesFolder: written, copiesFolder: copies } = runOf();
	assert.deepEqual(haproxy.environment, { LEVEL: '1' });
	assert.deepEqual(haproxy.volumes, [
		{ type: 'bind', source: `${written}/haproxy`, target: '/lab', read_only: false, bind: { create_host_path: false } },
		{ type: 'bind', source: `${written}/haproxy/log`, target: '/log', read_only: false, bind: { create_host_path: false } },
		{ type: 'bind', source: '/opt/lab/it.cfg', target: '/etc/it.cfg', read_only: true, bind: { create_host_path: false } },
		{
			type: 'bind',
			source: `${copies}/haproxy/haproxy.cfg`,
			target: '/etc/haproxy.cfg',
			read_only: true,
			bind: { create_host_path: false },
		},
	]);
	// Only those into which it writes.
	assert.deepEqual(rawFoldersOf(parts, runOf()), [`${written}/haproxy`, `${written}/haproxy/log`]);
});

test('a service that is built, and has no name for its image, gets one', () => {
	const { api, mongo } = fileOf(configOf('notes'), { run: { images: { api: 'doubletake-own/notes-api' } } }).services;
	assert.deepEqual([api.image, mongo.image], ['doubletake-own/notes-api', undefined]);
});

test('a command takes the place of entrypoint and command together', () => {
	const command = ['node', '--import', '/lab/preload.js', 'server.js'];
	const { api, worker } = fileOf(configOf('notes'), { parts: { api: { command }, worker: { command } } }).services;
	assert.deepEqual([api.entrypoint, api.command], [command, null]);
	assert.deepEqual([worker.entrypoint, worker.command], [undefined, command]);
});

test('a quota is given in periods, and what says the same in other words is taken away', () => {
	const text = textOf(configOf('hostile'), { run: { cpus: { '1.0': 0.5, y: 0.05 } } });
	const { services } = read(text).toJS();
	assert.deepEqual([services['1.0'].cpu_period, services['1.0'].cpu_quota], [10_000, 5000]);
	assert.deepEqual([services.y.cpu_period, services.y.cpu_quota], [100_000, 5000]);
	assert.equal(services.null.cpu_quota, undefined);
	assert.equal(text.match(/^ {4}cpus: !reset null$/gm)?.length, 2);
	// Only where there is a limit under deploy: a new entry there would contradict a plain mem_limit.
	assert.equal(text.match(/^ {10}cpus: !reset null$/gm)?.length, 1);
});

test('the generator stands beside the entry, apart from the rest, with no more rights than it needs', () => {
	const generator = fileOf(configOf('shop')).services[GENERATOR];
	assert.deepEqual(generator, {
		image: 'grafana/k6:1.1.0',
		profiles: ['doubletake-load'],
		user: '1000:1000',
		labels: { 'doubletake.tier': 'generator', 'doubletake.name': 'k6', 'doubletake.product': 'k6' },
		command: ['run', '--quiet', '/scripts/load.js'],
		environment: { TARGET: 'http://haproxy:8080/', PRICE: '5 $$ each' },
		volumes: [
			{
				type: 'bind',
				source: '/home/ada/reports/20261121T200001Z-7f3a/written',
				target: '/raw',
				read_only: false,
				bind: { create_host_path: false },
			},
			{ type: 'bind', source: '/opt/doubletake/k6', target: '/scripts', read_only: true, bind: { create_host_path: false } },
		],
		tmpfs: ['/tmp'],
		networks: ['default'],
		restart: 'no',
		read_only: true,
		cap_drop: ['ALL'],
		security_opt: ['no-new-privileges:true'],
		cpu_shares: 8192,
		mem_limit: '4g',
	});
});

/** The generator has a page of its own. */
const run = { generator: { ...runOf().generator, page: true } };

test('only the generator publishes a port, and only for its page and to this machine', () => {
	const publishedBy = (services: Record<string, { ports?: unknown }>) =>
		Object.entries(services).flatMap(([name, { ports = null }]) => (ports === null ? [] : [[name, ports]]));
	assert.deepEqual(publishedBy(fileOf(configOf('hostile')).services), []);
	assert.deepEqual(publishedBy(fileOf(configOf('hostile'), { run }).services), [[GENERATOR, ['127.0.0.1:5665:5665']]]);
});

test('of several networks of the entry the generator joins one, on which a port can be published', () => {
	const file = fileOf(configOf('hostile'), { run });
	assert.deepEqual(file.services[GENERATOR].networks, ['edge']);
	assert.equal(file.networks, undefined);
});

test('where the entry has no such network, the generator gets one of its own for its page', () => {
	const entry = 'http://null:8080/';
	const file = fileOf(configOf('hostile'), { entry, run });
	assert.deepEqual(file.services[GENERATOR].networks, ['back', 'doubletake-page']);
	assert.deepEqual(file.networks, { 'doubletake-page': {} });
	const pageless = fileOf(configOf('hostile'), { entry });
	assert.deepEqual([pageless.services[GENERATOR].networks, pageless.networks], [['back'], undefined]);
});

test('an entry that is no service, and one without a network, are refused', () => {
	assert.throws(() => textOf(configOf('shop'), { entry: 'http://elsewhere:80/' }), NotReadyError);
	assert.throws(() => textOf(configOf('hostile'), { entry: 'http://constructor:80/' }), /constructor, which has no network of the file/);
});

test('a service by the generator’s name is refused', () => {
	const config = configOf('shop');
	config.services[GENERATOR] = { image: 'x' };
	assert.throws(() => textOf(config), /expected no service "doubletake-k6"/);
});

test('a dollar sign is doubled in values, because Compose would read a variable there, and in names it is not', () => {
	const parts = { web: { environment: { A$B: '$HOME and $$' }, command: ['sh', '-c', 'echo $1'] } };
	const { web } = fileOf(configOf('shop'), { parts }).services;
	assert.deepEqual(web.environment, { A$B: '$$HOME and $$$$' });
	assert.deepEqual(web.command, ['sh', '-c', 'echo $$1']);
});

test('names and values that a reader could take for something else are quoted', () => {
	const odd = { 'a: b': 'it\'s # "so"\n- x: [1]', '1_000': 'no', yes: '2024-01-01', '<<': '*a', long: `${'word '.repeat(60)}\nend` };
	const parts = { null: { environment: odd } };
	const text = textOf(configOf('hostile'), { parts });
	assert.deepEqual(read(text).toJS().services.null.environment, odd);
	for (const name of ['1.0', '0x1f', 'null', 'y', GENERATOR]) assert.ok(text.includes(`\n  "${name}":\n`), name);
	for (const name of ['a: b', '1_000', 'yes', '<<']) assert.ok(text.includes(`\n      "${name}": "`), name);
	assert.ok(text.includes('\n  constructor:\n'));
});

test('the same part for two services is written twice, and not as an alias of one', () => {
	const part = { environment: { LEVEL: '1' }, mounts: [{ source: '/a', target: '/b', readOnly: true }] };
	const text = textOf(configOf('shop'), { parts: { web: part, haproxy: part } });
	assert.doesNotMatch(text, /[&*]a1/);
});

test('without the lab nothing is changed but what two projects cannot both have', () => {
	const { services, networks } = fileOf(configOf('notes'), { run: { isBare: true, images: { api: 'doubletake-own/notes-api' } } });
	const harmless = { container_name: null, ports: null, restart: null };
	assert.deepEqual(services.api, { image: 'doubletake-own/notes-api', ...harmless });
	for (const name of Object.keys(services)) if (name !== GENERATOR && name !== 'api') assert.deepEqual(services[name], harmless, name);
	assert.equal(networks, undefined);
});

test('without the lab names, restarts and subnets are taken away too, and limits stay', () => {
	const config = configOf('hostile');
	const text = textOf(config, { run: { isBare: true } });
	const { services } = read(text).toJS();
	assert.deepEqual(services.y.networks, { back: { aliases: ['prod-db'] } });
	assert.deepEqual(services['1.0'].deploy, { restart_policy: null });
	assert.doesNotMatch(text, /cpu_quota|cpus|doubletake\.watch/);
	const shop = configOf('shop');
	shop.networks.default.ipam = { config: [{ subnet: '172.28.0.0/16' }] };
	assert.match(textOf(shop, { run: { isBare: true } }), /^ {4}ipam: !reset null$/m);
});

test('without the lab a log stays as the file has it, unless it leaves the engine', () => {
	const loggingOf = (logging: object) => {
		const config = configOf('shop');
		config.services.web.logging = logging;
		return fileOf(config, { run: { isBare: true } }).services.web.logging;
	};
	assert.equal(loggingOf({ driver: 'none' }), undefined);
	assert.equal(loggingOf({ options: { 'max-size': '5m' } }), undefined);
	assert.equal(loggingOf({ driver: 'syslog', options: { 'syslog-address': 'udp://logs.example.com:514' } }), null);
});

test('a log keeps the limits that its owner gave it, where the engine keeps it, and nothing else of its logging', () => {
	const loggingOf = (logging: object) => {
		const config = configOf('shop');
		config.services.web.logging = logging;
		return fileOf(config).services.web.logging;
	};
	const limits = { 'max-size': '1m', 'max-file': '3' };
	assert.deepEqual(loggingOf({ driver: 'json-file', options: { ...limits, tag: 'x', mode: 'non-blocking' } }), {
		driver: 'json-file',
		options: limits,
	});
	assert.deepEqual(loggingOf({ options: { 'max-size': '1m' } }), { options: { 'max-size': '1m' } });
	assert.deepEqual(loggingOf({ driver: 'local', options: limits }), { driver: 'local', options: limits });
	const large = ['1000g', '-1', '1g'].map((size) => ({ options: { 'max-size': size, 'max-file': '3' } }));
	for (const logging of [{ driver: 'gelf', options: limits }, { driver: 'none' }, { driver: 'json-file' }, ...large])
		assert.deepEqual(loggingOf(logging), { driver: 'json-file', options: { 'max-size': '1g', 'max-file': '2' } });
	// A service may flood its log where nothing is said of it, too.
	assert.equal(fileOf(configOf('shop')).services.web.logging.options['max-size'], '1g');
});

test('of several entries the generator is on one network of each, the same where it can be', () => {
	const service = (...networks: string[]) => ({ networks: Object.fromEntries(networks.map((name) => [name, null])) });
	const networksFor = (services: Record<string, any>) => {
		const models = serviceModels({ services, networks: { front: {}, other: {}, both: {}, kept: { internal: true } } });
		const tiers = Object.fromEntries(
			Object.keys(services).map((name) => [name, { tier: 'app' as const, product: 'opaque', watch: 0 as const }]),
		);
		const entry = Object.keys(services).map((name) => `http://${name}:80/`);
		const text = overlayText({ models, project: { compose: [], entry, services: tiers, edges: [], load: {} }, parts: {}, run: runOf() });
		return read(text).toJS().services[GENERATOR].networks;
	};
	assert.deepEqual(networksFor({ vote: service('front'), result: service('other') }), ['front', 'other']);
	assert.deepEqual(networksFor({ vote: service('front', 'both'), result: service('other', 'both') }), ['both']);
	assert.deepEqual(networksFor({ vote: service('kept', 'front'), result: service('kept') }), ['front', 'kept']);
});
