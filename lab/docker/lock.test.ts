import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, mock, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { NotReadyError } from '../base/errors.ts';
import { labSystem } from './containers.ts';
import { docker } from './docker.ts';
import type { Engine as EngineOfLock, Owner } from './lock.ts';
import { takeLock, takeLocks, takenOverBy, thisOwner } from './lock.ts';
import { takeDown } from './stack.ts';

afterEach(() => mock.restoreAll());

/** Above the largest process number that Linux gives. */
const NO_PROCESS = 4_194_305;
const here = thisOwner();
/** In a container, or on another machine: nobody here can see whether it lives. */
const elsewhere = {
	...here,
	host: 'ci-7',
	boot: 'another',
	pid: 7,
	user: 'ada',
	since: '2026-11-26T06:07:08.900Z',
	reports: '/srv/reports',
};
const said = [] as string[];
const say = (text: string) => void said.push(text);
const quickly = { self: here, signMs: 100_000, againMs: 1 };

/** What of an engine's volumes a lock has to do with; its clock stands still until it is set. */
class Engine {
	nowMs = Date.parse('2026-11-26T07:00:00Z');
	volumes: Map<string, any> = new Map();

	async createVolume({ Name: name, Labels: labels }: any) {
		const created = new Date(this.nowMs).toISOString().replace(/\.\d+/, '');
		if (!this.volumes.has(name)) this.volumes.set(name, { Name: name, Labels: labels, CreatedAt: created });
		return this.volumes.get(name);
	}

	async listVolumes({ filters }: any) {
		const [label] = JSON.parse(filters).label;
		return { Volumes: [...this.volumes.values()].filter(({ Labels: labels }) => label in labels), Warnings: [] };
	}

	getVolume(name: string) {
		return {
			remove: async () => {
				if (!this.volumes.delete(name)) throw Object.assign(new Error('no such volume'), { statusCode: 404 });
			},
		} as any;
	}

	async info() {
		return { SystemTime: new Date(this.nowMs).toISOString() };
	}

	/** As lib and types of the engine have far more. */
	get asEngine() {
		return this as unknown as EngineOfLock;
	}
}

const take = (engine: Engine, owner: Partial<Owner> = here) =>
	takeLock(say, { ...quickly, engine: engine.asEngine, self: { ...here, ...owner } });

const refused = (taking: Promise<unknown>, ...words: RegExp[]) =>
	assert.rejects(taking, (error) => {
		assert.ok(error instanceof NotReadyError);
		for (const one of words) assert.match(error.message, one);
		return true;
	});

test('the lock is on the engine while it is held, and gone when it is given back', async () => {
	const engine = new Engine();
	const release = await take(engine);
	assert.equal(engine.volumes.size, 1);
	await release();
	assert.equal(engine.volumes.size, 0);
});

test('a second run is refused with process, user, host, time and folder of the first, and leaves nothing', async () => {
	const engine = new Engine();
	const release = await take(engine, { since: elsewhere.since });
	engine.nowMs += 60_000;
	const whose = new RegExp(`process ${process.pid} of ${here.user} on ${here.host}, since 2026-11-26 06:07:08 UTC`);
	await refused(
		take(engine),
		/Expected no other run of Doubletake on this engine/,
		whose,
		/To do: wait until it ends, or stop it with Ctrl-C there\./,
	);
	// Its process is seen, so that its silence says nothing: it may be analysing.
	engine.nowMs += 3_600_000;
	await refused(take(engine), whose);
	assert.equal(engine.volumes.size, 1);
	await release();
});

test('of two that come at once never both have the engine', async () => {
	const engine = new Engine();
	const taken = await Promise.allSettled([take(engine), take(engine)]);
	const held = taken.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
	assert.ok(held.length <= 1);
	await Promise.all(held.map((release) => release()));
	assert.equal(engine.volumes.size, 0);
});

