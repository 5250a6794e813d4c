import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import type { Service } from '../../docker/containers.ts';
import { drainQueue } from './drain.ts';
import { observeEvents } from './observe-events.ts';
import { readProductVersions } from './products.ts';

const SERVICES: Record<string, Pick<Service, 'tier' | 'product' | 'watch'>> = {
	proxy: { tier: 'load-balancer', product: 'haproxy', watch: 1 },
	web: { tier: 'app', product: 'opaque', watch: 1 },
	db: { tier: 'database', product: 'postgres', watch: 1 },
	old: { tier: 'database', product: 'postgres', watch: 0 },
	cache: { tier: 'cache', product: 'redis', watch: 1 },
	node: { tier: 'app', product: null, watch: 0 },
	'doubletake-k6': { tier: 'generator', product: null, watch: 0 },
};

const container: (service: string, name?: string, changes?: Partial<Service>) => Service = (service, name = service, changes = {}) => ({
	...{ service, name, ...SERVICES[service], address: '', addresses: [], cpuQuotaCores: null },
	...{ id: name, pid: 1, image: '', imageId: '', ...changes },
});

/** A container that prints this whatever it is asked. */
const printing: (outputs: Record<string, string>) => (service: { id: string }) => any = (outputs) => (service) => ({
	execute: async () => {
		if (outputs[service.id] === undefined) throw new Error('no such program');
		return { exitCode: 0, output: outputs[service.id] };
	},
});

test('each product tells its version, and one that does not is unknown', async () => {
	const outputs = {
		proxy: 'HAProxy version 2.6.12-1+deb12u1 2023/12/16',
		'db-1': 'postgres (PostgreSQL) 15.4',
		'db-2': 'asked once is enough',
		old: 'postgres (PostgreSQL) 13.2',
	};
	const containers = [
		container('proxy'),
		container('web'),
		container('node'),
		container('db', 'db-1'),
		container('db', 'db-2'),
		container('old'),
		container('cache'),
	];
	assert.deepEqual(await readProductVersions(containers, printing(outputs)), {
		haproxy: '2.6.12-1+deb12u1',
		postgres: '15.4, 13.2',
		redis: 'unknown',
	});
});

test('a container that has ended is not asked', async () => {
	assert.deepEqual(await readProductVersions([container('db', 'db', { pid: 0 })], printing({})), {});
});

/** What is written of these events of the engine. */
async function eventsOf(...events: { Action: string; ID: string; exitCode?: string; t: number }[]) {
	const stream = new Readable({ read() {} });
	const lines = [] as object[];
	const engine = { getEvents: async () => stream } as any;
	const stop = await observeEvents('a=b', [container('web', 'app-1', { id: 'abc' })], { write: (line) => lines.push(line) }, engine);
	for (const { Action, ID, exitCode, t } of events)
		stream.push(`${JSON.stringify({ Action, Actor: { ID, Attributes: exitCode && { exitCode } }, timeNano: t * 1e9 })}\n`);
	stream.push(null);
	await once(stream, 'end');
	await turn();
	stop();
	return lines;
}

test('an end is reported with its moment, its service and its exit code', async () => {
	assert.deepEqual(await eventsOf({ Action: 'die', ID: 'abc', exitCode: '137', t: 1_800_000_000.5 }), [
		{ t: 1_800_000_000.5, name: 'app-1', action: 'die', exit_code: 137 },
	]);
});

test('an event without an exit code has none, and one of another container is left out', async () => {
	assert.deepEqual(await eventsOf({ Action: 'oom', ID: 'abc', t: 1e9 }, { Action: 'die', ID: 'xyz', t: 1e9 }), [
		{ t: 1e9, name: 'app-1', action: 'oom', exit_code: null },
	]);
});

const QUEUE = { name: 'redis', service: 'redis', tier: 'queue', product: 'redis', id: 'q', address: '10.0.0.9' } as any;

/** @param answers of the queue, one after the other; the last one again and again */
async function drained(answers: (string | Error)[], signal = new AbortController().signal) {
	let asked = 0;
	const said: string[] = [];
	const open = (() => ({
		execute: async () => {
			const answer = answers[Math.min(asked, answers.length - 1)];
			asked += 1;
			if (answer instanceof Error) throw answer;
			return { exitCode: 0, output: answer };
		},
	})) as any;
	const result = await drainQueue([QUEUE], { say: (text) => said.push(text), signal, everyMs: 0, open });
	return { left: result?.left, asked, said };
}

test('a queue is waited for until it is empty', async () => {
	const { left, asked, said } = await drained(['12\n', '5\n', '0\n']);
	assert.deepEqual([left, asked], [0, 3]);
	assert.deepEqual(said, ['the load has ended with 12 in the queue; waiting for them to be done, for 3 minutes at most']);
});

test('one that nobody works on is given up, with what is left', async () => {
	const { left, asked } = await drained(['12\n', '7\n']);
	assert.deepEqual([left, asked], [7, 17]);
});

test('one that does not answer is not waited for without end, and what is left is not known', async () => {
	const { left, asked } = await drained([new Error('it is gone')]);
	assert.deepEqual([left, asked], [null, 5]);
});

test('an interruption ends it, and a stack without a queue has nothing to wait for', async () => {
	assert.equal((await drained(['12\n'], AbortSignal.abort())).asked, 0);
	const options = { say: () => {}, signal: new AbortController().signal };
	assert.equal(await drainQueue([{ tier: 'database', product: null } as any], options), null);
});
