import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RunFailedError } from '../base/errors.ts';
import { scenarios, shapes } from '../catalog/scenarios.ts';
import type { Service } from '../docker/containers.ts';
import { architectureSystem } from '../docker/containers.ts';
import { drivers } from './drivers.ts';
import { workOf } from './program.ts';

test('the inserts split evenly over files and threads', () => {
	for (const [FILES, THREADS] of [
		['1', '1'],
		['1', '8'],
		['10', '1'],
		['2', '4'],
	]) {
		const work = workOf(4_000_000, { FILES, THREADS });
		assert.equal(work.insertsPerThread, 4_000_000 / (Number(FILES) * Number(THREADS)));
		assert.equal(work.inserts, 4_000_000);
	}
});

test('where they do not divide, the number in all is the one that is made', () => {
	assert.deepEqual(workOf(4_000_000, { FILES: '1', THREADS: '3' }), {
		files: 1,
		threads: 3,
		insertsPerThread: 1_333_333,
		inserts: 3_999_999,
	});
	assert.equal(workOf(10, { FILES: '8', THREADS: '8' }).inserts, 64);
});

test('there is a driver for every scenario, and k6 alone is a service beside the stack', () => {
	for (const [id, { driver }] of Object.entries(scenarios)) assert.ok(Object.hasOwn(drivers, driver), id);
	assert.deepEqual([drivers.k6.profiles, drivers.program.profiles], [['load'], []]);
});

test('a program has no image of its own to ask for a version', () => {
	const images = { K6_IMAGE: 'doubletake/k6:1' };
	assert.deepEqual([drivers.k6.image(images), drivers.program.image(images)], ['doubletake/k6:1', null]);
});

test('a program is ready with the stack and needs no warm-up, and is refused where its store is not up', async () => {
	const steps: string[] = [];
	const stack = [{ name: 'app-1', tier: 'app' }] as Service[];
	const driven = drivers.program.drive({
		system: architectureSystem('a', []),
		env: { FILES: '1', THREADS: '1' },
		stack,
		shape: shapes['inserts-smoke']({}),
		...{ rawFolder: '', writtenFolder: '' },
		progress: { say() {}, load() {}, done() {} },
		signal: new AbortController().signal,
		onReady: async (services) => {
			steps.push(`ready with ${services.map(({ name }) => name)}`);
		},
		onSettled: async () => {
			steps.push('settled');
		},
		onWarmupBegan: () => steps.push('began'),
	});
	await assert.rejects(
		driven,
		(error) => error instanceof RunFailedError && /Expected a store .* to be up; found app-1\./.test(error.message),
	);
	assert.deepEqual(steps, ['ready with app-1', 'settled']);
});
