import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import { join } from 'node:path';
import { Duplex } from 'node:stream';
import { mock, test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Gzip, gunzipSync, gzipSync } from 'node:zlib';
import { decoder as http } from '../adapters/http/wire.ts';
import { NotReadyError } from '../base/errors.ts';
import { answered, newCall } from './calls.ts';
import { emptyRecord } from './connection.ts';
import { Connections } from './connections.ts';
import { Talk } from './fixtures/talk.ts';
import type { NetworkRecord, Tenure, WireRecord } from './record.ts';
import { readWire, WireRecordError, WireWriter } from './record.ts';

const TENURE: Tenure = { address: '10.0.0.2', service: 'web', name: 'web', container: 'abc', from: 999.5, to: null };
const NETWORK: NetworkRecord = { network: 'front', unseen: '', ended_early: '', dropped: 0, cpu_s: null, counters: null, hosts: [] };

test('what was read of the wire is the same after it was written, and nothing of what was said is in it', async () => {
	const folder = await mkdtemp(join(os.tmpdir(), 'wire-record-'));
	try {
		const path = join(folder, 'wire.ndjson.gz');
		const writer = new WireWriter(path, 900);
		const expected = {
			services: [TENURE],
			networks: [NETWORK],
			connections: [],
			calls: [],
		} as WireRecord;
		const connections = new Connections([http], {
			call: (call, connection) => {
				writer.call(call, connection);
				const { sent_at: _at, ...read } = structuredClone(call);
				expected.calls.push({ ...read, connection: connection.id });
			},
			connection: (connection) => {
				writer.connection(connection);
				expected.connections.push(structuredClone(connection));
			},
		});
		const talk = new Talk();
		const canary = 'GET /a/17?q=canary HTTP/1.1\r\nX-Request-Id: r-1\r\nCookie: canary\r\nAuthorization: canary\r\n\r\n';
		for (const packet of [
			...talk.open(),
			talk.wait(0.25).say('client', 'A', canary),
			talk.wait(0.25).say('server', 'A', 'HTTP/1.1 500 canary\r\nContent-Length: 6\r\n\r\ncanary'),
			talk.say('client', 'A', 'POST /canary@x HTTP/1.1\r\nContent-Length: 6\r\n\r\ncanary'),
			talk.wait(2).say('client', 'R'),
		])
			connections.take(packet);
		connections.end();
		writer.service(TENURE);
		writer.network(NETWORK);
		await writer.drained();
		await writer.close();
		const read = await readWire(path);
		assert.deepEqual(JSON.parse(JSON.stringify(read)), expected);
		assert.equal(read.calls.length, 2);
		assert.doesNotMatch(JSON.stringify(read), /canary/);
		const whole = await readFile(path);
		await writeFile(path, whole.subarray(0, -12));
		await assert.rejects(readWire(path), /found unexpected end of file/);
		const lines = String(gunzipSync(whole)).trimEnd().split('\n');
		await writeFile(path, gzipSync(lines.slice(0, -1).join('\n')));
		await assert.rejects(readWire(path), /found no end of one/);
		await writeFile(path, gzipSync(`${lines[0]}\n["call","${'x'.repeat(65e6)}`, { level: 1 }));
		await assert.rejects(readWire(path), /found a line of more than 64 MB/);
		for (const other of ['null', '{}', '[]', '["call",']) {
			await writeFile(path, gzipSync(`${[lines[0], other, ...lines.slice(1)].join('\n')}\n`));
			await assert.rejects(readWire(path), WireRecordError);
		}
		await writeFile(path, gzipSync('{"wire":99}\n'));
		await assert.rejects(readWire(path), /expected a record of the wire of format 1; found \{"wire":99\}/);
	} finally {
		await rm(folder, { recursive: true });
	}
});

test('where nothing can be written any more nobody waits for it, and it is told at the end', async () => {
	const writer = new WireWriter(join(os.tmpdir(), 'doubletake-no-such-folder', 'wire.ndjson.gz'), 0);
	const service = { address: 'x'.repeat(1024 * 1024) } as any;
	for (let times = 0; times < 6; times += 1) writer.service(service);
	const late = new Promise((resolve) => setTimeout(resolve, 5000, 'still waiting').unref());
	assert.equal(await Promise.race([writer.drained(), late]), undefined);
	await assert.rejects(writer.close(), /ENOENT/);
});

test('no link is followed to a record of the wire, nor where one is to be, and what is none is reported with its name', async () => {
	const folder = mkdtempSync(join(os.tmpdir(), 'wire-record-'));
	const [victim, path] = [join(folder, 'victim'), join(folder, 'wire.ndjson.gz')];
	try {
		writeFileSync(victim, 'theirs');
		symlinkSync(victim, path);
		await assert.rejects(new WireWriter(path, 0).close(), /EEXIST/);
		assert.equal(readFileSync(victim, 'utf8'), 'theirs');
		await assert.rejects(readWire(path), (error) => error instanceof NotReadyError && /found a link/.test(error.message));
		const none = (found: RegExp) => (error: Error) =>
			error instanceof NotReadyError && error.message.startsWith(`${victim}: expected a record of the wire`) && found.test(error.message);
		await assert.rejects(readWire(victim), none(/incorrect header check/));
		writeFileSync(victim, gzipSync('null\n'));
		await assert.rejects(readWire(victim), none(/found null/));
		await assert.rejects(readWire(folder), /found what is no file/);
	} finally {
		rmSync(folder, { recursive: true });
	}
});

