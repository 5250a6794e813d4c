import assert from 'node:assert/strict';
import { afterEach, mock, test } from 'node:test';
import { NotInjectedError } from '../../base/errors.ts';
import { docker } from '../../docker/docker.ts';
import type { Quota } from '../quotas.ts';
import { act } from './fault-actions.ts';

afterEach(() => mock.restoreAll());

const NETWORK = 'doubletake_lab';
const never = new AbortController().signal;
/** Long ago, so that no action is waited for. */
const BEGAN_S = 1;

/**
 * An engine with one container, app-1, on the lab's network.
 * @param options addresses: that it has, each
 * time it is looked at
 */
function fakeEngine({
	addresses = ['10.0.0.3'],
	refusesAddress = false,
	quota = {},
}: {
	addresses?: string[];
	refusesAddress?: boolean;
	quota?: Quota;
} = {}) {
	const calls: any[][] = [];
	const note = (name: string) =>
		mock.fn(async (value: any) => {
			calls.push(value === undefined ? [name] : [name, value]);
		});
	const looks = [addresses[0], ...addresses];
	const inspect = async () => ({
		State: { Pid: 7 },
		HostConfig: quota,
		NetworkSettings: { Networks: { [NETWORK]: { IPAddress: looks.length > 1 ? looks.shift() : looks[0], Aliases: ['app-1', 'node'] } } },
	});
	const container = {
		inspect,
		...Object.fromEntries(['kill', 'start', 'stop', 'pause', 'unpause', 'update'].map((name) => [name, note(name)])),
	};
	const connect = async (options: any) => {
		calls.push(['connect', options]);
		if (refusesAddress && options.EndpointConfig.IPAMConfig)
			throw new Error('user specified IP address is supported only when connecting to networks with user configured subnets');
	};
	const labels = { 'doubletake.name': 'app-1', 'doubletake.tier': 'app', 'com.docker.compose.service': 'app-1' };
	mock.method(docker, 'listContainers', async () => [{ Id: 'c1', Labels: labels, Image: '', ImageID: '' }]);
	mock.method(docker, 'getContainer', () => container);
	mock.method(docker, 'info', async () => ({ NCPU: 4 }));
	mock.method(docker, 'getNetwork', () => ({ connect, disconnect: note('disconnect') }));
	return calls;
}

test('actions are done in their order, each on its container', async () => {
	const calls = fakeEngine();
	const actions = (['kill', 'start', 'pause', 'unpause'] as const).map((action) => ({ after_s: 0, service: 'app-1', action }));
	await act(actions, BEGAN_S, never);
	assert.deepEqual(calls, [['kill'], ['start'], ['pause'], ['unpause']]);
});

test('a container that is not there is named', async () => {
	fakeEngine();
	const done = act([{ after_s: 0, service: 'nginx', action: 'pause' }], BEGAN_S, never);
	await assert.rejects(done, /no container nginx to pause/);
});

test('what is cut off comes back by the same names and at the same address', async () => {
	const calls = fakeEngine();
	await act(
		[
			{ after_s: 0, service: 'app-1', action: 'disconnect' },
			{ after_s: 0, service: 'app-1', action: 'connect' },
		],
		BEGAN_S,
		never,
	);
	assert.deepEqual(calls, [
		['disconnect', { Container: 'c1', Force: true }],
		['connect', { Container: 'c1', EndpointConfig: { Aliases: ['app-1', 'node'], IPAMConfig: { IPv4Address: '10.0.0.3' } } }],
	]);
});

test('where the engine refuses a chosen address, it chooses itself, and another one than before is an error', async () => {
	const actions = (['disconnect', 'connect'] as const).map((action) => ({ after_s: 0, service: 'app-1', action }));
	const calls = fakeEngine({ refusesAddress: true });
	await act(actions, BEGAN_S, never);
	assert.deepEqual(calls.at(-1), ['connect', { Container: 'c1', EndpointConfig: { Aliases: ['app-1', 'node'] } }]);
	mock.restoreAll();
	fakeEngine({ refusesAddress: true, addresses: ['10.0.0.3', '10.0.0.3', '10.0.0.9'] });
	await assert.rejects(act(actions, BEGAN_S, never), /came back as 10.0.0.9 and was 10.0.0.3/);
});

