/**
 * What the Compose files promise, read from the files themselves: no Docker here.
 */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { serviceModel } from '../lab/adapters/fixtures/service-model.ts';
import { adapterOf } from '../lab/adapters/registry.ts';
import { COMPOSE_FOLDER, ROOT, requestLogOf } from '../lab/base/paths.ts';
import { architectures, profileOf, scenarioOf } from '../lab/catalog/architectures.ts';
import { GENERATOR_CPU_SHARES, quotasOf, quotaVariables } from '../lab/catalog/budgets.ts';
import { scenarios } from '../lab/catalog/scenarios.ts';
import { baseImages, composeFileOf, LAB_FILE, servicesIn } from '../lab/catalog/shipped-services.ts';

/** Every folder with a Compose file: the systems, and the published app alone. */
const folders = readdirSync(COMPOSE_FOLDER).filter((id) => existsSync(join(COMPOSE_FOLDER, id, 'compose.yaml')));
const templates = servicesIn(join(COMPOSE_FOLDER, 'base.yaml'));
/** By Compose's name, of all files. @type {[string, any][]} */
const services = [LAB_FILE, ...folders.map(composeFileOf)].flatMap((file) => Object.entries(servicesIn(file)));
const serviceOf = Object.fromEntries(services);
const TIERS = ['generator', 'load-balancer', 'app', 'database', 'queue', 'observer'];
/** Profiles that are part of every run and no architecture. */
const COMMON_PROFILES = ['observe', 'load'];
/** An observer takes what it needs, a quota would stop the generator's clocks, and what a message costs a queue no calibration measures. */
const WITHOUT_QUOTA = ['generator', 'observer', 'queue'];
/** Folders of the balancers' configurations, by the products that read them, and how those end. @type {Record<string, string>} */
const CONFIGURATIONS = { nginx: '.conf', haproxy: '.cfg', envoy: '.yaml' };

/** Of a container that has none stated: https://docs.docker.com/engine/containers/resource_constraints/#cpu. */
const DOCKER_CPU_SHARES = 1024;

/** The configurations of a balancer, as `<folder>/<file>`. @param {any} service */
const confsOf = ({ entrypoint = [], volumes = [] }) => {
	const [folder] = volumes.flatMap((/** @type {string} */ volume) => /^\.\.\/(\w+):\/etc\/doubletake:ro$/.exec(volume)?.[1] ?? []);
	return [...entrypoint.join(' ').matchAll(/\/etc\/doubletake\/(\S+)/g)].map(([, file]) => `${folder}/${file}`);
};
/** @param {string} id */
const servicesOf = (id) => Object.entries(servicesIn(composeFileOf(id)));

test('every folder is an architecture, but for what the lab is measured against', () => {
	assert.deepEqual(
		folders.filter((id) => !(id in architectures)),
		['plain'],
	);
});

test('the services of a folder start by its profile alone, and go by names that no other folder has', () => {
	for (const id of folders)
		for (const [name, { profiles }] of servicesOf(id)) {
			assert.deepEqual(profiles, [id in architectures ? profileOf(id) : id], name);
			assert.ok(name.startsWith(`${id}-`), name);
		}
	const labs = Object.values(servicesIn(LAB_FILE)).flatMap(({ profiles }) => profiles);
	assert.deepEqual(labs.sort(), [...COMMON_PROFILES, 'plain-load'].sort());
	assert.equal(new Set(services.map(([name]) => name)).size, services.length);
});

test('every template is used', () => {
	const used = folders.map((id) => readFileSync(composeFileOf(id), 'utf8')).join('\n') + readFileSync(LAB_FILE, 'utf8');
	for (const name of Object.keys(templates)) assert.ok(used.includes(`service: ${name}}`), name);
});