test('lines are packed many at a time, and none is left behind', async () => {
	const folder = await mkdtemp(join(os.tmpdir(), 'wire-record-'));
	const { write } = Duplex.prototype;
	let packed = 0;
	mock.method(Duplex.prototype, 'write', function (this: unknown, ...given: any[]) {
		if (this instanceof Gzip) packed += 1;
		return Reflect.apply(write, this, given);
	});
	try {
		const path = join(folder, 'wire.ndjson.gz');
		const writer = new WireWriter(path, 900);
		for (let index = 0; index < 1300; index += 1) writer.service({ ...TENURE, name: `web-${index}` });
		await writer.close();
		assert.ok(packed < 10, `${packed} times`);
		const { services } = await readWire(path);
		assert.deepEqual([services.length, services.at(-1)?.name], [1300, 'web-1299']);
	} finally {
		mock.restoreAll();
		await rm(folder, { recursive: true });
	}
});

test('a call takes little memory: a run has hundreds of thousands, and an id is on every hop of a request', async () => {
	setFlagsFromString('--expose-gc');
	const collect = runInNewContext('gc');
	const folder = await mkdtemp(join(os.tmpdir(), 'wire-record-'));
	try {
		const path = join(folder, 'wire.ndjson.gz');
		const writer = new WireWriter(path, 900);
		const requests = 20_000;
		// What streams and buffers have let go of is free some turns of the loop later.
		const held = async () => {
			let least = Number.POSITIVE_INFINITY;
			for (let turn = 0; turn < 10; turn += 1) {
				await new Promise((resolve) => setTimeout(resolve, 10));
				collect();
				const { heapUsed, arrayBuffers } = process.memoryUsage();
				least = Math.min(least, heapUsed + arrayBuffers);
			}
			return least;
		};
		const connection = emptyRecord({
			id: 1,
			client: '10.0.0.1',
			client_port: 40_000,
			server: '10.0.0.2',
			server_port: 80,
			at: 1000,
			midway: false,
		});
		for (let index = 0; index < requests; index += 1) {
			const call = {
				...newCall(1000 + index / 100),
				sent_at: 1000 + index / 100,
				verb: 'GET',
				template: '/',
				status: 200,
				id: `request-${index}`,
			};
			for (let hop = 0; hop < 3; hop += 1)
				writer.call({ ...answered({ ...call }, call.began_at + 0.01), trace: 'a'.repeat(26) + String(index).padStart(6, '0') }, connection);
			writer.connection({ ...connection, id: index });
		}
		await writer.close();
		const before = await held();
		const read = await readWire(path);
		const bytes = ((await held()) - before) / requests;
		assert.equal(read.calls.length, 3 * requests);
		// Three calls of columns (85 bytes each, in room for 65,536) and their views, a connection of 28 values, an id and a trace.
		assert.ok(bytes < 1000, `${Math.round(bytes)} bytes a request`);
	} finally {
		await rm(folder, { recursive: true });
	}
});

/**
 * What a record keeps of calls with these templates.
 * @returns kept: each once; read: of each call
 */
async function templatesOf(templates: string[]): Promise<{ kept: string[]; read: string[] }> {
	const folder = await mkdtemp(join(os.tmpdir(), 'wire-templates-'));
	try {
		const path = join(folder, 'wire.ndjson.gz');
		const writer = new WireWriter(path, 900);
		const ends = { client: '10.0.0.1', client_port: 40_000, server: '10.0.0.2', server_port: 80 };
		const connection = emptyRecord({ id: 1, ...ends, at: 1000, midway: false });
		for (const template of templates) writer.call({ ...newCall(1000), template }, connection);
		writer.connection(connection);
		await writer.close();
		const [, kept] = JSON.parse(
			gunzipSync(await readFile(path))
				.toString()
				.trim()
				.split('\n')
				.at(-1) ?? '',
		);
		return { kept, read: (await readWire(path)).calls.map(({ template }) => template) };
	} finally {
		await rm(folder, { recursive: true });
	}
}

test('each template has one number, under which it is found', async () => {
	const templates = ['/a', 'SELECT users', '/a', ''];
	assert.deepEqual(await templatesOf(templates), { kept: ['/a', 'SELECT users', ''], read: templates });
});

test('where many words follow one beginning they are values, and none of them is kept', async () => {
	const names = Array.from({ length: 41 }, (_, index) => `name${String.fromCharCode(97 + (index % 26), 97 + Math.floor(index / 26))}`);
	const users = names.map((name) => `/users/${name}/orders/:n`);
	const routes = names.slice(0, 40).map((name) => `/routes/${name}`);
	const { kept, read } = await templatesOf([...users, ...routes, '/users/:n']);
	assert.deepEqual(new Set(read.slice(0, 41)), new Set(['/users/:word/orders/:n']));
	assert.deepEqual(read.slice(41), [...routes, '/users/:n']);
	assert.ok(!kept.some((text) => /name.*orders/.test(text)));
});

test('the number of templates is bounded', async () => {
	const { kept, read } = await templatesOf([...Array.from({ length: 20_100 }, (_, index) => `SELECT t${index}`), 'SELECT one_more']);
	assert.deepEqual([kept.length, kept[20_000], read.at(-1), read[19_999]], [20_001, '…', '…', 'SELECT t19999']);
});
