import assert from 'node:assert/strict';
import { test } from 'node:test';
import { factsOf, recordOf } from '../fixtures/record.ts';
import { poolsRecord, programRecord } from '../fixtures/scenario-records.ts';
import type { Raw } from '../fixtures/story.ts';
import { FROM } from '../fixtures/story.ts';
import type { WatchedLimit } from './limits.ts';
import { limitsOf } from './limits.ts';

const SECONDS = [1, 2, 3, 4, 5, 6, 7, 8];

/** @param change of a healthy run of two nodes */
function limitsIn(change: (raw: Raw) => void) {
	const raw = recordOf({ balanced: true });
	change(raw);
	return new Map(limitsOf(factsOf(raw), SECONDS).map((limit) => [limit.id, limit]));
}

const rowOf: (rows: any[], name: string, second: number) => any = (rows, name, second) =>
	rows.find((row) => row.name === name && row.t === FROM + second);

test('local ports are counted for the destination that took most, and bind from half of the range on', () => {
	const limits = limitsIn((raw) => {
		rowOf(raw.kernel, 'nginx', 1).ports = { range: [32768, 60999], by_destination: { '10.0.0.1:3000': 14_116, '10.0.0.2:3000': 9000 } };
		rowOf(raw.kernel, 'nginx', 6).ports = { range: [32768, 60999], by_destination: { '10.0.0.1:3000': 14_115 } };
	});
	const busiest = limits.get('ports-nginx');
	assert.deepEqual([busiest?.limit, busiest?.tier, busiest?.service], [14_116, 'load-balancer', 'nginx']);
	assert.deepEqual(busiest?.reached, [true, true, true, true, true, false, false, false]);
	const all = limits.get('ports-all-nginx');
	assert.deepEqual([all?.limit, all?.values[0]], [null, 23_116]);
	assert.ok(
		all?.reached.every((reached) => !reached),
		'each destination has its own',
	);
});

test('what can be over its limit, or has none, says why', () => {
	const limits = limitsIn((raw) => {
		rowOf(raw.kernel, 'nginx', 1).ports = { range: [32768, 60999], by_destination: { '10.0.0.1:3000': 14_888 } };
	});
	for (const id of ['ports-nginx', 'ports-all-nginx', 'balancer-connections'])
		assert.match(limits.get(id)?.note ?? '', /^[a-z]+ .{20}/, id);
});

test('a count of ports stands for the five seconds until the next, and no longer', () => {
	const limits = limitsIn((raw) => {
		rowOf(raw.kernel, 'k6', 2).ports = { range: [32768, 60999], by_destination: { '10.0.0.9:80': 3000 } };
	});
	assert.deepEqual(limits.get('ports-k6')?.values, [null, 3000, 3000, 3000, 3000, 3000, null, null]);
});

test('the accept queue of a port is at its limit in a second in which it overflowed', () => {
	const limits = limitsIn((raw) => {
		for (const row of raw.kernel.filter(({ name, t }) => name === 'app-1' && t < FROM + 5)) {
			row.accept = [{ port: 3000, queued: row.t === FROM + 3 ? 512 : 4 }];
			row.counters = { ListenOverflows: row.t >= FROM + 3 ? 20 : 3 };
		}
	});
	const queue = limits.get('accept-app-1');
	assert.deepEqual([queue?.tier, queue?.limit, queue?.what], ['app', null, 'it overflowed']);
	assert.deepEqual(
		[queue?.values.slice(0, 5), queue?.reached.slice(0, 5)],
		[
			[4, 4, 512, 4, null],
			[false, false, true, false, null],
		],
	);
});

test('ports of one service share the counter of overflows, so their accept queues are told together', () => {
	const limits = limitsIn((raw) => {
		for (const row of raw.kernel.filter(({ name, t }) => name === 'nginx' && t < FROM + 4)) {
			row.accept = [
				{ port: 8080, queued: 511 },
				{ port: 8081, queued: 1 },
			];
			row.counters = { ListenOverflows: row.t >= FROM + 2 ? 20 : 3 };
		}
	});
	const queues = [...limits].filter(([id]) => id.startsWith('accept-nginx')).map(([, queue]) => queue);
	assert.deepEqual(
		queues.map(({ label, what, values, reached }) => [label, what, values.slice(0, 3), reached.slice(0, 3)]),
		[['accept queues of nginx, ports 8080 and 8081 together', 'one of them overflowed', [512, 512, 512], [false, true, false]]],
	);
});

test('open files have the limit of the process that has most of them', () => {
	const limits = limitsIn((raw) => {
		rowOf(raw.containers, 'mongo', 1).fds = { open_files: 40, limit: 64 };
		rowOf(raw.containers, 'mongo', 2).fds = { open_files: 64, limit: 64 };
		rowOf(raw.containers, 'nginx', 1).fds = { open_files: 40, limit: null };
	});
	const files = limits.get('files-mongo');
	assert.deepEqual([files?.tier, files?.limit, files?.reached.slice(0, 2)], ['database', 64, [false, true]]);
	assert.equal(limits.get('files-nginx')?.reached[0], null, 'whether a limit that is not on record was reached is not known');
});

test('memory is the limit in a second that was spent for the most part waiting for it', () => {
	const limits = limitsIn((raw) => {
		let waited = 0;
		for (const row of raw.containers.filter(({ name }) => name === 'app-2')) {
			waited += { 2: 0.59, 3: 0.6 }[(row.t - FROM) as 2 | 3] ?? 0;
			row.pressure = { cpu_s: 0, memory_s: waited };
		}
	});
	const pressure = limits.get('memory-pressure-app-2');
	assert.deepEqual(pressure?.values.slice(0, 4), [0, 0.59, 0.6, 0]);
	assert.deepEqual(pressure?.reached.slice(0, 4), [false, false, true, false]);
});

