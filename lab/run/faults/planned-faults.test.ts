import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Adapter, ServiceModel } from '../../adapters/contract.ts';
import type { Put } from '../../adapters/faults.ts';
import { CONTROL } from '../../adapters/faults.ts';
import { serviceModel } from '../../adapters/fixtures/service-model.ts';
import { adapter as pgbouncer } from '../../adapters/pgbouncer/adapter.ts';
import { adapter as postgres } from '../../adapters/postgres/adapter.ts';
import { everyAdapter } from '../../adapters/registry.ts';
import { inConf } from '../../adapters/shipped-faults/balancer.ts';
import { NotInjectedError } from '../../base/errors.ts';
import type { Project } from '../../catalog/project-schema.ts';
import { readSettings } from '../../options/settings.ts';
import { serviceModels } from '../../target/compose-model.ts';
import { detectTiers } from '../../target/detect.ts';
import { configOf } from '../../target/fixtures/systems.ts';
import { chooseProject } from '../../target/init.ts';
import { checkConfig } from '../project/checked-system.ts';
import { besides, planFaults, withFault } from './planned-faults.ts';

const settings = readSettings('shop', {});
const faultsOf = (adapter: Adapter, service: ServiceModel) => adapter.faults?.(service) ?? [];

const CFG = readFileSync(new URL('../../adapters/haproxy/fixtures/haproxy.cfg', import.meta.url), 'utf8');

/** The faults of the shop: HAProxy, two workers, PgBouncer, PostgreSQL. */
function planOf({
	config = configOf('shop'),
	change = () => {},
	read = () => CFG,
}: {
	config?: any;
	change?: (project: Project) => void;
	read?: (file: string) => string | null;
} = {}) {
	const models = serviceModels(config);
	const project = chooseProject(detectTiers(models, everyAdapter), models);
	project.services.web = { ...project.services.web, tier: 'app', product: 'opaque' };
	change(project);
	return planFaults(checkConfig(config, { project, settings, read }), project, read);
}

test('a run without a fault comes first, and nothing may fail in it', () => {
	const [[id, { demand, how }]] = planOf();
	assert.deepEqual([id, demand.expected, how], [CONTROL, [], null]);
});

test('each service has the faults of its product, by its own name', () => {
	const ids = [...planOf().keys()];
	for (const id of ['haproxy.short-queue', 'pgbouncer.small-pool', 'postgres.locked-table', 'web.worker-killed', 'web.stopped'])
		assert.ok(ids.includes(id), id);
});

test('a fault is right at the tier that the user’s file gives its service, whatever made many of it', () => {
	const plan = planOf({
		change: ({ services }) => {
			services.web.tier = 'queue';
		},
	});
	const [expected] = plan.get('web.killed')?.demand.expected ?? [];
	assert.deepEqual([expected.tier, expected.services, expected.may], ['queue', ['web'], true]);
	assert.ok(expected.amplifiers?.includes('no-live-upstream'));
	// Where the cause is another tier's, any service of that tier is right.
	const other = plan.get('pgbouncer.small-pool')?.demand.expected?.at(-1);
	assert.deepEqual([other?.tier, other?.services], ['database', undefined]);
});

test('of services that are alike the first has the faults, and stopping it is stopping one of two', () => {
	const config = configOf('shop');
	const { web } = config.services;
	config.services['web-2'] = structuredClone({ ...web, deploy: { replicas: 1 } });
	web.deploy.replicas = 1;
	const ids = [...planOf({ config, change: alike }).keys()];
	assert.ok(!ids.some((id) => id.startsWith('web-2.')));
	assert.equal(planOf({ config, change: alike }).get('web.stopped')?.cannot, null);
	config.services['web-2'].command = ['gunicorn', 'other:app'];
	const apart = planOf({ config, change: alike });
	assert.ok(apart.has('web-2.stopped'));
	assert.match(String(apart.get('web.stopped')?.cannot), /no second one/);
});

/** Both are asked by the balancer and ask the pool. */
function alike(project: Project) {
	project.services['web-2'] = { ...project.services.web };
	project.edges = [
		['haproxy', 'web'],
		['haproxy', 'web-2'],
		['web', 'pgbouncer'],
		['web-2', 'pgbouncer'],
	];
}

test('a service that no request passes has no faults', () => {
	const plan = planOf({
		change: ({ services }) => {
			services.postgres.tier = 'other';
		},
	});
	assert.ok(![...plan.keys()].some((id) => id.startsWith('postgres.')));
});

test('what cannot be put in says why: nothing to change, no such file, a command that is a shell’s', () => {
	const why = (id: string, given: Parameters<typeof planOf>[0] = {}) => planOf(given).get(id)?.cannot;
	assert.equal(why('haproxy.short-queue'), null);
	assert.equal(why('haproxy.short-queue', { read: () => 'frontend web\n' }), 'its configuration names no server for HTTP');
	assert.match(String(why('haproxy.short-queue', { read: () => null })), /no file \/home\/ada\/shop\/haproxy\.cfg/);
	const config = configOf('shop');
	config.services.postgres.command = ['sh', '-c', 'postgres'];
	config.services.haproxy.volumes[0].type = 'volume';
	assert.match(String(why('postgres.connections-taken', { config })), /command/);
	assert.match(String(why('haproxy.short-queue', { config })), /expected a file of this machine .* found a volume/);
	// What lies in an image is not known before the image is there.
	assert.equal(why('pgbouncer.small-pool', { read: () => null }), null);
});

const SMALL_CFG = 'frontend web\n    mode http\n    default_backend app\nbackend app\n    mode http\n    server a a:1 maxconn 9\n';

