/**
 * An engine on a kernel of its own, as that of Docker Desktop: a server that answers as the Docker API does, and no process of its
 * containers on this machine.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import type { Server } from 'node:http';
import { createServer } from 'node:http';
import os from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { Service } from '../docker/containers.ts';
import { connect, placeContainers } from '../docker/docker.ts';
import { observeContainers } from './observe/observe-containers.ts';
import { observeKernel } from './observe/observe-kernel.ts';

const ID = 'f'.repeat(64);
const STATS_PATH = new RegExp(`^(?:/v[\\d.]+)?/containers/${ID}/stats\\?stream=true$`);
const BEGAN = '2026-01-02T03:04:05.000000000Z';

/** What the API tells of a container, as an engine with cgroup v2 does (GET /containers/{id}/stats, API 1.47). */
const statistics = {
	read: BEGAN,
	cpu_stats: {
		cpu_usage: { total_usage: 2_500_000_000, usage_in_kernelmode: 500_000_000, usage_in_usermode: 2_000_000_000 },
		system_cpu_usage: 90_000_000_000,
		online_cpus: 3,
		throttling_data: { periods: 300, throttled_periods: 20, throttled_time: 150_000_000 },
	},
	memory_stats: { usage: 60_000_000, stats: { inactive_file: 10_000_000 }, limit: 8_000_000_000 },
};
const READ = {
	name: 'app-1',
	t: Date.parse(BEGAN) / 1000,
	cpu_s: 2.5,
	periods: 300,
	throttled_periods: 20,
	throttled_s: 0.15,
	memory_bytes: 50_000_000,
};
/** A container has ended: the engine goes on with these. */
const ended = { read: '0001-01-01T00:00:00Z', cpu_stats: { cpu_usage: { total_usage: 0 }, throttling_data: {} }, memory_stats: {} };

/** This process has the number that the container's first one has there. */
const service = { id: ID, name: 'app-1', pid: process.pid } as Service;

let engine: Server;
let folder = '';
const asked: string[] = [];
/** What the next stream has, one reading a line. */
let lines: string[] = [];

before(async () => {
	folder = await mkdtemp(join(os.tmpdir(), 'doubletake-engine-'));
	engine = createServer(({ url = '' }, response) => {
		asked.push(url);
		if (!STATS_PATH.test(url))
			return void response.writeHead(404, { 'content-type': 'application/json' }).end('{"message":"no such container"}');
		response.writeHead(200, { 'content-type': 'application/json' });
		for (const line of lines) response.write(line);
	});
	const socketPath = join(folder, 'docker.sock');
	engine.listen(socketPath);
	await once(engine, 'listening');
	placeContainers(connect({ socketPath }), [ID]);
});
after(async () => {
	engine.closeAllConnections();
	engine.close();
	await rm(folder, { recursive: true });
});

/** @param wanted readings */
async function readingsOf(sent: string[], wanted: number): Promise<object[]> {
	lines = sent;
	const written: object[] = [];
	let whole: () => void = () => {};
	const all = new Promise((resolve) => {
		whole = () => resolve(undefined);
	});
	const stop = await observeContainers([service], {
		write(line) {
			written.push(line);
			if (written.length === wanted) whole();
		},
	});
	await all;
	stop();
	return written;
}

test('CPU, throttling and memory are as the API tells them, and nothing is read of a process here that has the number', async () => {
	const later = {
		...statistics,
		read: '2026-01-02T03:04:06.000000000Z',
		cpu_stats: { ...statistics.cpu_stats, cpu_usage: { total_usage: 3e9 } },
	};
	assert.deepEqual(await readingsOf([`${JSON.stringify(statistics)}\n`, `${JSON.stringify(later)}\n`], 2), [
		READ,
		{ ...READ, t: READ.t + 1, cpu_s: 3 },
	]);
	assert.equal(asked.length, 1);
});

test('a reading may come in parts, and what a container sends after its end is none', async () => {
	const text = JSON.stringify(statistics);
	const sent = [text.slice(0, 100), `${text.slice(100)}\n`, `${JSON.stringify(ended)}\n`, 'not whole\n', `${text}\n`];
	assert.deepEqual(await readingsOf(sent, 2), [READ, READ]);
});

test('its kernel counts nothing that could be read here, and this machine does not stand for its', (context) => {
	context.mock.timers.enable({ apis: ['setInterval'] });
	const written: object[] = [];
	const record = { write: (line: object) => written.push(line) };
	const stop = observeKernel([{ ...service, portRange: null }], { kernel: record, host: record });
	context.mock.timers.tick(3000);
	stop();
	assert.deepEqual(written, []);
});
