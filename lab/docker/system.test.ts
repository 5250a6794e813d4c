import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { PROJECT, ROOT } from '../base/paths.ts';
import { architectureSystem, isOfLab, labelledSystem, labSystem, newRunProject, projectSystem } from './containers.ts';

test('an architecture is the file of its folder and its profiles, whatever the shell says', () => {
	const { env, ...system } = architectureSystem('2a', ['arch-2a', 'load']);
	assert.deepEqual(system, { project: PROJECT, cwd: ROOT, flags: ['--profile', 'arch-2a', '--profile', 'load'], isClosed: true });
	assert.deepEqual(env, { COMPOSE_FILE: join(ROOT, 'compose', '2a', 'compose.yaml'), COMPOSE_PROJECT_NAME: PROJECT, COMPOSE_PROFILES: '' });
});

test('what every architecture has stands in a file of its own', () => {
	const { flags, env } = labSystem();
	assert.deepEqual([flags, env?.COMPOSE_FILE], [[], join(ROOT, 'compose', 'lab.yaml')]);
});

test('a user’s system is its files in their order, called from their folder under the run’s own name', () => {
	const system = projectSystem({ project: 'doubletake-run-1a2b', folder: '/home/ada/shop', files: ['compose.yaml', '/tmp/overlay.yaml'] });
	const flags = ['--project-name', 'doubletake-run-1a2b', '--file', 'compose.yaml', '--file', '/tmp/overlay.yaml'];
	assert.deepEqual(system, { project: 'doubletake-run-1a2b', cwd: '/home/ada/shop', flags, env: { PWD: '/home/ada/shop' } });
});

test('what its files read is given to Compose in every call', () => {
	const { env } = projectSystem({ project: 'doubletake-run-1a2b', folder: '/home/ada/shop', files: ['compose.yaml'], env: { POOL: '8' } });
	assert.deepEqual(env, { PWD: '/home/ada/shop', POOL: '8' });
});

test('what is taken down by its labels names no file', () => {
	assert.deepEqual(labelledSystem('doubletake-run-1a2b').flags, ['--project-name', 'doubletake-run-1a2b']);
});

test('a run’s project is the lab’s own, and so is that of the architectures, and no other', () => {
	assert.match(newRunProject(), /^doubletake-run-[0-9a-f]{4}$/);
	for (const project of [newRunProject(), PROJECT]) assert.equal(isOfLab(project), true, project);
	for (const project of ['shop', 'doubletake-shop', 'doubletake-run-shop', 'my-doubletake-run-1a2b', '', undefined])
		assert.equal(isOfLab(project), false, project);
});