for (const id of Object.keys(architectures)) {
	test(`${profileOf(id)} starts the tiers of its scenario, and something answers at its entry`, () => {
		const { entry } = architectures[id];
		const { written, driver } = scenarios[scenarioOf(id)];
		const started = servicesOf(id);
		const tiers = started.map(([, { labels }]) => labels['doubletake.tier']);
		assert.equal(tiers.includes('app'), driver === 'k6');
		assert.equal(tiers.includes('database'), written !== null || driver === 'program');
		const names = started.flatMap(([name, { networks }]) => [name, ...(networks.lab?.aliases ?? [])]);
		assert.ok(driver === 'program' ? entry === undefined : names.includes(new URL(entry ?? '').hostname));
	});

	test(`${profileOf(id)} names only services of its Compose file, where it says who asks whom`, () => {
		const names = servicesOf(id).map(([name]) => name);
		assert.deepEqual(
			(architectures[id].edges ?? []).flat().filter((name) => !names.includes(name)),
			[],
		);
	});

	test(`${profileOf(id)} calls each of its services by a name of its own`, () => {
		const names = servicesOf(id).map(([, { labels }]) => labels['doubletake.name']);
		assert.equal(new Set(names).size, names.length, names.join(', '));
	});
}

for (const [name, service] of services) {
	test(`${name} carries the labels that the lab reads`, () => {
		assert.ok(TIERS.includes(service.labels['doubletake.tier']));
		assert.ok(service.labels['doubletake.name']);
		assert.match(service.labels['doubletake.run'], /^\$\{RUN_ID:-by-hand\}$/);
		assert.ok(service.profiles.length > 0, 'a service without a profile would start in every architecture');
	});

	test(`${name} runs as an ordinary user, on a read-only root, with no capability and no way to get one`, () => {
		assert.equal(service.read_only, true);
		assert.deepEqual(service.cap_drop, ['ALL']);
		assert.equal(service.cap_add, undefined);
		assert.equal(service.privileged, undefined);
		assert.ok(service.security_opt.includes('no-new-privileges:true'));
		assert.match(service.user, /^(\$\{LAB_USER:-)?[1-9]\d*:[1-9]\d*\}?$/);
		assert.equal(service.network_mode, undefined);
	});

	test(`${name} is published on 127.0.0.1 or not at all`, () => {
		for (const port of service.ports ?? []) assert.match(port, /^127\.0\.0\.1:\d+:\d+$/);
		if (service.labels['doubletake.tier'] === 'database') assert.equal(service.ports, undefined);
	});

	test(`${name} has a memory limit, a quota of its own and no name that would stop a second one`, () => {
		assert.ok(service.mem_limit);
		if (!WITHOUT_QUOTA.includes(service.labels['doubletake.tier'])) assert.notEqual(service.cpu_quota, undefined);
		assert.equal(service.container_name, undefined);
	});
}

test('what the lab’s cost is measured against has the image, user and limits of what it is compared with', () => {
	for (const [plain, own] of [
		['plain-app-1', 'a-app-1'],
		['k6-plain', 'k6'],
	]) {
		for (const key of ['image', 'user', 'tmpfs', 'cpu_period', 'cpu_quota', 'cpu_shares', 'mem_limit', 'logging', 'healthcheck']) {
			assert.deepEqual(serviceOf[plain][key], serviceOf[own][key], `${plain}: ${key}`);
		}
	}
});

test('each tier with a quota reads it from its own variable, in the period that budgets are computed for', () => {
	const variables = quotaVariables('database', quotasOf('database', 2));
	const tierOf = (/** @type {string} */ variable) =>
		variable
			.replace(/_CPU_QUOTA$/, '')
			.toLowerCase()
			.replaceAll('_', '-');
	for (const [name, service] of services) {
		const variable = /^\$\{(\w+_CPU_QUOTA):-0\}$/.exec(String(service.cpu_quota))?.[1];
		if (WITHOUT_QUOTA.includes(service.labels['doubletake.tier'])) continue;
		assert.ok(variable && variable in variables, `${name}: ${service.cpu_quota}`);
		assert.equal(tierOf(variable), service.labels['doubletake.tier'], name);
		assert.equal(service.cpu_period, `\${CPU_PERIOD:-${variables.CPU_PERIOD}}`, name);
	}
});

test('the generator has no quota, and comes first where the cores do not suffice', () => {
	for (const [name, { cpu_quota: quota, cpu_shares: shares, labels }] of services) {
		const isGenerator = labels['doubletake.tier'] === 'generator';
		assert.equal(shares, isGenerator ? GENERATOR_CPU_SHARES : undefined, name);
		if (isGenerator) assert.equal(quota, undefined, name);
	}
	assert.ok(GENERATOR_CPU_SHARES > DOCKER_CPU_SHARES);
});

