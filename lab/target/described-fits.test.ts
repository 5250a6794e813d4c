import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NotReadyError } from '../base/errors.ts';
import type { Project } from '../catalog/project-schema.ts';
import { serviceModels } from './compose-model.ts';
import { checkProject, withImageEnvironment } from './described.ts';
import { detectTiers } from './detect.ts';
import { adapters, configOf } from './fixtures/systems.ts';
import { chooseProject } from './init.ts';
import { partOf } from './project-part.ts';

const models = serviceModels(configOf('shop'));
const proposed = () => chooseProject(detectTiers(models, adapters()), models);

test('what was proposed fits', () => {
	assert.deepEqual(checkProject(proposed(), models, adapters()), []);
});

test('a service that is no more in the Compose file is refused, with the one that is nearest', () => {
	const project = proposed();
	project.services.webb = project.services.web;
	assert.throws(
		() => checkProject(project, models, adapters()),
		/services: expected one of haproxy, .*found "webb"[\s\S]*write "web".*COMPOSE_PROFILES/,
	);
});

test('a product that no adapter knows, and a level that its adapter has not, are refused', () => {
	const unknown = proposed();
	unknown.services.web.product = 'varnish';
	assert.throws(() => checkProject(unknown, models, adapters()), NotReadyError);
	const tooHigh = proposed();
	tooHigh.services.haproxy.watch = 3;
	assert.throws(() => checkProject(tooHigh, models, adapters()), /services\.haproxy\.watch: expected one of 0, 1, 2; found "3"/);
});

test('a service that came after the file was written is told', () => {
	const project = proposed();
	delete project.services.pgbouncer;
	assert.match(checkProject(project, models, adapters()).join(), /^pgbouncer is not in doubletake\.yaml/);
	assert.deepEqual(checkProject(project, models, adapters(), ['pgbouncer']), []);
});

const NODES = {
	services: { web: { tier: 'app', product: 'node', watch: 3 }, job: { tier: 'app', product: 'node', watch: 1 } },
} as unknown as Project;

/** @param environment of the Compose file */
async function optionsOf(environment: Record<string, string>, ofImage: Record<string, string>) {
	const models = serviceModels({ services: { web: { image: 'node:24', environment }, job: { image: 'node:24' } } });
	const parts = Object.fromEntries(models.map((model) => [model.service, { ...partOf(model, NODES), command: ['a', 'fault'] }]));
	const asked = [] as string[];
	const found = await withImageEnvironment({ models, project: NODES, parts }, async ({ service }) => {
		asked.push(service);
		return ofImage;
	});
	assert.deepEqual(asked, ['web']);
	assert.deepEqual([found.job, found.web.command, found.web.mounts?.length], [{ command: ['a', 'fault'] }, ['a', 'fault'], 2]);
	return found.web.environment?.NODE_OPTIONS.replace(/--import=\S+$/, 'ours');
}

test('what an image has of a variable that the overlay gives is kept in it', async () => {
	assert.equal(await optionsOf({}, { NODE_OPTIONS: '--max-old-space-size=512', PATH: '/bin' }), '--max-old-space-size=512 ours');
	assert.equal(await optionsOf({}, {}), 'ours');
});

test('the Compose file’s own comes before the image’s', async () => {
	assert.equal(
		await optionsOf({ NODE_OPTIONS: '--enable-source-maps' }, { NODE_OPTIONS: '--max-old-space-size=512' }),
		'--enable-source-maps ours',
	);
});
