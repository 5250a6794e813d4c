import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { NotReadyError } from '../base/errors.ts';
import { parseLines } from '../base/values.ts';
import { Seen } from '../wire/fixtures/seen.ts';
import { WireWriter } from '../wire/record.ts';
import { readStoredRun, withStoredRun } from './fixtures/stored-run.ts';
import { Made } from './joins/fixtures/made.ts';
import { asObserved } from './observed.ts';
import type { Raw } from './read-raw.ts';
import { asOneGenerator, readRaw } from './read-raw.ts';

const AT = [1050, 1052];
const wire = new Seen({ web: ['web'], api: ['api-1', 'api-2'], kv: ['kv'], 'load-k6': ['k6'] })
	.asks('k6', 'web', { at: AT, lastS: 0.1 })
	.asks('web', 'api-1', { at: AT.map((at) => at + 0.01), lastS: 0.05 })
	.asks('api-1', 'kv', { protocol: 'redis', at: AT.map((at) => at + 0.02) }).record;

const container = (service: string, name: string, tier: string) => ({ service, name, tier, product: 'opaque', watch: 0 });

/** As a run leaves it, of a file that says nothing. */
const manifest = {
	services: [
		container('api', 'api-1', 'observer'),
		container('api', 'api-2', 'observer'),
		container('kv', 'kv', 'observer'),
		container('load-k6', 'k6', 'generator'),
		container('web', 'web', 'app'),
	],
	edges: [{ from: 'k6', to: 'web' }],
	system: {
		services: {
			web: { tier: 'app', product: 'opaque' },
			api: { tier: 'observer', product: 'opaque' },
			kv: { tier: 'observer', product: 'opaque' },
		},
		edges: [],
		proposal: {
			services: { web: { tier: 'app', likely: 'app' }, api: { tier: null, likely: 'app' }, kv: { tier: null, likely: 'cache' } },
			edges: [],
		},
	},
};

/** Only of what was not answered there is a text. */
const isBroken = (kind: string) => kind !== 'status';

test('edges and tiers of a run are those that were seen, by container', () => {
	const { manifest: used, differing } = asObserved(manifest, wire);
	assert.deepEqual(
		used.edges.map(({ from, to }: any) => `${from} ${to}`),
		['k6 web', 'web api-1', 'web api-2', 'api-1 kv', 'api-2 kv'],
	);
	assert.deepEqual(
		used.services.map(({ name, tier }: any) => `${name} ${tier}`),
		['api-1 app', 'api-2 app', 'kv cache', 'k6 generator', 'web app'],
	);
	assert.equal(differing[0], 'seen on the wire, not in doubletake.yaml: web asks api (http), 2 calls');
});

test('a record from before, one of a shipped system and one without the wire stand as they are', () => {
	const { proposal: _, ...before } = manifest.system;
	for (const [own, read] of [
		[{ ...manifest, system: before }, wire],
		[{ ...manifest, system: { title: null, is_followed: false } }, wire],
		[{ ...manifest, edges: undefined }, wire],
		[manifest, null],
	] as [any, any][]) {
		const { manifest: used, differing } = asObserved(own, read);
		assert.equal(used, own);
		assert.deepEqual(differing, []);
	}
});

test('of several entries each keeps its edge from the generator, and what it needs', () => {
	const both = new Seen({ web: ['web'], api: ['api-1', 'api-2'], kv: ['kv'], 'load-k6': ['k6'] })
		.asks('k6', 'web', { at: AT, lastS: 0.1 })
		.asks('k6', 'api-1', { at: AT.map((at) => at + 0.5), lastS: 0.1 })
		.asks('api-1', 'kv', { protocol: 'redis', at: AT.map((at) => at + 0.52) }).record;
	const edges = ['web', 'api-1', 'api-2'].map((to) => ({ from: 'k6', to }));
	const { manifest: used } = asObserved({ ...manifest, edges }, both);
	assert.deepEqual(
		used.edges.map(({ from, to }: any) => `${from} ${to}`),
		['k6 web', 'k6 api-1', 'k6 api-2', 'api-1 kv', 'api-2 kv'],
	);
});

/** Of a run that was measured before requests had names; its manifest is kept. */
const OLD = fileURLToPath(new URL('fixtures/run-schema-1', import.meta.url));

/** Of the shipped proxy. */
const accessLinesOf = (raw: Raw): any[] => parseLines(raw.adapted[0].files.file('nginx-access.ndjson'));

