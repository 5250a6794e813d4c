import assert from 'node:assert/strict';
import { afterEach, mock, test } from 'node:test';
import type { Shape } from '../../../k6/lib/shapes.js';
import { serviceModel } from '../../adapters/fixtures/service-model.ts';
import { everyAdapter } from '../../adapters/registry.ts';
import { NotInjectedError } from '../../base/errors.ts';
import { docker } from '../../docker/docker.ts';
import { actionsOf, injectionOf, obstacleTo } from './injection.ts';

afterEach(() => mock.restoreAll());

const SHAPE = {
	title: '',
	model: 'closed',
	unit: 'users',
	warmup_s: 2,
	settle_s: 3,
	stages: [{ duration_s: 40, target: 9 }],
} as Shape;
function faultOf(product: string, id: string) {
	const found = everyAdapter
		.find((adapter) => adapter.product === product)
		?.faults?.(serviceModel({ image: `${product}:1` }))
		.find((fault) => fault.id === id);
	assert.ok(found);
	return found;
}

/** Containers as the engine tells them. */
const stackOf = (names: string[]): any[] => names.map((name) => ({ name, service: name.replace(/-\d+$/, ''), id: name }));

test('what is done in the load is done at its share of it, and what is done before goes on for as much of it', () => {
	const paused = actionsOf(faultOf('opaque', 'paused'), () => 'web-1', SHAPE, { before: false });
	assert.deepEqual(paused, [
		{ after_s: 16, service: 'web-1', action: 'pause' },
		{ after_s: 24, service: 'web-1', action: 'unpause' },
	]);
	const taken = faultOf('postgres', 'connections-taken');
	assert.deepEqual(
		actionsOf(taken, () => 'postgres', SHAPE, { before: false }),
		[],
	);
	const [held] = actionsOf(taken, () => 'postgres', SHAPE, { before: true });
	// 40 % of 40 s, and the 5 s before the load.
	assert.deepEqual([held.after_s, held.command?.at(-1), held.limit_s], [0, '21', 81]);
});

test('it is asked before the load whether the container can take the fault', async () => {
	const fault = { service: 'web', how: faultOf('opaque', 'worker-killed') };
	const asked: string[] = [];
	const open =
		(execute: () => Promise<any>) =>
		({ name }: { name: string }) => {
			asked.push(name);
			return { execute };
		};
	const stack = stackOf(['web-10', 'web-2', 'postgres']);
	assert.equal(
		await obstacleTo(
			fault,
			stack,
			open(async () => ({ exitCode: 0, output: '' })),
		),
		null,
	);
	assert.match(
		String(
			await obstacleTo(
				fault,
				stack,
				open(async () => ({ exitCode: 1, output: '' })),
			),
		),
		/no worker processes/,
	);
	assert.match(
		String(
			await obstacleTo(
				fault,
				stack,
				open(async () => Promise.reject(new Error('no sh'))),
			),
		),
		/no worker processes/,
	);
	assert.deepEqual(asked, ['web-2', 'web-2', 'web-2']);
	assert.equal(await obstacleTo({ service: 'web', how: faultOf('opaque', 'paused') }, []), null);
});

const OF_WEB = {
	title: '',
	demand: {},
	service: 'web',
	cannot: null,
	level: 1 as const,
	on: null,
	isShort: false,
	mayRefuse: true,
	mayBear: true,
};

test('the control changes nothing, and the manifest names every other fault', () => {
	const control = injectionOf({ ...OF_WEB, id: 'control', how: null });
	assert.deepEqual([control.put, control.fault], [null, null]);
	const how = faultOf('opaque', 'paused');
	const paused = injectionOf({ ...OF_WEB, id: 'web.paused', title: 'web: paused', how });
	assert.deepEqual(paused.put, { how, service: 'web' });
	assert.deepEqual(paused.fault, { id: 'web.paused', title: 'web: paused' });
});

test('what is run in a container and does not end well is reported when the load has ended', async () => {
	const exec = {
		start: async () => [],
		inspect: async () => ({ Running: false, ExitCode: 2 }),
	};
	const state = { State: { Pid: 7 }, HostConfig: {}, NetworkSettings: { Networks: {} } };
	const labels = { 'doubletake.name': 'postgres', 'doubletake.tier': 'database', 'com.docker.compose.service': 'postgres' };
	mock.method(docker, 'listContainers', async () => [{ Id: 'p', Labels: labels, Image: '', ImageID: '' }]);
	mock.method(docker, 'getContainer', () => ({ inspect: async () => state, exec: async () => exec }));
	const fault = { ...OF_WEB, id: 'x', service: 'postgres', how: faultOf('postgres', 'connections-taken') };
	const injection = injectionOf(fault, async () => {});
	const during = {
		stack: stackOf(['postgres']),
		shape: SHAPE,
		system: { project: 'p', cwd: '/', flags: [] },
		signal: new AbortController().signal,
	};
	await injection.whenUp(during);
	await assert.rejects(injection.duringLoad(1, during), (error) => error instanceof NotInjectedError && /ended with 2/.test(error.message));
});

test('what is done to a way names the containers at both its ends', () => {
	const actions = [{ at: 0.5, action: 'lose' as const, other: 'pool', share: 0.7 }];
	const named = actionsOf({ actions }, (service = 'store') => `${service}-1`, SHAPE, { before: false });
	assert.deepEqual(named, [{ after_s: 20, service: 'store-1', action: 'lose', other: 'pool-1', share: 0.7 }]);
});
