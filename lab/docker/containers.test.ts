import assert from 'node:assert/strict';
import os from 'node:os';
import { afterEach, mock, test } from 'node:test';
import {
	isStackByHand,
	labelledSystem,
	listForeign,
	listInUse,
	listLeftovers,
	listServices,
	listStates,
	quotaCores,
} from './containers.ts';
import { docker } from './docker.ts';

afterEach(() => mock.restoreAll());

const system = labelledSystem('doubletake-run-1a2b');
const PROJECT = 'com.docker.compose.project';

type Given = {
	service: string;
	number: number;
	tier?: string;
	labels?: Record<string, string>;
	addresses?: string[];
	pid?: number;
	quota?: number;
};

/** An engine with these containers. */
function engineWith(given: Given[]) {
	const containers = given.map(({ service, number, tier, labels }) => ({
		Id: `${service}/${number}`,
		Image: `image/${service}`,
		ImageID: `sha256:${service}`,
		Labels: {
			'com.docker.compose.service': service,
			'com.docker.compose.container-number': String(number),
			...(tier && { 'doubletake.tier': tier, 'doubletake.name': service }),
			...labels,
		},
	}));
	const inspected = Object.fromEntries(
		given.map(({ service, number, addresses = ['10.0.0.2'], pid = 7, quota }) => [
			`${service}/${number}`,
			{
				State: { Pid: pid, Running: pid > 0, ExitCode: 0, OOMKilled: false, StartedAt: 'then', FinishedAt: 'later' },
				HostConfig: quota ? { CpuQuota: quota, CpuPeriod: 10_000 } : {},
				NetworkSettings: { Networks: Object.fromEntries(addresses.map((IPAddress, index) => [`net-${index}`, { IPAddress }])) },
			},
		]),
	);
	const list = mock.method(docker, 'listContainers', async () => containers);
	mock.method(docker, 'getContainer', (id: string) => ({ inspect: async () => inspected[id] }));
	return list;
}

test('containers are asked for by their project, and each has a name of its own', async () => {
	const list = engineWith([
		{ service: 'web', number: 2, tier: 'app' },
		{ service: 'web', number: 1, tier: 'app' },
		{ service: 'db', number: 1, tier: 'database' },
	]);
	const services = await listServices(system);
	assert.deepEqual(
		services.map(({ service, name, tier, id }) => [service, name, tier, id]),
		[
			['web', 'web-2', 'app', 'web/2'],
			['web', 'web-1', 'app', 'web/1'],
			['db', 'db', 'database', 'db/1'],
		],
	);
	const [options] = list.mock.calls[0].arguments;
	assert.deepEqual(options, { all: true, filters: JSON.stringify({ label: [`${PROJECT}=doubletake-run-1a2b`] }) });
});

test('a container on several networks has an address on each, and one without has none', async () => {
	engineWith([
		{ service: 'web', number: 1, tier: 'app', addresses: ['10.0.0.2', '10.0.1.2'], quota: 5000 },
		{ service: 'job', number: 1, tier: 'other', addresses: [''], pid: 0 },
	]);
	const [web, job] = await listServices(system);
	assert.deepEqual([web.address, web.addresses, web.cpuQuotaCores], ['10.0.0.2', ['10.0.0.2', '10.0.1.2'], 0.5]);
	assert.deepEqual([job.address, job.addresses, job.cpuQuotaCores, job.pid], ['', [], null, 0]);
});

test('a container says by its labels which adapter reads it, and how far it is watched', async () => {
	engineWith([
		{ service: 'edge', number: 1, tier: 'load-balancer', labels: { 'doubletake.product': 'haproxy', 'doubletake.watch': '2' } },
		{ service: 'web', number: 1, tier: 'app' },
	]);
	assert.deepEqual(
		(await listServices(system)).map(({ product, watch }) => [product, watch]),
		[
			['haproxy', 2],
			[null, 0],
		],
	);
});

test('what no request passes is an observer, whatever its label says', async () => {
	engineWith([
		{ service: 'mail', number: 1, tier: 'other' },
		{ service: 'unlabelled', number: 1 },
	]);
	assert.deepEqual(
		(await listStates(system)).map(({ name, tier, running }) => [name, tier, running]),
		[
			['mail', 'observer', true],
			['unlabelled', 'observer', true],
		],
	);
});