test('the lock of a process that is gone does not stop a run, and a sentence says so', async () => {
	const engine = new Engine();
	await take(engine, { pid: NO_PROCESS });
	said.length = 0;
	await (await take(engine))();
	assert.equal(engine.volumes.size, 0);
	assert.match(said[0], /^an earlier run did not come to its end, and its process is gone \(process 4194305 of /);
});

test('a volume of a Compose file that bears the label of a lock is none, and is left alone', async () => {
	const engine = new Engine();
	for (const pid of [here.pid, NO_PROCESS])
		await engine.createVolume({
			Name: `shop_${pid}`,
			Labels: {
				'doubletake.lock': `x${pid}`,
				'doubletake.owner': JSON.stringify({ ...here, pid, started: '0' }),
				'com.docker.compose.project': 'shop',
			},
		});
	await (await take(engine))();
	assert.deepEqual([...engine.volumes.keys()], [`shop_${here.pid}`, `shop_${NO_PROCESS}`]);
});

test('a run whose process cannot be seen holds the engine as long as it gives a sign, and two minutes longer', async () => {
	const engine = new Engine();
	await take(engine, elsewhere);
	engine.nowMs += 119_000;
	const words = [
		/process 7 of ada on ci-7/,
		/last heard of 119 s ago/,
		/if it was killed: it counts as ended 120 s after it was last heard of/,
	];
	await refused(take(engine), ...words);
	engine.nowMs += 2000;
	said.length = 0;
	await (await take(engine))();
	assert.match(said[0], /nothing was heard of it for 120 s \(process 7 of ada on ci-7/);
});

test('a holder gives signs by which it is younger than its beginning, and is never away', async () => {
	const engine = new Engine();
	const release = await takeLock(say, { ...quickly, engine: engine.asEngine, self: { ...here, ...elsewhere }, signMs: 5 });
	const least = { held: 9, names: new Set() };
	for (let looks = 0; looks < 40; looks += 1) {
		engine.nowMs += 60_000;
		await wait(5);
		least.held = Math.min(least.held, engine.volumes.size);
		for (const name of engine.volumes.keys()) least.names.add(name);
	}
	assert.ok(least.held >= 1 && least.names.size > 2, JSON.stringify([least.held, least.names.size]));
	// Somebody prunes volumes.
	engine.volumes.clear();
	for (let looks = 0; engine.volumes.size === 0 && looks < 400; looks += 1) await wait(5);
	await refused(take(engine), /ci-7/);
	await release();
	assert.equal(engine.volumes.size, 0);
});

test('what cannot be judged counts as alive, and the message says how to go on', async () => {
	const engine = new Engine();
	engine.volumes.set('odd', { Name: 'odd', Labels: { 'doubletake.lock': 'x', 'doubletake.owner': '{' } });
	await refused(take(engine), /one that does not say whose it is \(volume odd\)/, /if it was killed: docker volume rm odd\./);
});

/**
 * An engine on which somebody else holds a lock, as a label says it.
 * @param label of its owner
 * @param silentS since its last sign
 */
function heldBy(label: string | undefined, silentS: number = 10) {
	const engine = new Engine();
	const labels = { 'doubletake.lock': 'x', ...(label === undefined ? {} : { 'doubletake.owner': label }) };
	engine.createVolume({ Name: 'theirs', Labels: labels });
	engine.nowMs += silentS * 1000;
	return engine;
}

/**
 * Whether a process counts as alive: one that is gone is told so, and one that cannot be seen is waited for until it is silent for long.
 */
async function stateOf(owner: Partial<Owner>): Promise<'alive' | 'gone' | 'unknown'> {
	const label = JSON.stringify({ ...here, ...owner });
	said.length = 0;
	if (await isTaken(heldBy(label))) {
		assert.match(said[0], /^an earlier run did not come to its end, and its process is gone \(/);
		return 'gone';
	}
	return (await isTaken(heldBy(label, 3600))) ? 'unknown' : 'alive';
}

async function isTaken(engine: Engine) {
	const release = await take(engine).catch((error) => (error instanceof NotReadyError ? null : assert.fail(error)));
	await release?.();
	return release !== null;
}

test('a process says whose it is, and that it lives', async () => {
	assert.ok(here.boot !== '' && here.started !== '' && here.pid === process.pid, JSON.stringify(here));
	assert.equal(await stateOf(here), 'alive');
});

test('a process that has ended is gone, and so is one whose number was given to another', async () => {
	const { pid } = spawnSync('true');
	assert.equal(await stateOf({ pid }), 'gone');
	assert.equal(await stateOf({ started: `${here.started}1` }), 'gone');
});

test('a process that was killed is gone before its parent has asked for it', { skip: process.platform !== 'linux' }, async () => {
	// The shell becomes a program that never asks for its child.
	const parent = spawn('sh', ['-c', 'sh -c "kill -9 \\$\\$" & echo $!; exec sleep 30'], { stdio: ['ignore', 'pipe', 'ignore'] });
	try {
		const [reported] = await once(parent.stdout, 'data');
		const pid = Number(String(reported));
		let found = await stateOf({ pid });
		for (let looks = 0; found !== 'gone' && looks < 200; looks += 1) {
			spawnSync('sleep', ['0.02']);
			found = await stateOf({ pid });
		}
		assert.equal(found, 'gone');
	} finally {
		parent.kill('SIGKILL');
	}
});

test('what a number means elsewhere is not known here', async () => {
	for (const other of [{ boot: 'another' }, { boot: '' }, { space: 'pid:[1]' }, { host: 'another' }, { started: '' }])
		assert.equal(await stateOf(other), 'unknown', JSON.stringify(other));
});

test('a label that another program wrote, or that is cut, names nobody', async () => {
	for (const text of [
		undefined,
		'',
		'{',
		'null',
		'[]',
		'{"pid":1}',
		JSON.stringify({ ...here, pid: -1 }),
		JSON.stringify({ ...here, user: 7 }),
	])
		await refused(take(heldBy(text)), /found one that does not say whose it is \(volume theirs\)/);
});

test('it is told by process, user, host, time and folder', async () => {
	await refused(
		take(heldBy(JSON.stringify({ ...elsewhere, host: 'bench' }))),
		/found process 7 of ada on bench, since 2026-11-26 06:07:08 UTC, with its reports in \/srv\/reports, last heard of 10 s ago\./,
	);
});

test('a run from which the engine was taken takes down nothing that both call by one name', async () => {
	const engine = new Engine();
	const release = await takeLock(say, { ...quickly, engine: engine.asEngine, self: { ...here, ...elsewhere }, signMs: 5 });
	engine.volumes.clear();
	engine.volumes.set('theirs', {
		Name: 'theirs',
		Labels: { 'doubletake.lock': 'y', 'doubletake.owner': JSON.stringify({ ...here, pid: 8 }) },
	});
	for (let looks = 0; takenOverBy() === null && looks < 400; looks += 1) await wait(5);
	assert.match(String(takenOverBy()), /^another run \(process 8 of /);
	const asked = mock.method(docker, 'listContainers', async () => []);
	assert.match(String(await takeDown({}, labSystem())), /^still there: what another run \(process 8/);
	assert.equal(asked.mock.callCount(), 0);
	await release();
	assert.deepEqual([...engine.volumes.keys()], ['theirs']);
	// Whoever has an engine again has lost nothing.
	await (await take(new Engine()))();
	assert.equal(takenOverBy(), null);
});

test('of several engines all are taken or none', async () => {
	const engines = [new Engine(), new Engine()];
	const other = await take(engines[1]);
	engines[1].nowMs += 60_000;
	const asEngines = engines.map(({ asEngine }) => asEngine);
	await refused(takeLocks(asEngines, say), /Expected no other run/);
	assert.deepEqual(
		engines.map(({ volumes }) => volumes.size),
		[0, 1],
	);
	await other();
	await (await takeLocks(asEngines, say))();
	assert.deepEqual(
		engines.map(({ volumes }) => volumes.size),
		[0, 0],
	);
});
