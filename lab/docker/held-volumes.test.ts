import assert from 'node:assert/strict';
import { test } from 'node:test';
import { docker } from './docker.ts';
import { holdVolumes, releaseVolumes } from './held-volumes.ts';

test('what holds volumes does nothing with them, and goes with its project alone', async (t) => {
	const made: any[] = [];
	const done: string[] = [];
	t.mock.method(docker, 'createContainer', async (options: any) => {
		made.push(options);
		return { start: async () => done.push('started') };
	});
	t.mock.method(docker, 'listContainers', async () => [
		{ Id: 'held', Labels: { 'doubletake.holds': 'run-1' } },
		{ Id: 'other', Labels: { 'doubletake.holds': 'run-3' } },
		{ Id: 'plain', Labels: {} },
	]);
	t.mock.method(docker, 'getContainer', (id: string) => ({ remove: async () => done.push(`removed ${id}`) }));
	await holdVolumes({ project: 'run-1', volumes: ['run-1_a', 'run-1_b'], image: 'k6' });
	const [{ HostConfig: host, Labels: labels }] = made;
	assert.deepEqual(labels, { 'doubletake.holds': 'run-1' });
	assert.deepEqual(
		host.Mounts.map(({ Source, ReadOnly }: any) => [Source, ReadOnly]),
		[
			['run-1_a', true],
			['run-1_b', true],
		],
	);
	assert.deepEqual([host.NetworkMode, host.CapDrop, host.ReadonlyRootfs], ['none', ['ALL'], true]);
	await releaseVolumes('run-2');
	await releaseVolumes('run-1');
	assert.deepEqual(done, ['started', 'removed held']);
});
