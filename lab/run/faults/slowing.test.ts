import assert from 'node:assert/strict';
import { test } from 'node:test';
import { docker } from '../../docker/docker.ts';
import type { Freezer, SlowedTurn } from './slowing.ts';
import { slowInTurns } from './slowing.ts';

function freezerOf(other: Partial<Freezer> = {}) {
	const said: string[] = [];
	const tell = (what: string) => async (id: string) => void said.push(`${what} ${id}`);
	const cut = async (id: string, share: number) => {
		said.push(`cut ${id} ${share}`);
		return async () => void said.push(`back ${id}`);
	};
	return { said, freezer: { steady: async () => {}, pause: tell('pause'), unpause: tell('unpause'), cut, ...other } };
}

const STACK = [
	{ id: 'a', name: 'app-1', service: 'x-app-1', cpuQuotaCores: null },
	{ id: 'd', name: 'db', service: 'x-db', cpuQuotaCores: 0.1 },
] as any[];
const turn = (group: string, services: string[]) => ({ group, services, from_s: 0, to_s: 2 });

async function slowed(turns: any[], { freezer = freezerOf(), throttled = [], interruptedS = Infinity }: any = {}) {
	const manifest = { load_began_s: 0 } as any;
	const interruption = new AbortController();
	let now = 0;
	const until = async (atS: number) => {
		if (!interruption.signal.aborted) now = Math.max(now, atS);
		if (now >= interruptedS) interruption.abort();
	};
	const rest = { over: new AbortController().signal, system: null as any, idle: 'idle', stack: STACK, guard: () => () => {} };
	await slowInTurns({ share: 0.25, period_s: 1, turns, throttled }, manifest, {
		...{
			...rest,
			signal: interruption.signal,
			...(freezer === null ? {} : { freezer: freezer.freezer }),
			clock: { nowS: () => now, until },
		},
	});
	return { said: freezer?.said ?? [], turns: manifest.slowed as SlowedTurn[] };
}

test('a service stands still once a period, an idle container in its place where none is slowed', async () => {
	const { said, turns } = await slowed([turn('app', ['x-app-1']), turn('', [])]);
	assert.deepEqual(
		said,
		['a', 'a', 'idle', 'idle'].flatMap((id) => [`pause ${id}`, `unpause ${id}`]),
	);
	assert.deepEqual(
		turns.map(({ names, failed }) => [names, failed]),
		[
			[['app-1'], null],
			[[], null],
		],
	);
	assert.deepEqual([turns[0].slowed_s, turns[0].to_s], [0.5, 2]);
});

test('of a service that its quota holds back the quota is cut, and comes back', async () => {
	const { said, turns } = await slowed([turn('db', ['x-db'])], { throttled: ['db'] });
	assert.deepEqual(said, ['cut d 0.25', 'back d']);
	assert.equal(turns[0].slowed_s, 0.5);
});

test('what cannot be slowed is said, and what was begun is undone', async () => {
	const freezer = freezerOf({ pause: (id) => (id === 'd' ? Promise.reject(new Error('is not running\n')) : Promise.resolve()) });
	const { said, turns } = await slowed([turn('all', ['x-app-1', 'x-db']), turn('gone', ['x-none'])], { freezer });
	assert.deepEqual(
		turns.map(({ failed }) => failed),
		['is not running', 'a container of it is not there'],
	);
	assert.deepEqual(said, ['unpause a', 'unpause d']);
});

test('an interruption ends a standstill at once', async () => {
	const freezer = freezerOf();
	const { said, turns } = await slowed([{ ...turn('app', ['x-app-1']), to_s: 60 }, turn('', [])], { freezer, interruptedS: 1.25 });
	assert.deepEqual(said, ['pause a', 'unpause a', 'pause a', 'unpause a']);
	assert.equal(turns.length, 1);
});

test('a quota is cut in one period, and comes back', async (t) => {
	const updates: any[] = [];
	let now: any = { CpuPeriod: 10_000, CpuQuota: 1000 };
	t.mock.method(docker, 'getContainer', () => ({
		inspect: async () => ({ HostConfig: now }),
		update: async (given: any) => {
			now = { ...now, ...given };
			updates.push(now);
		},
	}));
	await slowed([turn('db', ['x-db'])], { throttled: ['db'], freezer: null as any });
	// A part of 1 ms is no quota: the period is a longer one from the first turn to the last.
	assert.deepEqual(
		updates.map(({ CpuQuota: quota, CpuPeriod: period }) => [quota, period]),
		[
			[10_000, 100_000],
			[7500, 100_000],
			[10_000, 100_000],
		],
	);
});
