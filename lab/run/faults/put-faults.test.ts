import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import { join } from 'node:path';
import { afterEach, mock, test } from 'node:test';
import { docker } from '../../docker/docker.ts';
import { withProgram } from '../../docker/fixtures/docker-program.ts';
import type { PutFault } from '../../options/fault-plan.ts';
import { readFaults } from '../../options/fault-plan.ts';
import { checkPutting, putFaults } from './fault-actions.ts';

afterEach(() => mock.restoreAll());

const SYSTEM = { project: 'doubletake', cwd: '/', flags: [] };
/** Long ago, so that nothing is waited for. */
const BEGAN_S = 1;

/**
 * @param names of containers
 * @returns what is done, in its order
 */
function fakeEngine(names: string[], whileDoing: () => void = () => {}, address?: string): string[] {
	const calls: string[] = [];
	mock.method(docker, 'listContainers', async () =>
		names.map((name) => ({
			Id: name,
			Labels: { 'doubletake.name': name, 'doubletake.tier': 'app', 'com.docker.compose.service': name },
			Image: '',
			ImageID: '',
		})),
	);
	mock.method(docker, 'getContainer', (id: string) => ({
		inspect: async () => ({
			State: { Pid: 7 },
			HostConfig: { CpuQuota: 5000, CpuPeriod: 10_000 },
			NetworkSettings: { Networks: address ? { lab: { IPAddress: address } } : {} },
		}),
		...Object.fromEntries(
			['kill', 'start', 'stop', 'restart', 'pause', 'unpause', 'update'].map((name) => [
				name,
				async (given: any) => {
					whileDoing();
					calls.push([name, id, given?.CpuQuota].filter((word) => word !== undefined).join(' '));
				},
			]),
		),
	}));
	return calls;
}

async function put(text: string, beganS: number = BEGAN_S, signal = new AbortController().signal): Promise<PutFault[]> {
	const manifest: Record<string, any> = { load_began_s: beganS };
	await putFaults(readFaults(text), manifest, { signal, system: SYSTEM });
	return manifest.faults;
}

test('a fault with a length is undone at its end, and not before; one without is not', async () => {
	const calls = fakeEngine(['mongo', 'app-1']);
	await put('pause mongo@2s+5s; kill app-1@3s');
	assert.deepEqual(calls.toSorted(), ['kill app-1', 'pause mongo', 'unpause mongo']);
	calls.length = 0;
	const aborter = new AbortController();
	const putting = put('pause mongo@200s+300s; kill app-1@300s; stop app-1@500s', Date.now() / 1000 - 400, aborter.signal);
	while (calls.length < 2) await new Promise(setImmediate);
	for (let turns = 0; turns < 10; turns += 1) await new Promise(setImmediate);
	assert.deepEqual(calls.toSorted(), ['kill app-1', 'pause mongo']);
	aborter.abort();
	await putting;
});

test('a quota comes back as it was', async () => {
	const calls = fakeEngine(['mongo']);
	const [fault] = await put('cpu mongo 0.4@20s+10s');
	assert.deepEqual(calls, ['update mongo 40000', 'update mongo 5000']);
	assert.ok(Number(fault.began_s) > 0 && Number(fault.ended_s) >= Number(fault.began_s));
});

test('it is in force from when the engine had done the first until it was asked for the last', async () => {
	let now = 1_700_000_000;
	mock.method(Date, 'now', () => now * 1000);
	fakeEngine(['mongo', 'nginx'], () => {
		now += 2;
	});
	const [fault] = await put('pause mongo@20s+10s');
	assert.deepEqual([fault.began_s, fault.in_force_s, fault.ended_s], [1_700_000_000, [1_700_000_002, 1_700_000_002], 1_700_000_004]);
	const [restart] = await put('restart nginx@20s');
	assert.deepEqual([restart.began_s, restart.in_force_s, restart.ended_s], [1_700_000_004, [1_700_000_004, 1_700_000_006], 1_700_000_006]);
});

