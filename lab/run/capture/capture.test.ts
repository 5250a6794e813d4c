import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readlinkSync, rmSync, statSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, mock, test } from 'node:test';
import { docker } from '../../docker/docker.ts';
import { saying, withDocker } from '../../docker/fixtures/docker-program.ts';
import { clearScratch } from '../../docker/scratch.ts';
import { pcapOf, tcpFrame } from '../../wire/fixtures/packet.ts';
import { readWire } from '../../wire/record.ts';
import { captureOf } from './run-capture.ts';
import { clearEarlier, makeFile, makeScratch } from './scratch.ts';

afterEach(() => mock.restoreAll());

const ID = 'd93f8ddd9a0b7884a24273af302445766cc05e64d8e5ef7e42313665807ec21d';
const SAID =
	"Capturing on 'x'\nFile: /capture/packets.pcap\nPackets captured: 4\nPackets received/dropped on interface 'x': 4/1 (pcap:1/dumpcap:0/flushed:0/ps_ifdrop:0)\n";

/**
 * An engine with one network, whose recorder writes a capture file.
 * @param options bridge: its name, where that is
 * said; joined: networks of each service, its own unless given
 */
function engineOf({
	driver = 'bridge',
	bridge,
	refuses = '',
	joined = {},
}: {
	driver?: string;
	bridge?: string;
	refuses?: string;
	joined?: Record<string, string[]>;
} = {}) {
	let file = '';
	let on = '';
	let running = false;
	const removed = [] as string[];
	const container = {
		id: 'recorder',
		start: async () => {
			if (refuses !== '') throw new Error(refuses);
			running = true;
			const ends = { source: '172.18.0.3', sourcePort: 4000, target: '172.18.0.2', targetPort: 80 };
			const back = { source: ends.target, sourcePort: 80, target: ends.source, targetPort: 4000 };
			const at = Math.floor(Date.now() / 1000) + 1;
			const frames = [
				tcpFrame({ ...ends, flags: 'S', sequence: 1 }),
				tcpFrame({ ...back, flags: 'SA', sequence: 5, acknowledged: 2 }),
				tcpFrame({ ...ends, sequence: 2, acknowledged: 6, payload: 'GET /canary-2?canary HTTP/1.1\r\nCookie: canary\r\n\r\n' }),
			];
			writeFileSync(file, pcapOf(frames.map((frame) => ({ at, frame }))));
		},
		inspect: async () => ({ State: { Running: running, ExitCode: 0 } }),
		stats: async () => ({ cpu_stats: { cpu_usage: { total_usage: 250_000_000 } } }),
		kill: async () => {
			running = false;
		},
		remove: async () => removed.push('recorder'),
		logs: async () => Buffer.concat([Buffer.from([1, 0, 0, 0, 0, 0, 0, SAID.length]), Buffer.from(SAID)]),
	};
	const engine = {
		getImage: () => ({ inspect: async () => ({ Id: 'sha256:1' }) }),
		listNetworks: async () => [
			{
				...{ Id: ID, Name: 'run_default', Driver: driver, IPAM: { Config: [{ Gateway: '172.18.0.1' }] } },
				...(bridge && { Options: { 'com.docker.network.bridge.name': bridge } }),
			},
		],
		listContainers: async ({ filters }: { filters: string }) =>
			// Of an earlier run there is none.
			!filters.includes('project')
				? []
				: Object.entries({ web: ['run_default'], ...joined }).map(([service, names]) => ({
						Labels: { 'com.docker.compose.service': service },
						NetworkSettings: { Networks: Object.fromEntries(names.map((name) => [name, {}])) },
					})),
		getEvents: async () => new Readable({ read() {} }),
		createContainer: async ({ Cmd: command, HostConfig: { Binds: binds } }: any) => {
			on = command[command.indexOf('-i') + 1];
			file = binds[0].split(':')[0];
			return container;
		},
		getContainer: () => container,
	} as any;
	return { engine, removed, fileOf: () => file, bridgeOf: () => on };
}

async function captureOn(engine: Record<string, (given: any) => any>) {
	for (const [name, does] of Object.entries(engine)) mock.method(docker, name as any, does);
	const signal = new AbortController().signal;
	const capture = await captureOf({ isWanted: true, project: 'run', loadS: 10, images: 'hub', say: () => {}, signal });
	assert.ok(capture);
	return capture;
}

async function inFolder(check: (folder: string) => Promise<void>) {
	const folder = mkdtempSync(join(os.tmpdir(), 'wire-capture-'));
	try {
		await check(folder);
	} finally {
		rmSync(folder, { recursive: true });
	}
}

/** Files of a folder that this process has open; deleted ones too. */
const openIn = (folder: string) =>
	existsSync('/proc/self/fd')
		? readdirSync('/proc/self/fd')
				.flatMap((fd) => targetOf(fd))
				.filter((path) => path.startsWith(folder))
		: [];

test('what passed is read into the record, and the capture itself is gone', () =>
	inFolder(async (folder) => {
		const { engine, removed, fileOf } = engineOf();
		const capture = await captureOn(engine);
		await capture.begin();
		assert.equal(statSync(dirname(fileOf())).mode & 0o777, 0o700, 'nobody else can open the folder');
		await capture.stop();
		await capture.write(join(folder, 'wire.ndjson.gz'));
		const record = await readWire(join(folder, 'wire.ndjson.gz'));
		assert.deepEqual(
			record.calls.map(({ verb, template, end }) => [verb, template, end]),
			[['GET', '/:id', 'open']],
		);
		assert.deepEqual(
			record.networks.map(({ network, dropped, cpu_s, counters }) => [network, dropped, cpu_s, counters?.packets]),
			[['run_default', 1, 0.25, 3]],
		);
		assert.deepEqual(
			record.services.map(({ address, name }) => [address, name]),
			[['172.18.0.1', 'host']],
		);
		assert.deepEqual(capture.notes, []);
		assert.equal(existsSync(dirname(fileOf())), false);
		assert.deepEqual(removed, ['recorder']);
	}));