test('what was never cut off cannot be connected again', async () => {
	fakeEngine();
	await assert.rejects(act([{ after_s: 0, service: 'app-1', action: 'connect' }], BEGAN_S, never), /was not cut off/);
});

test('a quota is changed and brought back, and each action is recorded with its moments', async () => {
	const calls = fakeEngine();
	const reported: any[] = [];
	const actions = [
		{ after_s: 0, service: 'app-1', action: 'quota', cores: 0.4 },
		{ after_s: 0, service: 'app-1', action: 'quota' },
	] as const;
	await act([...actions], BEGAN_S, never, { onDone: (action, askedS, doneS) => reported.push([action.cores, askedS <= doneS]) });
	assert.deepEqual(calls, [
		['update', { CpuPeriod: 100_000, CpuQuota: 40_000 }],
		['update', { CpuQuota: -1 }],
	]);
	assert.deepEqual(reported, [
		[0.4, true],
		[undefined, true],
	]);
});

test('a share is one of what the container may use, of the host’s cores where it has no quota', async () => {
	const changed = async (quota: Quota) => {
		const calls = fakeEngine({ quota });
		await act([{ after_s: 0, service: 'app-1', action: 'quota', share: 0.5 }], BEGAN_S, never);
		return calls[0][1];
	};
	assert.deepEqual(await changed({ NanoCpus: 5e8 }), { NanoCpus: 25e7 });
	assert.deepEqual(await changed({ CpuQuota: 2500, CpuPeriod: 10_000 }), { CpuPeriod: 100_000, CpuQuota: 12_500 });
	assert.deepEqual(await changed({ CpuQuota: 0 }), { CpuPeriod: 100_000, CpuQuota: 200_000 });
});

test('a container from which another is to be cut off has to be there', async () => {
	fakeEngine();
	const cut = act([{ after_s: 0, service: 'app-1', action: 'cut', other: 'mongo' }], BEGAN_S, never);
	await assert.rejects(cut, /no container mongo to cut on the way to it from app-1/);
});

test('what is run in a container is run there, and one that does not end well says what it said last', async () => {
	fakeEngine();
	const ran: any[] = [];
	let exitCode = 0;
	mock.method(docker, 'getContainer', () => ({
		inspect: async () => ({ State: { Pid: 7 }, HostConfig: {}, NetworkSettings: { Networks: {} } }),
		exec: async ({ Cmd }: any) => {
			ran.push(Cmd);
			return { start: async () => [framed('first\nno such role\n')], inspect: async () => ({ Running: false, ExitCode: exitCode }) };
		},
	}));
	const actions = [{ after_s: 0, service: 'app-1', action: 'execute' as const, command: ['psql', '-c', 'select 1'] }];
	await act(actions, BEGAN_S, never);
	assert.deepEqual(ran, [['psql', '-c', 'select 1']]);
	exitCode = 2;
	await assert.rejects(
		act(actions, BEGAN_S, never),
		(error) => error instanceof NotInjectedError && /ended with 2 \(no such role\)/.test(error.message),
	);
});

/** As the engine frames what a program prints. */
function framed(text: string) {
	const header = Buffer.alloc(8);
	header.writeUInt32BE(Buffer.byteLength(text), 4);
	return Buffer.concat([header, Buffer.from(text)]);
}

test('a container that is stopped has the engine’s own time to end', async () => {
	const calls = fakeEngine();
	await act([{ after_s: 0, service: 'app-1', action: 'stop' }], BEGAN_S, never);
	assert.deepEqual(calls, [['stop', { t: 10 }]]);
});

test('the containers are those of the system that is told', async () => {
	fakeEngine();
	const listed = mock.method(docker, 'listContainers', async () => []);
	await assert.rejects(
		act([{ after_s: 0, service: 'app-1', action: 'kill' }], BEGAN_S, never, {
			system: { project: 'doubletake-run-7', cwd: '/', flags: [] },
		}),
	);
	assert.match(String(listed.mock.calls[0].arguments.map((argument) => JSON.stringify(argument))), /doubletake-run-7/);
});
