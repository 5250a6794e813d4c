import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NotReadyError } from '../base/errors.ts';
import type { AttachedService } from './compose-model.ts';
import { serviceModels } from './compose-model.ts';
import { configOf } from './fixtures/systems.ts';

function modelOf(system: Parameters<typeof configOf>[0], name: string): AttachedService {
	const model = serviceModels(configOf(system)).find(({ service }) => service === name);
	assert.ok(model);
	return model;
}

const only = (service: any) => serviceModels({ name: 'run', services: { one: service } })[0];

test('a service is given with what the file says of it', () => {
	const { service, image, command, ports, dependsOn, mounts, networks, replicas } = modelOf('shop', 'haproxy');
	assert.deepEqual(
		{ service, image, command, ports, dependsOn, mounts, networks, replicas },
		{
			service: 'haproxy',
			image: 'haproxy:2.6',
			command: [],
			ports: [8404, 8080],
			dependsOn: ['web'],
			mounts: [{ type: 'bind', source: '/home/ada/shop/haproxy.cfg', target: '/usr/local/etc/haproxy/haproxy.cfg', readOnly: true }],
			networks: ['default'],
			replicas: 1,
		},
	);
});

test('entrypoint and command are one, and it is known that there is an entrypoint', () => {
	const api = modelOf('notes', 'api');
	assert.deepEqual(api.command, ['node', '--enable-source-maps', 'server.js']);
	assert.equal(api.hasEntrypoint, true);
	assert.equal(modelOf('shop', 'web').hasEntrypoint, false);
});

test('a dollar sign that Compose doubled is single again, wherever it stands', () => {
	assert.equal(modelOf('shop', 'web').environment.SECRET_KEY, '0Yk-$tr0ng-9f3b77');
	assert.deepEqual(only({ command: ['sh', '-c', 'echo $$HOME $$$$'] }).command, ['sh', '-c', 'echo $HOME $$']);
});

test('a variable without a value is empty', () => {
	assert.equal(modelOf('notes', 'api').environment.FEATURES, '');
});

test('exposed ports are listened on, but not published; ranges are read, up to a bound', () => {
	const web = modelOf('shop', 'web');
	assert.deepEqual([web.ports, web.published], [[8000], []]);
	assert.deepEqual(only({ expose: ['3000/tcp', '4000-4002', 'none'] }).ports, [3000, 4000, 4001, 4002]);
	assert.equal(only({ expose: ['10000-20000'] }).ports.length, 100);
});

test('a port that is published over UDP is not one that users ask', () => {
	const ports = [{ target: 53, published: '53', protocol: 'udp' }, { target: 8053 }];
	assert.deepEqual(only({ ports }).published, [8053]);
});

test('replicas come from deploy, else from scale, else there is one', () => {
	assert.equal(modelOf('shop', 'web').replicas, 2);
	assert.equal(only({ scale: 3 }).replicas, 3);
	assert.equal(only({ deploy: { replicas: 0 } }).replicas, 0);
});

test('a volume without a source is one too', () => {
	assert.deepEqual(modelOf('notes', 'api').mounts[1], { type: 'volume', source: '', target: '/app/node_modules', readOnly: false });
});

test('others reach a service by its name, its container’s name and its aliases', () => {
	assert.deepEqual(modelOf('hostile', '1.0').names, ['1.0', 'prod-front', 'front.example.test']);
	assert.equal(modelOf('hostile', '1.0').containerName, 'prod-front');
});

test('a network that the engine keeps to itself is not open', () => {
	const { networks, openNetworks } = modelOf('hostile', '1.0');
	assert.deepEqual([networks, openNetworks], [['back', 'edge'], ['edge']]);
});

test('it is known what is built, and where the file lays configurations', () => {
	assert.deepEqual(
		['api', 'mongo'].map((name) => modelOf('notes', name).isBuilt),
		[true, false],
	);
	assert.deepEqual(only({ configs: [{ source: 'cfg', target: '/etc/haproxy/haproxy.cfg' }] }).laid, ['/etc/haproxy/haproxy.cfg']);
});

test('what stands under deploy, where the plain entries do not reach, is known', () => {
	const { hasRestartPolicy, hasCpuLimit } = modelOf('hostile', '1.0');
	assert.deepEqual([hasRestartPolicy, hasCpuLimit], [true, true]);
	assert.deepEqual([modelOf('shop', 'web').hasRestartPolicy, modelOf('shop', 'web').hasCpuLimit], [false, false]);
});

test('when a service is started again is known from either place', () => {
	const restartsOf = (service: any) => only(service).restarts;
	assert.deepEqual(
		['no', 'always', 'unless-stopped', 'on-failure:3'].map((restart) => restartsOf({ restart })),
		['never', 'always', 'always', 'failure'],
	);
	assert.equal(restartsOf({}), 'never');
	assert.equal(restartsOf({ restart: 'always', deploy: { restart_policy: { condition: 'none' } } }), 'never');
	assert.equal(restartsOf({ deploy: { restart_policy: { condition: 'any' } } }), 'always');
});

test('a dependency that has to end first is known as such', () => {
	const { dependsOn, endsFirst } = modelOf('notes', 'api');
	assert.deepEqual([dependsOn, endsFirst], [['migrate', 'mongo'], ['migrate']]);
});

test('a file without services is refused', () => {
	assert.throws(() => serviceModels({ name: 'run', services: {} }), NotReadyError);
	assert.throws(() => serviceModels({ name: 'run' }), /found none/);
});
