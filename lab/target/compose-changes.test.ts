import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { changed, ofMachine, override, reset, together, withOwnLabels } from './compose-changes.ts';
import { composeFilesIn } from './compose-files.ts';
import type { Danger } from './dangers.ts';
import { aboutLeftOut, leftOut, withoutServices } from './left-out.ts';

test('what is reset is gone, what is overridden is another, and the rest stays', () => {
	const config = { networks: { a: { name: 'x', external: true }, b: { name: 'y', internal: true } }, name: 'run' };
	const made = changed(config, { networks: { a: override({}), b: { name: reset() } } });
	assert.deepEqual(made, { networks: { a: {}, b: { internal: true } }, name: 'run' });
	assert.equal(config.networks.b.name, 'y');
});

test('a mount takes the place of the one at its target', () => {
	const config = {
		services: {
			constructor: {
				volumes: [
					{ type: 'bind', target: '/a' },
					{ type: 'bind', target: '/b' },
				],
			},
		},
	};
	const made = changed(config, { services: { constructor: { volumes: [{ type: 'volume', target: '/a' }] } } });
	assert.deepEqual(made.services.constructor.volumes, [
		{ type: 'bind', target: '/b' },
		{ type: 'volume', target: '/a' },
	]);
});

test('of two sets of changes both are kept', () => {
	const one = { services: { web: { volumes: [{ target: '/a' }], deploy: { resources: { limits: { cpus: '2' } } } } } };
	const other = { services: { web: { volumes: [{ target: '/b' }], deploy: { restart_policy: reset() } } }, networks: { page: {} } };
	const made = together(one, other);
	assert.deepEqual(made.services.web.volumes, [{ target: '/a' }, { target: '/b' }]);
	assert.deepEqual(Object.keys(made.services.web.deploy), ['resources', 'restart_policy']);
	assert.deepEqual(made.networks, { page: {} });
});

test('what is added to a list that takes the place of another is added to that one', () => {
	const one = { services: { web: { volumes: override([{ target: '/a' }]) } } };
	const { volumes } = together(one, { services: { web: { volumes: [{ target: '/b' }] } } }).services.web;
	assert.deepEqual([volumes.tag, volumes.toJSON()], ['!override', [{ target: '/a' }, { target: '/b' }]]);
});

const FOREIGN = '/proc/sys/fs/binfmt_misc';

const madeOf = (service: any, { arch = 'x64', there = [FOREIGN] }: { arch?: string; there?: string[] } = {}) =>
	ofMachine(['web', service], { cores: 2, arch, has: (path) => there.includes(path) });

test('what is for another processor is for this one, unless that can run it', () => {
	const { changes, said } = madeOf({ platform: 'linux/arm64' });
	assert.equal(changes.services.web.platform.tag, '!reset');
	assert.deepEqual(said, ['web: for the processor of this machine, and not for linux/arm64, which cannot run here.']);
	for (const there of [[FOREIGN, `${FOREIGN}/qemu-aarch64`], []]) {
		const emulated = madeOf({ platform: 'linux/arm64/v8' }, { there });
		assert.equal(emulated.changes.services.web.platform, undefined);
		assert.match(emulated.said.join(), /^web: emulated, because it is for linux\/arm64\/v8/);
	}
});

test('what is for this processor stays, by whatever name', () => {
	for (const [platform, arch] of [
		['linux/amd64', 'x64'],
		['linux/amd64/v2', 'x64'],
		['linux/arm64', 'arm64'],
		['', 'x64'],
	])
		assert.deepEqual(madeOf({ platform }, { arch }), { changes: {}, said: [] });
});

test('an image is built for one platform', () => {
	const { changes, said } = madeOf({ build: { context: '.', platforms: ['linux/amd64', 'linux/arm64'] } });
	assert.equal(changes.services.web.build.platforms.tag, '!reset');
	assert.deepEqual(said, []);
});

const grave = (services: string[]): Danger[] =>
	services.map((service) => ({ service, what: 'is privileged', why: '', remedy: '', severity: 'refuse' }));

test('what could do harm is left out, unless requests pass it or who stays needs it', () => {
	const services: Record<string, any> = {
		web: {},
		agent: {},
		page: { depends_on: { agent: {} } },
		db: {},
		helper: {},
		job: { network_mode: 'service:helper' },
	};
	assert.deepEqual(leftOut(grave(['agent', 'page']), { services }, ['web', 'db']), ['agent', 'page']);
	assert.deepEqual(leftOut(grave(['db', 'helper']), { services }, ['web', 'db']), []);
});

