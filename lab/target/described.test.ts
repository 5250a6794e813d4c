import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { ROOT } from '../base/paths.ts';
import { architectures, folderOf } from '../catalog/architectures.ts';
import { wayOf } from './describe.ts';
import { describedAs, describedIn } from './described.ts';

test('a system is found by the folder that describes it, and an architecture by its name too', async () => {
	assert.deepEqual(await describedIn(folderOf('2a')), describedAs('2a'));
	const { name, folder, project } = await describedIn(join(ROOT, 'examples/shop'));
	assert.deepEqual([name, folder, project.load.scenario], ['shop', join(ROOT, 'examples/shop'), undefined]);
	await assert.rejects(describedIn('/nowhere'), /^NotReadyError: run: expected doubletake\.yaml in \/nowhere/);
});

test('an architecture says what a user’s doubletake.yaml says: services, who asks whom, where users enter', () => {
	const { services, edges, compose } = describedAs('2a').project;
	assert.deepEqual(compose, ['compose/2a/compose.yaml']);
	assert.deepEqual(services['2a-nginx'], { tier: 'load-balancer', product: 'nginx', watch: 0 });
	assert.deepEqual(wayOf(describedAs('2a').project), {
		entries: ['2a-nginx'],
		edges: [
			['2a-nginx', '2a-app-1'],
			['2a-nginx', '2a-app-2'],
			['2a-app-1', '2a-mongo'],
			['2a-app-2', '2a-mongo'],
		],
	});
	// What its own file says of that stands before the tiers.
	assert.deepEqual(edges.length, 4);
	assert.ok(describedAs('2a-list').project.edges.some(([from, to]) => from === '2a-list-consumer' && to === '2a-list-mongo'));
});

test('users enter an architecture at the service of its entry’s name, which is one of it', () => {
	for (const [id, { entry }] of Object.entries(architectures)) {
		const { project } = describedAs(id);
		for (const service of entry === undefined ? [] : wayOf(project).entries) assert.ok(Object.hasOwn(project.services, service), id);
	}
});
