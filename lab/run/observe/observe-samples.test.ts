import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, mock, test } from 'node:test';
import { SERVICE_RECORD } from '../../base/paths.ts';
import type { Service } from '../../docker/containers.ts';
import { sampleContainers } from './products.ts';

const BEGAN_MS = 1_800_000_000_000;
let folder = '';

beforeEach(() => {
	folder = mkdtempSync(join(os.tmpdir(), 'doubletake-samples-'));
	mock.timers.enable({ apis: ['setInterval', 'Date'], now: BEGAN_MS });
});
afterEach(() => {
	mock.timers.reset();
	rmSync(folder, { recursive: true });
});

async function pass(ms: number) {
	mock.timers.tick(ms);
	// Lets what was promised happen.
	await new Promise((resolve) => setImmediate(resolve));
}

const container: (name: string, product?: string | null, watch?: Service['watch']) => Service = (
	name,
	product = 'postgres',
	watch = 1,
) => ({
	...{ service: name, name, tier: 'database', product, watch, address: '', addresses: [], cpuQuotaCores: null },
	...{ id: name, pid: 1, image: '', imageId: '' },
});

/**
 * Watches containers.
 * @param execute how one of them answers
 */
async function watching(containers: Service[], execute: (name: string) => Promise<{ exitCode: number; output: string }>) {
	const [asked, opened] = [[] as string[], [] as string[]];
	const open = ({ name }: Service) => {
		opened.push(name);
		return {
			execute: () => {
				asked.push(name);
				return execute(name);
			},
		};
	};
	const { stop, close } = await sampleContainers(containers, folder, open as any);
	return {
		stop,
		opened,
		timesAsked: (name: string) => asked.filter((one) => one === name).length,
		/** Ends it, and gives what is on record of one. */
		recordOf: async (name: string) => {
			stop();
			await close();
			const path = join(folder, name, SERVICE_RECORD.samples);
			const text = existsSync(path) ? readFileSync(path, 'utf8') : '';
			return text
				.split('\n')
				.slice(0, -1)
				.map((line) => JSON.parse(line));
		},
	};
}

/** Watches stores that answer when the test says so. */
async function watchingStores(...names: string[]) {
	const questions: Record<string, { answer: (state: object | null) => void; reject: (error: Error) => void }[]> = Object.fromEntries(
		names.map((name) => [name, []]),
	);
	const execute = (name: string) =>
		new Promise((resolve: (answer: { exitCode: number; output: string }) => void, reject) => {
			const answer = (state: object | null) => resolve({ exitCode: 0, output: state === null ? '' : JSON.stringify(state) });
			questions[name].push({ answer, reject });
		});
	return {
		questions,
		...(await watching(
			names.map((name) => container(name)),
			execute,
		)),
	};
}

test('each service is asked once a second, and its answer is written with the moment at which it came', async () => {
	const { questions, timesAsked, recordOf } = await watchingStores('one', 'other');
	await pass(1000);
	assert.deepEqual([timesAsked('one'), timesAsked('other')], [1, 1]);
	mock.timers.tick(250);
	questions.one[0].answer({ connections: 7 });
	await pass(0);
	await pass(750);
	assert.deepEqual([timesAsked('one'), timesAsked('other')], [2, 1]);
	assert.deepEqual(await recordOf('one'), [{ t: (BEGAN_MS + 1250) / 1000, connections: 7 }]);
	assert.deepEqual(await recordOf('other'), []);
});

test('a service that takes long is not asked again before it has answered, and the late answer is left out', async () => {
	const { questions, timesAsked, recordOf } = await watchingStores('db');
	for (let second = 0; second < 5; second += 1) await pass(1000);
	assert.equal(timesAsked('db'), 1);
	questions.db[0].answer({ connections: 7 });
	await pass(0);
	await pass(1000);
	assert.equal(timesAsked('db'), 2);
	assert.deepEqual(await recordOf('db'), []);
});

test('a service that fails, or cannot be asked, leaves no line and is asked again', async () => {
	const { questions, timesAsked, recordOf } = await watchingStores('db');
	await pass(1000);
	questions.db[0].reject(new Error('gone'));
	await pass(0);
	await pass(1000);
	questions.db[1].answer(null);
	await pass(0);
	await pass(1000);
	assert.equal(timesAsked('db'), 3);
	assert.deepEqual(await recordOf('db'), []);
});

test('when watching has stopped nobody is asked, and what is still answered is not written', async () => {
	const { questions, timesAsked, stop, recordOf } = await watchingStores('db');
	await pass(1000);
	stop();
	questions.db[0].answer({ connections: 7 });
	await pass(0);
	await pass(5000);
	assert.equal(timesAsked('db'), 1);
	assert.deepEqual(await recordOf('db'), []);
});

test('each container is asked for its state where its product has something to ask at that level', async () => {
	const containers = [
		container('proxy', 'haproxy'),
		container('proxy-2', 'haproxy', 2),
		container('web', 'opaque'),
		container('node', null, 0),
		container('old', 'postgres', 0),
		container('db'),
		container('cache', 'redis'),
	];
	const { opened, recordOf } = await watching(containers, async () => ({ exitCode: 1, output: '' }));
	await recordOf('db');
	assert.deepEqual(opened, ['proxy-2', 'db', 'cache']);
});

test('a server that lets the lab in at no time is not asked for ever, and one that did once is asked again', async () => {
	const LOCKED_OUT = 'psql: error: FATAL:  role "postgres" does not exist';
	const timesAsked = async (says: (times: number) => string) => {
		let times = 0;
		const watched = await watching([container('db')], async () => {
			times += 1;
			return { exitCode: says(times) === '{}' ? 0 : 2, output: says(times) };
		});
		for (let second = 0; second < 10; second += 1) await pass(1000);
		await watched.recordOf('db');
		rmSync(join(folder, 'db'), { recursive: true });
		return times;
	};
	assert.equal(await timesAsked(() => LOCKED_OUT), 3);
	assert.equal(await timesAsked((times) => (times % 3 === 0 ? '{}' : LOCKED_OUT)), 10);
	assert.equal(await timesAsked(() => 'ERROR:  canceling statement due to statement timeout'), 10);
});