/** The shop, as a run of it would be, with HAProxy watched at this level. */
function shop(watch: 1 | 2 = 2) {
	const config = configOf('shop');
	const models = serviceModels(config);
	const project = chooseProject(detectTiers(models, everyAdapter), models);
	project.services.haproxy.watch = watch;
	const run = {
		runProject: 'doubletake-run-1',
		mark: 'a1b2c3d4e5f6',
		fingerprints: { files: '', load: '' },
		resolved: {},
		supplies: { flags: [], env: {} },
	};
	return { ...run, ...checkConfig(config, { project, settings, read: () => null }) };
}

function faultOf(product: string, id: string) {
	const found = everyAdapter
		.find((adapter) => adapter.product === product)
		?.faults?.(serviceModel({ image: `${product}:1` }))
		.find((fault) => fault.id === id);
	assert.ok(found);
	return found;
}

test('a change is made before the lab’s own, so that the service is watched as ever', () => {
	const path = '/usr/local/etc/haproxy/haproxy.cfg';
	const { originals, parts } = withFault(shop(2), { how: faultOf('haproxy', 'short-queue'), service: 'haproxy' });
	assert.deepEqual([originals.length, originals[0].path], [1, path]);
	const { text, changes } = originals[0].configuration.overlaid(SMALL_CFG);
	assert.ok(text.includes('server a a:1 maxconn 1\n') && text.includes('X-Request-Id'), text);
	assert.match(changes[0], /^one connection to each server/);
	assert.ok(changes.length > 1);
	assert.deepEqual(parts.haproxy.mounts, shop(2).parts.haproxy.mounts);
});

test('where the lab lays nothing over the file, a changed copy is laid over it for the run', () => {
	const { originals, parts } = withFault(shop(1), { how: faultOf('haproxy', 'short-queue'), service: 'haproxy' });
	assert.deepEqual(
		originals.map(({ service, file }) => [service, file]),
		[['haproxy', '/home/ada/shop/haproxy.cfg']],
	);
	assert.deepEqual(parts.haproxy.mounts, [{ source: 'raw:haproxy.cfg', target: '/usr/local/etc/haproxy/haproxy.cfg', readOnly: true }]);
	assert.doesNotMatch(originals[0].configuration.overlaid(SMALL_CFG).text, /X-Request-Id/);
	const [ofPool] = withFault(shop(), { how: faultsOf(pgbouncer, serviceModel())[0], service: 'pgbouncer' }).originals.slice(1);
	assert.deepEqual([ofPool.service, ofPool.file], ['pgbouncer', null]);
});

test('a text that has nothing to change cannot take the fault, and says so', () => {
	const { originals } = withFault(shop(1), { how: faultOf('haproxy', 'short-queue'), service: 'haproxy' });
	assert.throws(() => originals[0].configuration.overlaid('frontend web\n'), NotInjectedError);
});

test('a command gets the fault’s settings after its own', () => {
	const [fault] = faultsOf(postgres, serviceModel({ image: 'postgres:15', command: ['postgres', '-c', 'max_connections=100'] }));
	const { parts } = withFault(shop(), { how: fault, service: 'postgres' });
	assert.deepEqual(parts.postgres.command?.slice(0, 3), ['postgres', '-c', 'max_connections=100']);
	assert.ok(parts.postgres.command?.includes('max_connections=4'));
	assert.equal(withFault(shop(), { how: faultOf('opaque', 'paused'), service: 'web' }).parts.web.command, undefined);
});

test('a run without a fault is of the system as it is', () => {
	const checked = shop();
	assert.equal(withFault(checked, null), checked);
});

const BY_NAME = { 'app-1': 'tickets-1', nginx: 'nginx-1a-tuned' };
const CONF = inConf(/worker_connections \d+;/, 'worker_connections 64;');

/**
 * What is laid over the system's file for a fault.
 * @param check folder: in which its files are; laid: by the one that is laid over
 */
async function laid(how: Partial<Put>, check: (folder: string, laid: any) => Promise<void> | void) {
	const folder = await mkdtemp(join(os.tmpdir(), 'inject-test-'));
	try {
		const put = { how, service: 'nginx' } as any;
		const { files, variables } = await besides(put, folder, async () => BY_NAME);
		assert.deepEqual([files.length, variables], [1, how.variables ?? {}]);
		await check(folder, JSON.parse(await readFile(files[0], 'utf8')));
	} finally {
		await rm(folder, { recursive: true });
	}
}

test('settings are given to the service that has the name in this architecture', () =>
	laid({ services: { 'app-1': { environment: { STOCK: '1' } } }, variables: { STOCK: '1' } }, (_, all) =>
		assert.deepEqual(all, { services: { 'tickets-1': { environment: { STOCK: '1' } } }, networks: {} }),
	));

test('a changed conf is mounted in the place of the lab’s own, beside other settings of the balancer', () =>
	laid({ services: { nginx: { ulimits: { nofile: 64 } } }, change: CONF }, (folder, { services }) =>
		assert.deepEqual(services['nginx-1a-tuned'], { ulimits: { nofile: 64 }, volumes: [`${join(folder, 'nginx')}:/etc/doubletake:ro`] }),
	));

test('a network that the settings name is declared', () =>
	laid({ networks: ['private'] }, (_, { networks }) => assert.deepEqual(networks, { private: { labels: { 'doubletake.lab': 'yes' } } })));

test('a change of the conf is made in a copy, with its snippets beside it', () =>
	laid({ change: CONF }, async (folder) => {
		assert.match(await readFile(join(folder, 'nginx', '2a.conf'), 'utf8'), /worker_connections 64;/);
		assert.ok(await readFile(join(folder, 'nginx', 'snippets', 'http.conf'), 'utf8'));
	}));

test('without a fault nothing is laid over it', async () => {
	assert.deepEqual(await besides(null, '/nowhere', async () => BY_NAME), { files: [], variables: {} });
});