test('every service but the generator and the observer has a health check, so that no run waits by sleeping', () => {
	for (const [name, { healthcheck, labels }] of services) {
		if (!['generator', 'observer'].includes(labels['doubletake.tier'])) assert.ok(healthcheck?.test, name);
	}
});

/** The lab starts its recorder itself, beside a stack. */
const composed = Object.entries(baseImages).filter(([name]) => name !== 'capture');

test('the images that Compose falls back to are those of the table', () => {
	const text = JSON.stringify(templates);
	for (const [name, { variable, hub, version }] of composed) {
		const expected = hub ?? `doubletake/${name}:${version}`;
		const defaults = [...text.matchAll(new RegExp(`\\$\\{${variable}:-([^}]+)\\}`, 'g'))].map(([, value]) => value);
		assert.ok(defaults.length > 0, variable);
		assert.ok(
			defaults.every((value) => value === expected),
			`${variable}: ${defaults.join(', ')}, expected ${expected}`,
		);
	}
});

test('an image that is in no registry can be built by Compose itself, for a stack that is started by hand', () => {
	for (const [name, { variable, hub }] of composed) {
		if (hub) continue;
		const users = services.filter(([, { image }]) => image.includes(variable));
		assert.ok(users.length > 0 && users.every(([, { build }]) => build?.context === `images/${name}`), name);
	}
});

test('every configuration that a balancer is started with is there, and every one that is there is used', () => {
	const used = services.flatMap(([, service]) => confsOf(service));
	const there = Object.entries(CONFIGURATIONS).flatMap(([folder, ending]) =>
		readdirSync(join(ROOT, folder))
			.filter((file) => file.endsWith(ending))
			.map((file) => `${folder}/${file}`),
	);
	assert.deepEqual([...new Set(used)].sort(), there.sort());
});

test('every balancer is started with one configuration', () => {
	for (const [name, service] of services) {
		if (service.labels['doubletake.tier'] === 'load-balancer') assert.equal(confsOf(service).length, 1, name);
	}
});

test('every configuration is called after an architecture, and includes only snippets that are there', () => {
	const snippets = readdirSync(join(ROOT, 'nginx', 'snippets')).map((file) => `snippets/${file}`);
	for (const conf of new Set(services.flatMap(([, service]) => confsOf(service)))) {
		assert.ok(architectures[conf.replace(/^\w+\/|\.\w+$/g, '')], conf);
		const text = readFileSync(join(ROOT, conf), 'utf8');
		for (const [, included] of text.matchAll(/^\s*include (\S+);/gm)) assert.ok(snippets.includes(included), `${conf}: ${included}`);
	}
});

test('a service that an adapter reads has a product that there is, a level that it can be watched at, and its log in the record', () => {
	const read = services.filter(([, { labels }]) => labels['doubletake.product'] !== undefined);
	assert.deepEqual(read.map(([name]) => name).sort(), [
		'2a-envoy-envoy',
		'2a-haproxy-haproxy',
		'2a-list-redis',
		'2a-maxconn-haproxy',
		'2a-queue-redis',
	]);
	for (const [name, service] of read) {
		const { 'doubletake.product': product, 'doubletake.watch': watch } = service.labels;
		const adapter = adapterOf(product);
		assert.ok(adapter, name);
		const levels = adapter
			.watches({ ...serviceModel({ service: service.labels['doubletake.name'] }), command: service.entrypoint })
			.map(({ level }) => String(level));
		assert.ok(levels.includes(watch), `${name}: ${watch}`);
		// A queue knows no requests.
		if (service.labels['doubletake.tier'] === 'queue') continue;
		const log = `/raw/${requestLogOf(service.labels['doubletake.name'])}`;
		const said = [JSON.stringify(services), ...confsOf(service).map((conf) => readFileSync(join(ROOT, conf), 'utf8'))].join('\n');
		assert.ok(said.includes(log), `${name}: ${log}`);
	}
});
