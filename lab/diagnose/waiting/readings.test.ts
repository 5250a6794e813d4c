import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readingsOf } from './readings.ts';

const rows = (at: (t: number) => object) => Array.from({ length: 10 }, (_, t) => ({ name: 'web', t, ...at(t) }));
const read = ({
	containers = [],
	kernel = [],
	host = [],
	adapted = [],
}: {
	containers?: any[];
	kernel?: any[];
	host?: any[];
	adapted?: any[];
}) => readingsOf({ containers, kernel, host, adapted, events: [], finalStates: [], manifest: {} as any });

test('counters are what they grew by in a second, and all else as it stood', () => {
	const { strain, machineDiskWait, refusedTasks } = read({
		containers: rows((t) => ({
			...{ pressure: { cpu_s: t / 2, io_s: t / 4 }, refaults: 2 * t, disk_bytes: 100 * t },
			...{ memory_limit_bytes: 100, fds: { open_files: t, limit: 64 }, tasks: { count: t, limit: 70, refused: 6 * t } },
		})),
		kernel: rows((t) => ({ lookups: t, counters: { ListenOverflows: 3 * t, TCPTimeouts: 4 * t } })),
		host: rows((t) => ({ pressure: { io: t / 10 } })),
	});
	assert.deepEqual(strain('web', [5, 5.5]), {
		...{
			cpu_wait: 0.5,
			memory_wait: null,
			disk_wait: 0.25,
			refaults: 2,
			memory_limit: 100,
			disk_bytes: 100,
			overflows: 3,
			timeouts: 4,
			lookups: 5,
		},
		files: { open: 5, limit: 64 },
		tasks: { most: 5, limit: 70, refused: 6 },
	});
	assert.equal(refusedTasks('web', { from: 3.5, to: 5.5 }), 18);
	assert.equal(machineDiskWait([5])?.toFixed(3), '0.100');
});

test('what was not read is null, and a counter that fell says nothing of its second', () => {
	const { strain, machineDiskWait, holders, refusedTasks } = read({ containers: rows((t) => ({ disk_bytes: t < 6 ? 100 : 0 })) });
	assert.equal(strain('web', [5.5]).disk_bytes, null);
	assert.equal(strain('web', [3]).disk_bytes, 0);
	assert.deepEqual(Object.values(strain('store', [5])), Array(11).fill(null));
	assert.deepEqual([machineDiskWait([5]), holders('store', [5]), refusedTasks('web', { from: 0, to: 9 })], [null, [], null]);
});

test('a container without a limit of its files or its memory is short of neither', () => {
	const { strain } = read({ containers: rows(() => ({ memory_bytes: 10, fds: { open_files: 9, limit: null } })) });
	assert.deepEqual([strain('web', [5]).memory_limit, strain('web', [5]).files], [null, null]);
});

test('who holds locks is reported with the mean number that waits, over all readings of the time', () => {
	const held = (waiting: number, seconds: number) => [{ address: 'a', state: 'active', waiting, held_s: seconds }];
	const { holders } = read({
		adapted: [
			{
				service: 'store',
				files: {
					samples: [{ t: 1, lock_holders: held(4, 1) }, { t: 2, lock_holders: null }, { t: 3, lock_holders: held(2, 3) }, { t: 4 }],
				},
			},
		],
	});
	assert.deepEqual(holders('store', [1, 2, 3, 4]), [{ address: 'a', state: 'active', waiting: 1.5, held_s: 3 }]);
});