test('leftovers are those of the architectures and of any run, and nothing of other projects', async () => {
	const labels = (project: string) => ({ [PROJECT]: project });
	mock.method(docker, 'listContainers', async () => [
		{ Id: 'c1', Names: ['/doubletake-app-1-1'], Labels: { ...labels('doubletake'), 'doubletake.tier': 'app' } },
		{ Id: 'c2', Names: ['/shop-web-1'], Labels: labels('shop') },
	]);
	const network = (project: string, more = {}) => ({ Name: `${project}_default`, Labels: { ...labels(project), ...more } });
	const networks = [network('doubletake-run-1a2b', { 'doubletake.lab': 'yes' }), network('doubletake-run-9f9f')];
	// Somebody has called his own stack so.
	mock.method(docker, 'listNetworks', async () => [...networks, network('doubletake-run-0000')]);
	mock.method(docker, 'listVolumes', async () => ({
		Volumes: [
			{ Name: 'doubletake-run-9f9f_data', Labels: { ...labels('doubletake-run-9f9f'), 'doubletake.lab': 'yes' } },
			// Whoever made it did not do so for a run.
			{ Name: 'doubletake-run-9f9f_books', Labels: labels('doubletake-run-9f9f') },
		],
	}));
	assert.deepEqual(await listLeftovers(), [
		{ project: 'doubletake', what: 'container doubletake-app-1-1' },
		{ project: 'doubletake-run-1a2b', what: 'network doubletake-run-1a2b_default' },
		{ project: 'doubletake-run-9f9f', what: 'network doubletake-run-9f9f_default' },
		{ project: 'doubletake-run-9f9f', what: 'volume doubletake-run-9f9f_data', volume: 'doubletake-run-9f9f_data' },
	]);
	assert.deepEqual(
		(await listForeign()).map(({ what }) => what),
		['network doubletake-run-0000_default', 'volume doubletake-run-9f9f_books'],
	);
});

test('what a folder of the same name as the lab’s project has made is not the lab’s', async () => {
	const labels = { [PROJECT]: 'doubletake' };
	mock.method(docker, 'listContainers', async () => [{ Id: 'c1', Names: ['/doubletake-web-1'], Labels: labels }]);
	mock.method(docker, 'listNetworks', async () => [{ Name: 'doubletake_lab', Labels: { ...labels, 'doubletake.lab': 'yes' } }]);
	mock.method(docker, 'listVolumes', async () => ({ Volumes: [{ Name: 'doubletake_database', Labels: labels }] }));
	assert.deepEqual(await listLeftovers(), [{ project: 'doubletake', what: 'network doubletake_lab' }]);
	assert.deepEqual(
		(await listForeign()).map(({ what }) => what),
		['container doubletake-web-1', 'volume doubletake_database'],
	);
});

test('a stack is by hand where its containers say so, whatever network they were given', async () => {
	const said = (run: string) => [{ Id: 'c1', Names: ['/doubletake-app-1-1'], Labels: { 'doubletake.run': run } }];
	mock.method(docker, 'listNetworks', async () => [{ Name: 'doubletake_lab', Labels: { 'doubletake.run': 'an-interrupted-one' } }]);
	for (const [containers, expected] of [
		[said('by-hand'), true],
		[said('2026-01-01T000000Z-1a2b'), false],
		[[], false],
	] as const) {
		mock.method(docker, 'listContainers', async () => containers);
		assert.equal(await isStackByHand(), expected);
	}
});

test('a quota is read in whichever way the engine has it', () => {
	assert.deepEqual(
		[
			{ CpuQuota: 2500, CpuPeriod: 10_000 },
			{ CpuQuota: 50_000 },
			{ NanoCpus: 750_000_000, CpuQuota: 0 },
			{ CpuQuota: 0 },
			{ CpuQuota: -1 },
			{},
		].map(quotaCores),
		[0.25, 0.5, 0.75, null, null, null],
	);
});

test('networks of this machine are in use', async (t) => {
	for (const name of ['listContainers', 'listNetworks', 'info'] as const) t.mock.method(docker, name, async () => []);
	t.mock.method(os, 'networkInterfaces', () => ({ docker0: [{ cidr: '172.17.0.1/16' }], tun9: [{ cidr: '10.9.8.7/24' }] }));
	const { subnets } = await listInUse();
	assert.deepEqual([subnets[0], subnets.includes('172.17.0.1/16')], ['10.9.8.7/24', false]);
});

test('what an engine leaves writable below a read-only mount is known, where it does', async (t) => {
	t.mock.method(docker, 'listContainers', async () => []);
	t.mock.method(docker, 'listNetworks', async () => []);
	const openWith = async (engine: object) => {
		t.mock.method(docker, 'info', async () => engine);
		return (await listInUse()).openMounts;
	};
	const modern = { ServerVersion: '28.1.0', KernelVersion: '6.1.0-13-amd64' };
	assert.deepEqual(await openWith(modern), []);
	for (const older of [{}, { ...modern, ServerVersion: '20.10.24+dfsg1' }, { ...modern, KernelVersion: '5.10.0' }])
		assert.ok((await openWith(older)).every((path) => path.startsWith('/')));
});