test('a fault that is over at once has an end, and each goes on whatever becomes of the others', async () => {
	const calls = fakeEngine(['nginx']);
	const [gone, restart] = await put('kill app-9@1s; restart nginx@2s');
	assert.deepEqual(calls, ['restart nginx']);
	assert.deepEqual([gone.failed, gone.began_s], ['there is no container app-9 to kill', null]);
	assert.ok(restart.failed === null && restart.ended_s !== null);
});

test('why the engine would not is said in its own words, without the id of a container that is gone', async () => {
	fakeEngine(['app-2']);
	const json = { message: `Container ${'c4a21965499f'.padEnd(64, '0')} is not running` };
	const refused = Object.assign(new Error(`(HTTP code 409) unexpected - ${json.message}`), { statusCode: 409, json });
	mock.method(docker, 'getContainer', () => ({
		inspect: async () => ({ State: {}, HostConfig: {}, NetworkSettings: { Networks: {} } }),
		pause: () => Promise.reject(refused),
	}));
	const [fault] = await put('pause app-2@5s+2s');
	assert.equal(fault.failed, 'the container is not running');
});

test('an interruption ends the wait, and is no failure of the fault', async () => {
	const calls = fakeEngine(['nginx']);
	const aborter = new AbortController();
	const putting = put('kill nginx@20s', Date.now() / 1000, aborter.signal);
	aborter.abort();
	const [fault] = await putting;
	assert.deepEqual([calls, fault.failed, fault.began_s], [[], null, null]);
});

test('when the load ends before its time, what goes on is undone at once and what is still to come is not begun', async () => {
	const calls = fakeEngine(['nginx', 'app-1']);
	const [aborter, over] = [new AbortController(), new AbortController()];
	const manifest: Record<string, any> = { load_began_s: Date.now() / 1000 - 3 };
	const faults = readFaults('pause nginx@2s+500s; kill app-1@400s');
	const putting = putFaults(faults, manifest, { signal: aborter.signal, over: over.signal, system: SYSTEM });
	while (calls.length === 0) await new Promise(setImmediate);
	over.abort();
	await putting;
	assert.deepEqual(calls, ['pause nginx', 'unpause nginx']);
	const [pause, kill] = manifest.faults;
	assert.ok(pause.failed === null && pause.ended_s !== null);
	assert.deepEqual([kill.failed, kill.began_s], ['the load had ended before its moment', null]);
});

test('only what has a way that is to be changed has to be reached', async () => {
	const stack = [{ name: 'app-1', pid: 2 ** 30, addresses: [] }] as any;
	await checkPutting(readFaults('pause app-1@2s+5s'), stack);
	for (const fault of ['cut app-1 mongo@2s+5s', 'loss app-1 mongo 5%@2s+5s', 'delay app-1 mongo 10ms@2s+5s'])
		await assert.rejects(checkPutting(readFaults(fault), stack), /reach the network of app-1/, fault);
});

test('what is lost no more is lost by the share with which it was begun', async () => {
	fakeEngine(['app-1', 'mongo'], () => {}, '172.18.0.2');
	const folder = mkdtempSync(join(os.tmpdir(), 'doubletake-faults-'));
	try {
		const does = `case "$*" in *" route get "*) echo '172.18.0.2 dev eth0 src 172.18.0.2' ;; *) echo "$*" >>'${folder}/done' ;; esac`;
		const [loss] = await withProgram('nsenter', does, () => put('loss app-1 mongo 5%@2s+5s'));
		assert.equal(loss.failed, null);
		const rules = [...readFileSync(join(folder, 'done'), 'utf8').matchAll(/ -w (-\w) .*--probability (\S+)/g)];
		assert.deepEqual(
			rules.map(([, change, share]) => `${change} ${share}`),
			['-I 0.05', '-I 0.05', '-D 0.05', '-D 0.05'],
		);
	} finally {
		rmSync(folder, { recursive: true });
	}
});

test('a run without faults says nothing of them', async () => assert.equal(await put(''), undefined));