test('a warning leaves nothing out', () => {
	const [danger] = grave(['agent']);
	assert.deepEqual(leftOut([{ ...danger, severity: 'warn' }], { services: { web: {}, agent: {} } }, ['web']), []);
});

test('who waits for one that is left out starts without it, and that is said', () => {
	const healthy = { condition: 'service_healthy', required: true };
	const services = { web: { depends_on: { agent: healthy, db: healthy } }, db: { depends_on: { agent: healthy } }, agent: {} };
	const dangers = grave(['agent']);
	assert.deepEqual(leftOut(dangers, { services }, ['web', 'db']), ['agent']);
	const made = changed({ services }, withoutServices(['agent'], { services })).services;
	assert.deepEqual(
		[made.web.depends_on, made.db.depends_on, (made.agent as any).profiles],
		[{ db: healthy }, undefined, ['doubletake-left-out']],
	);
	assert.deepEqual(aboutLeftOut(['agent'], dangers, { services }), [
		'agent: left out of the run, because it is privileged, and no request needs it; web, db, which would wait for it, start without.',
	]);
});

async function withFolder(files: Record<string, string>, use: (folder: string) => void): Promise<void> {
	const folder = await mkdtemp(join(os.tmpdir(), 'doubletake-files-'));
	try {
		for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
		use(folder);
	} finally {
		await rm(folder, { recursive: true });
	}
}

test('the file is the one that Compose would take, with the one that it lays over it', async () => {
	await withFolder({ 'docker-compose.yml': '', 'docker-compose.yaml': '', 'docker-compose.override.yml': '' }, (folder) => {
		assert.deepEqual(composeFilesIn(folder, [], {}), ['docker-compose.yml', 'docker-compose.override.yml']);
	});
	await withFolder({ 'compose.yaml': '' }, (folder) => assert.deepEqual(composeFilesIn(folder, [], {}), ['compose.yaml']));
});

test('files that are named, by the user or in COMPOSE_FILE, come before those that are found', async () => {
	const env = '# for production\nCOMPOSE_FILE="compose.yaml:prod.yaml" # both\n';
	await withFolder({ 'compose.yaml': '', 'compose.override.yaml': '', 'prod.yaml': '', '.env': env }, (folder) => {
		assert.deepEqual(composeFilesIn(folder, [], {}), ['compose.yaml', 'prod.yaml']);
		assert.deepEqual(composeFilesIn(folder, [], { COMPOSE_FILE: 'prod.yaml' }), ['prod.yaml']);
		assert.deepEqual(composeFilesIn(folder, ['compose.yaml'], { COMPOSE_FILE: 'prod.yaml' }), ['compose.yaml']);
	});
});

test('a COMPOSE_FILE without a value names none', async () => {
	await withFolder({ 'compose.yaml': '', '.env': 'COMPOSE_FILE=\nOTHER=x\n' }, (folder) => {
		assert.deepEqual(composeFilesIn(folder, [], {}), ['compose.yaml']);
	});
});

test('a file that is not there is named, and so is a folder without any', async () => {
	await withFolder({}, (folder) => {
		assert.throws(() => composeFilesIn(folder, ['deploy/compose.yaml'], {}), /expected a Compose file "deploy\/compose\.yaml" in/);
		assert.throws(() => composeFilesIn(folder, [], {}), /expected one of compose\.yaml.*found none[\s\S]*doubletake init deploy/);
	});
});

test('volumes of a run are marked as its own, also one that stands in the place of another', () => {
	const changes = { volumes: { fresh: override({}), named: { name: reset() } } };
	const { volumes } = changed(
		{ volumes: { fresh: { external: true }, named: { name: 'books' } } },
		withOwnLabels(changes, { volumes: ['fresh', 'named', '__proto__'], networks: [] }),
	);
	const labels = { 'doubletake.lab': 'yes' };
	assert.deepEqual(Object.entries(volumes), [
		['fresh', { labels }],
		['named', { labels }],
		['__proto__', { labels }],
	]);
	assert.deepEqual(withOwnLabels({}, { volumes: [], networks: ['lan'] }), { networks: { lan: { labels } } });
	assert.deepEqual(withOwnLabels({}, { volumes: [], networks: [] }), {});
});
