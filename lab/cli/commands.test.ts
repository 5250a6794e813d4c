import assert from 'node:assert/strict';
import { afterEach, mock, test } from 'node:test';
import { NotReadyError } from '../base/errors.ts';
import { docker } from '../docker/docker.ts';
import { thisOwner } from '../docker/lock.ts';
import { listen } from '../fixtures/reporter.ts';
import { clean } from './commands.ts';

afterEach(() => mock.restoreAll());

/**
 * An engine that a run of this process holds, under which nothing may be looked for.
 * @returns what was removed of it
 */
function heldEngine(): string[] {
	const own = { 'doubletake.lock': 'theirs', 'doubletake.owner': JSON.stringify(thisOwner()) };
	const volumes = [{ Name: 'doubletake-lock-theirs', Labels: own, CreatedAt: new Date().toISOString() }];
	const removed = [] as string[];
	const fakes = {
		version: async () => ({ Version: '20.10.24' }),
		info: async () => ({ SystemTime: new Date().toISOString() }),
		createVolume: async ({ Name, Labels }) => void volumes.push({ Name, Labels, CreatedAt: new Date().toISOString() }),
		listVolumes: async () => ({ Volumes: volumes.filter(({ Name: name }) => !removed.includes(name)) }),
		getVolume: (name: string) => ({ remove: async () => void removed.push(name) }),
		listContainers: async () => assert.fail('expected nothing to be looked for'),
	} as Record<string, (given: any) => any>;
	for (const [name, fake] of Object.entries(fakes)) mock.method(docker, name as any, fake);
	return removed;
}

test('clean is refused while a run goes on, and removes nothing of it', async () => {
	const removed = heldEngine();
	await assert.rejects(clean(listen().reporter), (error) => {
		assert.ok(error instanceof NotReadyError);
		assert.match(error.message, /^Expected no other run of Doubletake on this engine; found process \d+ of /);
		return true;
	});
	assert.equal(removed.includes('doubletake-lock-theirs'), false);
});