test('waiting for memory that is counted for the machine alone is the limit of the machine', () => {
	const limits = limitsIn((raw) => {
		for (const row of raw.host) row.pressure = { memory: Math.max(0, row.t - FROM - 2) * 0.7 };
	});
	const pressure = limits.get('memory-pressure-machine');
	assert.deepEqual([pressure?.tier, pressure?.reached.slice(0, 4)], ['machine', [false, false, true, true]]);
});

test("the machine's table of tracked connections is the machine's limit", () => {
	const limits = limitsIn((raw) => {
		for (const row of raw.host) row.conntrack = { count: row.t < FROM + 3 ? 100 : 65_536, max: 65_536 };
	});
	const tracked = limits.get('conntrack');
	assert.deepEqual([tracked?.tier, tracked?.reached.slice(0, 4)], ['machine', [false, false, true, true]]);
});

test('a record that was made before these were read has none of them', () => {
	const ids = [
		...limitsIn((raw) => {
			for (const row of [...raw.host, ...raw.containers]) delete row.pressure;
		}).keys(),
	];
	assert.deepEqual(ids, ['balancer-connections', 'pool-app-1', 'loop-app-1', 'pool-app-2', 'loop-app-2', 'database-connections']);
});

function limitIn(raw: Raw, id: string, seconds: number[] = [1, 2, 3, 4]): WatchedLimit {
	const found = limitsOf(factsOf(raw), seconds).find((limit) => limit.id === id);
	assert.ok(found, id);
	return found;
}

const nodeRow: (raw: Raw, name: string, second: number) => any = (raw, name, second) =>
	raw.nodes[name].find(({ t }) => t === FROM + second);

test('every limited resource has its limit and its values on the seconds asked for', () => {
	const raw = recordOf({ balanced: true });
	raw.nodes['app-2'][8].pool.in_use = 50;
	raw.kernel.find(({ name, t }) => name === 'nginx' && t === FROM + 3).sockets = { inuse: 1000 };
	for (const row of raw.host) delete row.pressure;
	assert.deepEqual(
		limitsOf(factsOf(raw), [2, 3, 99]).map(({ id, tier, limit, values }) => [id, tier, limit, values]),
		[
			['balancer-connections', 'load-balancer', 1024, [40, 1000, null]],
			['pool-app-1', 'pool', 50, [5, 5, null]],
			['loop-app-1', 'app', 1, [0.3, 0.3, null]],
			['pool-app-2', 'pool', 50, [5, 50, null]],
			['loop-app-2', 'app', 1, [0.3, 0.3, null]],
			['database-connections', 'database', 1000, [60, 60, null]],
		],
	);
});

test('a tier that kept no record limits nothing', () => {
	const raw = recordOf();
	Object.assign(raw, { database: [], nodes: {}, host: [] });
	assert.deepEqual(limitsOf(factsOf(raw), [1]), []);
});

test('a node without a pool is limited by its event loop alone, and a store that is no MongoDB by no connections', () => {
	const idsIn = (raw: Raw) => limitsOf(factsOf({ ...raw, host: [] }), [1]).map(({ id }) => id);
	assert.deepEqual(idsIn(poolsRecord()), ['loop-app-1']);
	assert.deepEqual(idsIn(programRecord()), []);
});

test('a connection table is full from where Nginx begins to close idle clients', () => {
	const raw = recordOf({ balanced: true });
	const sockets = [959, 960, 1024, 40];
	for (const row of raw.kernel) if (row.name === 'nginx' && row.t > FROM) row.sockets = { inuse: sockets[row.t - FROM - 1] ?? 40 };
	assert.deepEqual(limitIn(raw, 'balancer-connections').reached, [false, true, true, false]);
});

test('whether a limit was reached that is not on record is not known', () => {
	const raw = recordOf({ balanced: true });
	raw.balancerConf = '';
	assert.deepEqual(limitIn(raw, 'balancer-connections').limit, null);
	assert.deepEqual(limitIn(raw, 'balancer-connections').reached, [null, null, null, null]);
});

test('a pool that is used up is at its limit only while requests wait for it', () => {
	const raw = recordOf();
	nodeRow(raw, 'app-1', 2).pool.in_use = 50;
	Object.assign(nodeRow(raw, 'app-1', 3).pool, { in_use: 50, waiting: 7 });
	raw.nodes['app-1'] = raw.nodes['app-1'].filter(({ t }) => t !== FROM + 4);
	assert.deepEqual(limitIn(raw, 'pool-app-1').reached, [false, false, true, null]);
});

test("MongoDB's connections are at their limit only while requests wait for one", () => {
	const raw = recordOf();
	for (const row of raw.database) if (row.t >= FROM + 2) row.connections = { open: 1000, free: 0 };
	nodeRow(raw, 'app-1', 3).pool.waiting = 2;
	const { reached, queues } = limitIn(raw, 'database-connections');
	assert.deepEqual([reached, queues], [[false, false, true, false], true]);
});

test('an event loop is at its limit at 95 %, as it is read once a second', () => {
	const raw = recordOf();
	nodeRow(raw, 'app-1', 2).busy_share = 0.949;
	nodeRow(raw, 'app-1', 3).busy_share = 0.95;
	assert.deepEqual(limitIn(raw, 'loop-app-1').reached, [false, false, true, false]);
});
