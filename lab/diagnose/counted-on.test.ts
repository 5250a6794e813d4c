import assert from 'node:assert/strict';
import { test } from 'node:test';
import { kernelCountedOn, usageCountedOn } from './counted-on.ts';

const used = (cpu: number, more: Record<string, any> = {}) => ({ name: 'api', t: 0, cpu_s: cpu, memory_bytes: 7, ...more });

test('what a container used goes on over its restarts, and how it stood does not', () => {
	const rows = usageCountedOn([used(5), used(9), used(1, { memory_bytes: 3 }), used(2), used(0.5)]);
	assert.deepEqual(
		rows.map(({ cpu_s, memory_bytes }) => [cpu_s, memory_bytes]),
		[
			[5, 7],
			[9, 7],
			[10, 3],
			[11, 7],
			[11.5, 7],
		],
	);
});

test('all that was counted of it goes on, whether or not that counter fell by itself', () => {
	const more = (n: number) => ({
		periods: n,
		refaults: n,
		pressure: { cpu_s: n },
		tasks: { count: 4, limit: 9, refused: n },
	});
	const [, last] = usageCountedOn([used(5, more(1)), used(1, more(2))]);
	assert.deepEqual([last.periods, last.refaults, last.pressure, last.tasks], [3, 3, { cpu_s: 3 }, { count: 4, limit: 9, refused: 3 }]);
});

test('each container counts for itself, and one that never ended stays as it was read', () => {
	const rows = [used(5), { ...used(8), name: 'db' }, used(1), { ...used(9), name: 'db' }];
	const read = usageCountedOn(rows);
	assert.deepEqual(
		read.map(({ cpu_s }) => cpu_s),
		[5, 8, 6, 9],
	);
	assert.equal(read[3], rows[3]);
});

test('bytes that fall because one of several processes ended are no other life', () =>
	assert.deepEqual(
		usageCountedOn([used(5, { disk_bytes: 100 }), used(6, { disk_bytes: 40 })]).map(({ disk_bytes }) => disk_bytes),
		[100, 40],
	));

test('counters of a network namespace go on, with those that another life does not have yet', () => {
	const row = (counters: Record<string, number>, packets: number) => ({
		...{ name: 'api', t: 0, sockets: { inuse: packets }, counters, packets },
	});
	const rows = kernelCountedOn([
		row({ OutRsts: 5, ListenDrops: 1 }, 100),
		row({ OutRsts: 2, ListenDrops: 4 }, 30),
		row({ OutRsts: 3 }, 40),
	]);
	assert.deepEqual(
		rows.map(({ counters, packets, sockets }) => [counters, packets, sockets.inuse]),
		[
			[{ OutRsts: 5, ListenDrops: 1 }, 100, 100],
			[{ OutRsts: 7, ListenDrops: 5 }, 130, 30],
			[{ OutRsts: 8 }, 140, 40],
		],
	);
});
