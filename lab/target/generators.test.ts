import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { serviceModels } from './compose-model.ts';
import { configOf } from './fixtures/systems.ts';
import { prepareGenerators, projectImages, untilAfterStart } from './generators.ts';
import { refuseTakenNames } from './taken-names.ts';

/** The file for Compose, and the names that are started of it. */
async function prepared(count: number) {
	const folder = await mkdtemp(join(os.tmpdir(), 'doubletake-generators-'));
	try {
		const { file, services } = await prepareGenerators({ count, scenario: 'documents', rawFolder: folder, writtenFolder: folder });
		return { names: services, services: JSON.parse(await readFile(file, 'utf8')).services as Record<string, any> };
	} finally {
		await rm(folder, { recursive: true });
	}
}

test('the segments of several generators are the whole load, each its own', async () => {
	const { names, services } = await prepared(3);
	assert.deepEqual(
		[names, Object.keys(services)],
		[
			['k6-1', 'k6-2', 'k6-3'],
			['k6-1', 'k6-2', 'k6-3'],
		],
	);
	const commands = Object.values(services).map(({ command }) => command.join(' '));
	for (const [index, segment] of ['0:1/3', '1/3:2/3', '2/3:1'].entries())
		assert.equal(
			commands[index],
			`run --quiet --paused --execution-segment ${segment} --execution-segment-sequence 0,1/3,2/3,1 /scripts/k6/scenarios/documents.js`,
		);
});

test('each writes into a folder of its own', async () => {
	const { services } = await prepared(2);
	assert.deepEqual(
		Object.values(services).map(({ environment }) => [environment.RECORD_FOLDER, environment.K6_LOG_OUTPUT]),
		[
			['/raw/k6-1', 'file=/raw/k6-1/k6.log,level=error'],
			['/raw/k6-2', 'file=/raw/k6-2/k6.log,level=error'],
		],
	);
});

test('they are told to go on a second after a beat, with the whole span until the next one before them', () => {
	assert.deepEqual(
		[1_800_000_000_000, 1_800_000_001_000, 1_800_000_001_500, 1_800_000_009_000].map((now) => Math.round(untilAfterStart(now))),
		[1000, 0, 4500, 2000],
	);
});

/** What an image may be called: https://github.com/distribution/reference (path-component). */
const REFERENCE = /^doubletake-own\/[a-z0-9]+(-+[a-z0-9]+)*$/;

test('the image of each service that is built has a name from its folder, the same in each run', () => {
	const models = serviceModels(configOf('notes'));
	assert.deepEqual(projectImages(models, '/home/ada/notes'), {
		api: 'doubletake-own/notes-api',
		migrate: 'doubletake-own/notes-migrate',
		worker: 'doubletake-own/notes-worker',
	});
});

test('an image that the file names has a name of the run too, also where another service runs it, so that nothing of the user’s is replaced', () => {
	const models = serviceModels({ services: { web: { build: { context: '.' }, image: 'postgres:15' }, worker: { image: 'postgres:15' } } });
	assert.deepEqual(projectImages(models, '/home/ada/shop'), { web: 'doubletake-own/shop-web', worker: 'doubletake-own/shop-web' });
});

test('the images of each arm of a comparison have names of their own, also where the file names them', () => {
	const models = serviceModels({
		services: { db: { image: 'postgres:15' }, jobs: { image: 'shop/web' }, web: { build: {}, image: 'shop/web' }, worker: { build: {} } },
	});
	const [one, other] = ['rev:v1', 'POOL=8'].map((arm) => projectImages(models, '/home/ada/shop', arm));
	assert.deepEqual(Object.keys(one).toSorted(), ['jobs', 'web', 'worker']);
	assert.equal(one.jobs, one.web);
	for (const image of [one.web, one.worker]) assert.match(image, REFERENCE);
	assert.equal(new Set([...Object.values(one), ...Object.values(other)]).size, 4);
	assert.deepEqual(projectImages(models, '/home/ada/shop', 'rev:v1'), one);
});

test('whatever folder and services are called, each name is one that the engine takes, and no two are alike', () => {
	const names = ['web', 'Web', 'web_', '_', 'we.b', '__'];
	const models = serviceModels({ services: Object.fromEntries(names.map((name) => [name, { build: {} }])) });
	for (const folder of ['/home/ada/My Shop (2)', '/', '/srv/größe']) {
		const images = Object.values(projectImages(models, folder));
		assert.equal(new Set(images).size, names.length);
		for (const image of images) assert.match(image, REFERENCE);
	}
});

test('a service by the name of the generator, or of a file of the record, is refused', () => {
	assert.throws(() => refuseTakenNames([{ service: 'web' }, { service: 'k6' }], 1), /no service "k6", which is the load generator’s name/);
	for (const service of ['k6.log', 'program.json', '..']) assert.throws(() => refuseTakenNames([{ service }], 1), /has a file for/);
	refuseTakenNames([{ service: 'web' }, { service: 'k6-stub' }, { service: 'k6-1' }], 1);
	assert.throws(() => refuseTakenNames([{ service: 'k6-1' }], 2), /no service "k6-1", which is the load generator’s name/);
});
