import assert from 'node:assert/strict';
import os from 'node:os';
import { test } from 'node:test';
import { describeMachine } from './lock.ts';

const DESKTOP = { KernelVersion: '6.10.14-linuxkit', OperatingSystem: 'Docker Desktop', NCPU: 3, MemTotal: 8_000_000_000 };

test('an engine with this kernel runs on this machine', async () => {
	const described = await describeMachine(async () => ({ ...DESKTOP, KernelVersion: os.release() }));
	assert.deepEqual([described.kernel, described.cores, described.memory_bytes], [os.release(), os.availableParallelism(), os.totalmem()]);
});

test('Docker Desktop has cores and memory of its own, on this processor', async () => {
	assert.deepEqual(await describeMachine(async () => DESKTOP), {
		os: 'Docker Desktop',
		kernel: '6.10.14-linuxkit',
		cpu_model: os.cpus()[0].model,
		cores: 3,
		memory_bytes: 8_000_000_000,
	});
});

test('of an engine on another host the processor is not known', async () => {
	const { os: system, cpu_model: model } = await describeMachine(async () => ({ ...DESKTOP, OperatingSystem: 'Debian GNU/Linux 12' }));
	assert.deepEqual([system, model], ['Debian GNU/Linux 12', 'unknown']);
});

test('without an engine it is this machine', async () => {
	const { kernel } = await describeMachine(() => Promise.reject(new Error('connect ENOENT')));
	assert.equal(kernel, os.release());
});