test('a stored run is read with every record that it holds', async () => {
	const raw = await readStoredRun();
	assert.equal(raw.manifest.load, 'smoke');
	assert.deepEqual(Object.keys(raw.nodes), ['app-1', 'app-2']);
	const sampled = new Set(raw.errorSamples.map(({ kind }) => kind));
	for (const { kind } of raw.failures) assert.ok(sampled.has(kind) === isBroken(kind), kind);
	const [{ product, files }] = raw.adapted;
	assert.deepEqual([product, files.beside?.includes('nginx-access.ndjson')], ['nginx', true]);
	assert.match(files.file('nginx.conf'), /worker_connections 1024;/);
	assert.match(files.file('nginx-error.log'), /\[warn\]/);
	assert.equal(parseLines(files.file('nginx-status.ndjson')).length, 3);
	assert.equal(raw.finalStates.length, raw.manifest.services.length);
	assert.ok(raw.events.some(({ name, action }) => name === 'k6' && action === 'die'));
	assert.deepEqual(raw.databaseRefusals, []);
	for (const rows of [raw.snapshots, accessLinesOf(raw), raw.database, raw.containers, raw.kernel, raw.host]) assert.ok(rows.length > 10);
});

test('what was packed when the run was collected is read as if it were not', () =>
	withStoredRun(async (folder) => {
		const plain = await readRaw(folder);
		for (const name of ['nginx-access.ndjson', 'k6.log', 'app-1-requests.log']) {
			const path = join(folder, 'raw', name);
			await writeFile(`${path}.gz`, gzipSync(await readFile(path)));
			await rm(path);
		}
		const packed = await readRaw(folder);
		assert.ok(accessLinesOf(plain).length > 0);
		assert.deepEqual(accessLinesOf(packed), accessLinesOf(plain));
		assert.deepEqual({ ...packed, adapted: [] }, { ...plain, adapted: [] });
	}));

test('each failed request of a stored run has a name of its own, a moment in the load and how long its user waited', async () => {
	const raw = await readStoredRun();
	const { failures, manifest, attempts } = raw;
	const accessLines = accessLinesOf(raw);
	assert.equal(new Set(failures.map(({ id }) => id)).size, failures.length);
	for (const { t, waited_s: waited } of failures) assert.ok(t - waited >= manifest.load_began_s - 1 && t <= manifest.load_ended_s + 1);
	const answered = new Set(accessLines.map(({ id }) => id));
	for (const { id, status } of failures) if (status > 0) assert.ok(answered.has(id), `${id} was answered`);
	const wanted = new Set(failures.map(({ id }) => id));
	const retried = new Set(accessLines.filter(({ upstream }) => upstream.includes(', ')).map(({ id }) => id));
	for (const id of attempts.keys()) assert.ok(wanted.has(id) || retried.has(id), `${id} is wanted`);
});

test('a failed request is read as k6 wrote it, and what the nodes logged of it is found by its name', () =>
	withStoredRun(async (folder) => {
		const failed = { failed: [['w1-2', 1795281705500, 250, 504, 0, 'status']] };
		await writeFile(join(folder, 'raw', 'k6.log'), `${JSON.stringify({ level: 'error', msg: JSON.stringify(failed) })}\n`);
		await writeFile(join(folder, 'raw', 'app-1-requests.log'), '#1795281700000\n+w1-1 5000\n+w1-2 5300\n');
		await writeFile(join(folder, 'raw', 'app-2-requests.log'), '#1795281700000\n+w1-2 5400\n-w1-2 5450 200\n');
		const { failures, attempts } = await readRaw(folder);
		assert.deepEqual(failures, [{ id: 'w1-2', t: 1795281705.5, waited_s: 0.25, status: 504, code: 0, kind: 'status' }]);
		assert.deepEqual([...attempts.keys()], ['w1-2']);
		assert.deepEqual(
			attempts.get('w1-2')?.map(({ node, received, ended, outcome }) => [node, received, ended, outcome]),
			[
				['app-1', 1795281705.3, null, 'open'],
				['app-2', 1795281705.4, 1795281705.45, 'answered'],
			],
		);
	}));

test('where k6’s users wrote their requests the seconds are made of those, and k6’s own count stands beside them', () =>
	withStoredRun(async (folder) => {
		const stored = await readRaw(folder);
		assert.deepEqual(stored.written, { written: stored.written?.counted, counted: stored.summary.metrics.lab_finished.values.count });
		const from = stored.manifest.load_began_s;
		const requests = [Math.round(from * 1000), 0, 0, 0, 200, 4, 100, 310, 200, -1, 100];
		const failed = [['1-2', from * 1000 + 51, 20, 502, 1502, 'status']];
		const log = [{ warm: [Math.round(from * 1000) - 5000, 0, 0, 0, 200, 4, 0] }, { requests, failed }];
		await writeFile(join(folder, 'raw', 'k6.log'), log.map((line) => `${JSON.stringify({ msg: JSON.stringify(line) })}\n`).join(''));
		const { snapshots, summary, written, failures } = await readRaw(folder);
		assert.deepEqual(
			snapshots.filter(({ metrics }) => metrics.http_reqs).map(({ metrics }) => metrics.lab_finished?.count ?? null),
			[null, 2],
		);
		assert.deepEqual([summary.metrics.lab_finished.values.count, summary.metrics.lab_failed_status_502.values.count], [2, 1]);
		assert.deepEqual(written, { written: 2, counted: stored.written?.counted });
		assert.equal(failures.length, 1);
	}));

