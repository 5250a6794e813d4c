import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import os from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { RAW, RECORD, requestLogOf } from '../base/paths.ts';
import { docker } from '../docker/docker.ts';
import { collect } from './collect.ts';

type Ended = { name: string; tier: string; running?: boolean; code?: number };

const APP = { name: 'a', tier: 'app' };
const LOG = requestLogOf(APP.name);

/**
 * The raw part of a run's record, and what is missing in it, when its containers have ended so.
 * @param fill with what was written until then
 */
async function recordOf(
	t: TestContext,
	ended: Ended[],
	fill: (raw: string) => Promise<unknown> = async () => {},
): Promise<{ raw: string; collected: Promise<string[]> }> {
	const folder = await mkdtemp(join(os.tmpdir(), 'doubletake-collect-'));
	t.after(() => rm(folder, { recursive: true }));
	const raw = join(folder, RECORD.raw);
	await mkdir(raw);
	await fill(raw);
	t.mock.method(docker, 'listContainers', async () =>
		ended.map(({ name, tier }) => ({ Id: name, Labels: { 'doubletake.name': name, 'doubletake.tier': tier } })),
	);
	t.mock.method(docker, 'getContainer', (id: string) => {
		const { running: Running = false, code: ExitCode = 0 } = ended.find(({ name }) => name === id) ?? {};
		return { inspect: async () => ({ State: { Running, ExitCode } }), logs: async () => Buffer.alloc(0) };
	});
	const services = ended.map(({ name, tier }) => ({ id: name, name, tier, product: null, watch: 0 }) as any);
	const system = { project: 'doubletake-run-1a2b', cwd: '/', flags: [] };
	return { raw, collected: collect({ system, services, groups: [], folder }) };
}

test('a log of requests is packed in its place', async (t) => {
	const text = 'one\n'.repeat(1000);
	const { raw, collected } = await recordOf(t, [APP], (folder) => writeFile(join(folder, LOG), text));
	await collected;
	assert.deepEqual((await readdir(raw)).sort(), [`${LOG}.gz`, RAW.finalStates].sort());
	assert.equal(gunzipSync(await readFile(join(raw, `${LOG}.gz`))).toString(), text);
});

test('logs that are not there leave nothing, of requests and of generators', async (t) => {
	const many = Array.from({ length: 20 }, (_, index) => ({ name: `app-${index}`, tier: 'app' }));
	const { raw, collected } = await recordOf(t, [...many, { name: 'k6', tier: 'generator' }]);
	await collected;
	assert.deepEqual(await readdir(raw), [RAW.finalStates]);
});

test('what cannot be packed stays as it was', async (t) => {
	const { raw, collected } = await recordOf(t, [APP], (folder) => mkdir(join(folder, LOG)));
	await assert.rejects(collected, new RegExp(`${LOG}: expected a file of the record; found what is no file`));
	assert.ok((await readdir(raw)).includes(LOG));
});

test('no link is followed, neither from what is packed nor to where it is', async (t) => {
	const victim = join(await mkdtemp(join(os.tmpdir(), 'doubletake-victim-')), 'victim');
	t.after(() => rm(join(victim, '..'), { recursive: true }));
	await writeFile(victim, 'theirs');
	const from = await recordOf(t, [APP], (folder) => symlink(victim, join(folder, LOG)));
	await assert.rejects(from.collected, new RegExp(`${LOG}: .* found a link`));
	const to = await recordOf(t, [APP], async (folder) => {
		await writeFile(join(folder, LOG), 'ours');
		await symlink(victim, join(folder, `${LOG}.gz.part`));
	});
	await assert.rejects(to.collected);
	assert.equal(await readFile(victim, 'utf8'), 'theirs');
});

const line = (msg: string, source?: string) =>
	JSON.stringify({ level: 'error', msg, ...(source && { source }), time: '2026-11-21T20:00:01Z' });

test('the generator’s log keeps what the lab and the generator say, and nothing of a script', async (t) => {
	const own = [
		line('{"requests":[1,2,3]}', 'console'),
		line('{"event":"start","t":1}    ', 'console'),
		line('{"t":1,"code":1212,"kind":"x"}', 'console'),
	];
	const { raw, collected } = await recordOf(t, [{ name: 'k6', tier: 'generator' }], (folder) =>
		writeFile(
			join(folder, RAW.k6Log),
			[
				...own,
				line('{"event":"first-failed","method":"GET","url":"http://edge:80/orders/canary9","status":500}', 'console'),
				line('answered canary', 'console'),
				line('{"card":"canary"}', 'console'),
				line("TypeError: Cannot read property 'canary' of undefined"),
				'{"level":"error","msg":"can',
			].join('\n'),
		),
	);
	await collected;
	assert.deepEqual((await readFile(join(raw, RAW.k6Log), 'utf8')).split('\n'), [
		...own,
		line('{"event":"first-failed","method":"GET","url":"http://edge:80/orders/:id","status":500}', 'console'),
		line("TypeError: Cannot read property '?' of undefined"),
	]);
});

test('the log of each of several generators is in a folder of its own', async (t) => {
	const names = ['k6-1', 'k6-2'];
	const generators = names.map((name) => ({ name, tier: 'generator' }));
	const { raw, collected } = await recordOf(t, generators, async (folder) => {
		for (const name of names) {
			await mkdir(join(folder, name));
			await writeFile(join(folder, name, RAW.k6Log), line('answered canary', 'console'));
		}
	});
	await collected;
	for (const name of names) assert.equal(await readFile(join(raw, name, RAW.k6Log), 'utf8'), '');
});

test('a job that fails while the load goes on is named, and one that ends well is not', async (t) => {
	const { collected } = await recordOf(t, [
		{ name: 'import', tier: 'observer', code: 4 },
		{ name: 'seed', tier: 'observer' },
		{ name: 'web', tier: 'app', code: 1 },
		{ name: 'cron', tier: 'observer', running: true },
	]);
	assert.deepEqual(await collected, ['import ended with code 4 while the load went on; no request passes it.']);
});

test('a program that keeps a record is given time to finish it, and another is not waited for', async (t) => {
	const stopped: [string, number][] = [];
	t.mock.method(docker, 'listContainers', async () => []);
	t.mock.method(docker, 'getContainer', (id: string) => ({
		inspect: async () => ({ State: { Running: false, ExitCode: 0 } }),
		logs: async () => Buffer.alloc(0),
		stop: async ({ t: limit }: { t: number }) => stopped.push([id, limit]),
		update: async () => {},
	}));
	const folder = await mkdtemp(join(os.tmpdir(), 'doubletake-collect-'));
	t.after(() => rm(folder, { recursive: true }));
	await mkdir(join(folder, RECORD.raw));
	const services = [
		{ id: 'shipped', watch: 0, product: null },
		{ id: 'read', watch: 2, product: 'node' },
		{ id: 'log', watch: 1, product: 'opaque' },
	].map((one) => ({ ...one, name: one.id, tier: 'app' }) as any);
	await collect({
		system: { project: 'doubletake-run-1a2b', cwd: '/', flags: [] },
		services,
		groups: services.map((one) => [one]),
		folder,
	});
	assert.deepEqual(stopped, [
		['shipped', 12],
		['read', 12],
		['log', 2],
	]);
});