test('where the capture cannot be read, no part of a record is left, nor is its file kept open', () =>
	inFolder(async (folder) => {
		const { engine, fileOf } = engineOf();
		const capture = await captureOn(engine);
		await capture.begin();
		await capture.stop();
		rmSync(fileOf());
		const path = join(folder, 'wire.ndjson.gz');
		await capture.write(path);
		assert.match(capture.notes.join(), /^what was recorded of the networks /);
		assert.equal(existsSync(path), false);
		assert.deepEqual(openIn(folder), []);
	}));

/** @returns none or one */
function targetOf(fd: string): string[] {
	try {
		return [readlinkSync(`/proc/self/fd/${fd}`)];
	} catch {
		return [];
	}
}

test('where nothing can be recorded the run goes on, and it is said what is therefore not known', async () => {
	for (const [options, wanted] of [
		[{ refuses: 'no such device' }, /^the network run_default could not be recorded \(no such device\); who asked whom there/],
		[{ driver: 'overlay' }, /^the network run_default is of driver overlay: .*; who asked whom there/],
	] as const) {
		const capture = await captureOn(engineOf(options).engine);
		await capture.begin();
		await capture.stop();
		await capture.clear();
		assert.equal(capture.notes.length, 1);
		assert.match(capture.notes[0], wanted);
	}
	const getImage = () => ({ inspect: async () => assert.fail('no such image') });
	const unable = await withDocker(`${saying('no network', 2)}\nexit 1`, () => captureOn({ ...engineOf().engine, getImage }));
	await unable.begin();
	await unable.stop();
	assert.match(
		unable.notes.join(),
		/^the networks of the run could not be recorded \(IMAGES=hub: docker pull .* failed: no network\); who asked/,
	);
});

test('what is recorded is the bridge of this kernel that the network is', async () => {
	for (const [bridge, wanted] of [
		[undefined, 'br-d93f8ddd9a0b'],
		['mine0', 'mine0'],
	]) {
		const { engine, bridgeOf } = engineOf({ bridge });
		const capture = await captureOn(engine);
		await capture.begin();
		await capture.clear();
		assert.equal(bridgeOf(), wanted);
	}
});

test("a network that is not of the run's making is left alone, and it is said who is on it", () =>
	inFolder(async (folder) => {
		const joined = { api: ['run_default', 'edge'], agent: ['host'], job: ['none'] };
		const { engine, removed } = engineOf({ joined });
		const capture = await captureOn(engine);
		await capture.begin();
		await capture.stop();
		await capture.write(join(folder, 'wire.ndjson.gz'));
		assert.deepEqual(removed, ['recorder'], "only the run's own bridge was recorded");
		const { networks } = await readWire(join(folder, 'wire.ndjson.gz'));
		assert.deepEqual(
			networks.map(({ network, members, unseen }) => [network, members, unseen === '']),
			[
				['run_default', undefined, true],
				['edge', ['api'], false],
				['host', ['agent'], false],
			],
		);
		assert.match(
			capture.notes[0],
			/^the network edge is not of the run's making, .*: what api says there is not seen; who asked whom there/,
		);
		assert.match(capture.notes[1], /^agent is on the machine's own network, .* seen from one side/);
	}));

test('a run that is given up leaves no capture', async () => {
	const { engine, removed, fileOf } = engineOf();
	const capture = await captureOn(engine);
	await capture.begin();
	await capture.clear();
	assert.deepEqual([existsSync(dirname(fileOf())), removed], [false, ['recorder']]);
});

test('recorders that a killed run left are removed, whoever has the number of its process now', async () => {
	const removed = [] as string[];
	const engine = {
		listContainers: async () => [1, process.pid].map((pid) => ({ Id: `of-${pid}`, Labels: { 'doubletake.capture': String(pid) } })),
		getContainer: (id: string) => ({ remove: async () => removed.push(id) }),
	} as any;
	await clearEarlier(engine);
	assert.deepEqual(removed, ['of-1', `of-${process.pid}`]);
});

test('what a killed run had captured is cleared, and what a living one has is not, nor one of which nobody can tell here', () =>
	inFolder(async (folder) => {
		const own = process.env.TMPDIR;
		process.env.TMPDIR = folder;
		try {
			const living = await makeScratch();
			const dead = spawnSync(process.execPath, ['--version']).pid;
			const ofDead = living.replace(`-${process.pid}-`, `-${dead}-`);
			// A container that shares the folder counts its own processes.
			const elsewhere = ofDead.replace(/capture-\d+-/, 'capture-1-');
			for (const other of [ofDead, elsewhere]) mkdirSync(other);
			writeFileSync(await makeFile(ofDead, 0), 'canary');
			await clearScratch();
			assert.deepEqual([living, ofDead, elsewhere].map(existsSync), [true, false, true]);
		} finally {
			if (own === undefined) delete process.env.TMPDIR;
			else process.env.TMPDIR = own;
		}
	}));

test('the file of a recorder can be written by its user, in a folder that nobody else opens', async () => {
	const folder = await makeScratch();
	try {
		assert.match(folder, new RegExp(`doubletake-capture-\\d+-${process.pid}-`));
		assert.equal(statSync(await makeFile(folder, 0)).mode & 0o777, 0o666);
		assert.equal(statSync(folder).mode & 0o777, 0o700);
	} finally {
		rmSync(folder, { recursive: true });
	}
});