test('a record in which requests have no names is refused with a sentence that says what to do', async () => {
	await assert.rejects(readRaw(OLD), (error) => {
		assert.ok(error instanceof NotReadyError);
		assert.match(
			error.message,
			/^2a\/2026-11-21T011008Z-c364: expected a record in which every request has an id \(schema 2 or later\); found schema 1/,
		);
		assert.match(error.message, /To do: measure it again/);
		return true;
	});
});

test('ids that were acknowledged and ids that were stored are read from their records', () =>
	withStoredRun(async (folder) => {
		const log = ['1-0', '1-1'].map((id) => JSON.stringify({ level: 'error', msg: JSON.stringify({ acknowledged: id }) }));
		await writeFile(join(folder, 'raw', 'k6.log'), `${log.join('\n')}\n{"level":"info","msg":"running"}\n`);
		await writeFile(join(folder, 'raw', 'document-ids.txt'), '1-0\n1-0\n2-5\n');
		const { acknowledgedIds, documentIds, errorSamples } = await readRaw(folder);
		assert.deepEqual(acknowledgedIds, ['1-0', '1-1']);
		assert.deepEqual(documentIds, ['1-0', '1-0', '2-5']);
		assert.deepEqual(errorSamples, []);
	}));

test('what a program says of itself, and what a scenario has written down, are read where there are some', () =>
	withStoredRun(async (folder) => {
		const { program, writtenLines } = await readRaw(folder);
		assert.deepEqual([program, writtenLines], [null, null]);
		const said = { program: 'tchmttest', began_s: 1, ended_s: 2.5, writers: [] };
		await writeFile(join(folder, 'raw', 'program.json'), JSON.stringify(said));
		await writeFile(join(folder, 'raw', 'tickets.txt'), '0\n12\n7\n');
		assert.deepEqual((await readRaw(folder)).program, said);
		assert.equal((await readRaw(folder)).writtenLines, null);
		const file = join(folder, 'manifest.json');
		const manifest = JSON.parse(await readFile(file, 'utf8'));
		await writeFile(file, JSON.stringify({ ...manifest, scenario: 'tickets' }));
		assert.deepEqual((await readRaw(folder)).writtenLines, ['0', '12', '7']);
	}));

test('an interrupted run is read without what it never wrote', () =>
	withStoredRun(async (folder) => {
		await rm(join(folder, 'raw'), { recursive: true });
		const raw = await readRaw(folder);
		assert.equal(raw.summary, null);
		assert.deepEqual([raw.snapshots, accessLinesOf(raw), raw.nodes, raw.finalStates], [[], [], { 'app-1': [], 'app-2': [] }, []]);
	}));

test('a last line that was cut is left out, and a broken line within a record is told with its number', () =>
	withStoredRun(async (folder) => {
		const file = join(folder, 'raw', 'host.ndjson');
		await writeFile(file, '{"t":1}\n{"t":2}\n{"t":');
		assert.deepEqual((await readRaw(folder)).host, [{ t: 1 }, { t: 2 }]);
		await writeFile(file, '{"t":1}\n{"t":\n{"t":3}\n');
		const { host, damaged = [] } = await readRaw(folder);
		assert.deepEqual(host, [{ t: 1 }, { t: 3 }]);
		assert.deepEqual(damaged, [
			{ path: 'raw/host.ndjson', problem: 'has something else in line 2 ("{\\"t\\":")', service: null, isRead: true },
		]);
	}));

test('what a user’s script writes into the log of k6 is not taken for a record', async () => {
	await withStoredRun(async (folder) => {
		const path = join(folder, 'raw', 'k6.log');
		const log = await readFile(path, 'utf8');
		const before = await readRaw(folder);
		const messages = ['{not JSON', '{\n  not: "JSON"\n}', '{"failed":true}', '{"failed":["buy"]}', '{"kind":"debug"}', 'text'];
		await writeFile(path, log + messages.map((msg) => `${JSON.stringify({ level: 'error', msg, source: 'console' })}\n`).join(''));
		const after = await readRaw(folder);
		assert.deepEqual(after.failures, before.failures);
		assert.deepEqual(after.errorSamples, before.errorSamples);
	});
});

test('a manifest that is not there, or is cut, is refused with a sentence', async (t) => {
	const folder = await mkdtemp(join(os.tmpdir(), 'doubletake-manifest-'));
	t.after(() => rm(folder, { recursive: true }));
	await assert.rejects(readRaw(folder), /manifest\.json: expected the manifest of a run; found no such file/);
	await writeFile(join(folder, 'manifest.json'), '{ "schema": 2,');
	await assert.rejects(readRaw(folder), /found no JSON in it/);
});

test('what a service on the way of no request wrote is read too', () =>
	withStoredRun(async (folder) => {
		const file = join(folder, 'manifest.json');
		const manifest = JSON.parse(await readFile(file, 'utf8'));
		const services = [...manifest.services, { name: 'worker', tier: 'observer', product: 'opaque', watch: 1 }];
		await writeFile(file, JSON.stringify({ ...manifest, services }));
		await mkdir(join(folder, 'raw', 'worker'));
		await writeFile(join(folder, 'raw', 'worker', 'log.txt'), '2026-11-21T20:00:01Z bad parcel\n');
		const { beside } = await readRaw(folder);
		assert.deepEqual(beside, [{ service: 'worker', level: 1, files: { log: '2026-11-21T20:00:01Z bad parcel\n' } }]);
	}));

test('of a shipped balancer with a product there is what the engine kept and then what it wrote, and every attempt at the nodes', () =>
	withStoredRun(async (folder) => {
		const { attempts: some } = await readRaw(folder);
		const file = join(folder, 'manifest.json');
		const manifest = JSON.parse(await readFile(file, 'utf8'));
		const edge = { name: 'edge', product: 'haproxy', watch: 2 };
		const services = manifest.services.map((one: any) => (one.tier === 'load-balancer' ? { ...one, ...edge } : one));
		await writeFile(file, JSON.stringify({ ...manifest, services }));
		await mkdir(join(folder, 'raw', 'edge'));
		await writeFile(join(folder, 'raw', 'edge', 'log.txt'), '2026-11-21T20:00:01Z the engine\n');
		await writeFile(join(folder, 'raw', 'edge', 'samples.ndjson'), '{"t":1}\n');
		await writeFile(join(folder, 'raw', 'edge-requests.log'), '2026-11-21T20:00:01Z its own\n');
		const { attempts, adapted } = await readRaw(folder);
		assert.deepEqual(
			adapted.map(({ service, product, level, files }) => [service, product, level, files.log, files.samples]),
			[['edge', 'haproxy', 2, '2026-11-21T20:00:01Z the engine\n2026-11-21T20:00:01Z its own\n', [{ t: 1 }]]],
		);
		assert.ok(attempts.size > some.size, `${attempts.size} and ${some.size}`);
	}));

test('a failed request whose id stands behind what was recorded of its head is known by its time and status', () =>
	withStoredRun(async (folder) => {
		const [at, failed] = [1795281705.4, { failed: [['w1-2', 1795281705403, 3, 400, 1400, 'status']] }];
		await writeFile(join(folder, 'raw', 'k6.log'), `${JSON.stringify({ level: 'error', msg: JSON.stringify(failed) })}\n`);
		const made = new Made();
		made.call('k6 nginx', at, at + 0.001, { status: 400, hole: true });
		const writer = new WireWriter(join(folder, 'raw', 'wire.ndjson.gz'), at - 10);
		for (const call of made.record.calls) writer.call({ ...call, sent_at: null }, made.record.connections[0]);
		writer.connection(made.record.connections[0]);
		await writer.close();
		const { wire: read } = await readRaw(folder);
		assert.deepEqual(
			read?.calls.map(({ id, id_by_time: byTime, status }) => [id, byTime, status]),
			[['w1-2', true, 400]],
		);
	}));

test('several generators are one to whoever follows a request on the wire, and one stays as it is', () => {
	const tenure = (service: string, name: string) => ({ service, name, address: name, from: 0, to: null });
	const wire = {
		services: [tenure('doubletake-k6-1', 'k6-1'), tenure('doubletake-k6-2', 'k6-2'), tenure('web', 'web-1')],
	} as any;
	const manifest = { services: ['k6-1', 'k6-2'].map((name) => ({ name, tier: 'generator' })) };
	assert.deepEqual(
		asOneGenerator(wire, manifest)?.services.map(({ service, name, address }) => [service, name, address]),
		[
			['k6', 'k6', 'k6-1'],
			['k6', 'k6', 'k6-2'],
			['web', 'web-1', 'web-1'],
		],
	);
	assert.equal(asOneGenerator(wire, { services: manifest.services.slice(1) }), wire);
	assert.equal(asOneGenerator(null, manifest), null);
});
